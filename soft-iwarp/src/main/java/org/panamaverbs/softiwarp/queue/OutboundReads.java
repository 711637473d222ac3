package org.panamaverbs.softiwarp.queue;

/**
 * Our Reads and atomics that the peer has not answered yet (the ORRQ). They count against the ORD together (RFC 7306, 5.2). "Read" means
 * both below. The transmitting thread adds them, the receiving thread removes them.
 */
public final class OutboundReads {
    /** Stands for the Read that is the ready-to-receive indication (RFC 6581, 9.2): no request asked for it. */
    public static final long READY = -1;

    private final int depth;
    private final long[] requests;
    /** Volatile: a write to this field publishes the entries before it. */
    private volatile long added;
    /** Volatile: a write to this field frees the entries before it. */
    private volatile long finished;

    /** Makes an empty queue; {@code depth} is the ORD, 0 or more. */
    public OutboundReads(int depth) {
        this.depth = depth;
        // The ready-to-receive indication needs an entry even if the program may not read.
        requests = new long[Math.max(1, depth)];
    }

    /** Whether as many Reads are outstanding as the peer allows. */
    public boolean isFull() {
        return added - finished >= depth;
    }

    /** Whether no Read is outstanding. */
    public boolean isEmpty() {
        return added == finished;
    }

    /** Adds the Read of the request with this sequence number, or {@link #READY} as the first. The queue must not be full. */
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

    /** The sequence number of the request of a Read. Reads count from 0. */
    public long request(long read) {
        return requests[(int) (read % requests.length)];
    }

    /** The sequence number of the request of the oldest Read. */
    public long oldest() {
        return request(finished);
    }

    /**
     * The sequence number of the request whose Read Request has a message sequence number. Those of queue 1 count from 1.
     *
     * @return -1 if no outstanding Read has it, or if it is {@link #READY}
     */
    public long find(int messageSequence) {
        for (long read = finished; read < added; read++) {
            if ((int) (read + 1) == messageSequence) {
                return request(read);
            }
        }
        return -1;
    }

    /** Removes the oldest Read. */
    public void remove() {
        finished = finished + 1;
    }
}
