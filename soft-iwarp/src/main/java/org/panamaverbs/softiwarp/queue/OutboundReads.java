package org.panamaverbs.softiwarp.queue;

/** Our Reads that the peer is yet to answer (ORRQ): added by the thread that transmits, finished by the one that receives. */
public final class OutboundReads {
    private final long[] requests;
    /** Volatile: publishes the entries before it. */
    private volatile long added;
    /** Volatile: frees the entries before it. */
    private volatile long finished;

    /** Makes an empty one; {@code depth} is the ORD, 0 or more. */
    public OutboundReads(int depth) {
        requests = new long[depth];
    }

    /** Whether as many are outstanding as the peer allows. */
    public boolean isFull() {
        return added - finished == requests.length;
    }

    /** Whether none is outstanding. */
    public boolean isEmpty() {
        return added == finished;
    }

    /** Adds the request with this sequence number; only where not full. */
    public void add(long request) {
        requests[(int) (added % requests.length)] = request;
        added = added + 1;
    }

    /** How many Reads were added. */
    public long added() {
        return added;
    }

    /** How many Reads were removed. */
    public long finished() {
        return finished;
    }

    /** The sequence number of one of them, which count from 0. */
    public long request(long read) {
        return requests[(int) (read % requests.length)];
    }

    /** The sequence number of the oldest. */
    public long oldest() {
        return request(finished);
    }

    /**
     * The sequence number of the request whose Read Request has a message number: those of queue 1 count from 1.
     *
     * @return -1 if no outstanding Read has it
     */
    public long find(int messageSequence) {
        for (long read = finished; read < added; read++) {
            if ((int) (read + 1) == messageSequence) {
                return request(read);
            }
        }
        return -1;
    }

    /** Removes the oldest. */
    public void remove() {
        finished = finished + 1;
    }
}
