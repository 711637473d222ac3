package org.panamaverbs.sockets.protocol;

/**
 * The bytes of a peer that the program has not read, in the order of the messages that announced them. They are in ranges of memory that the
 * peer fills one after the other, or in the receives of messages that carry them.
 */
// Tested by StreamCoreTest, StreamSimulationTest.
final class UnreadBytes {
    /** The place of bytes that are in a range. */
    static final int IN_RANGE = -1;
    private static final int RANGES = StreamCore.GRANTS;

    private final int[] length = new int[RANGES];
    private final int[] filled = new int[RANGES];
    private final int[] consumed = new int[RANGES];
    private int first;
    private int granted;

    // Runs of bytes: a ring, whose size is a power of two. The peer's credits bound their number.
    private int[] places = new int[1];
    private int[] runs = new int[1];
    private int firstRun;
    private int waiting;
    /** How many bytes of the first run were read. */
    private int offset;
    private int bytes;

    /** Makes one that has granted one range. */
    UnreadBytes(int length) {
        grant(length);
    }

    /** {@return how many bytes the range has room for that the peer fills now; 0 if all are full} */
    int room() {
        int range = filling();
        return range < 0 ? 0 : length[range] - filled[range];
    }

    private int filling() {
        for (int i = 0; i < granted; i++) {
            int range = (first + i) % RANGES;
            if (filled[range] < length[range]) {
                return range;
            }
        }
        return -1;
    }

    /** Bytes have come to the range that the peer fills, 1 to {@link #room}. They follow each other, so they are one run until a message carries some. */
    void fill(int count) {
        filled[filling()] += count;
        int last = firstRun + waiting - 1 & places.length - 1;
        if (waiting > 0 && places[last] == IN_RANGE) {
            runs[last] += count;
            bytes += count;
        } else {
            add(IN_RANGE, count);
        }
    }

    /** Bytes have come to a receive. */
    void add(int place, int count) {
        if (waiting == places.length) {
            grow();
        }
        int next = firstRun + waiting & places.length - 1;
        places[next] = place;
        runs[next] = count;
        waiting++;
        bytes += count;
    }

    private void grow() {
        places = grown(places);
        runs = grown(runs);
        firstRun = 0;
    }

    private int[] grown(int[] full) {
        int[] larger = new int[full.length * 2];
        System.arraycopy(full, firstRun, larger, 0, full.length - firstRun);
        System.arraycopy(full, 0, larger, full.length - firstRun, firstRun);
        return larger;
    }

    /** {@return the place of the receive that has the first bytes; {@link #IN_RANGE} if they are in a range, or there are none} */
    int place() {
        return waiting == 0 ? IN_RANGE : places[firstRun];
    }

    /** {@return the range of the first bytes} */
    int range() {
        return first;
    }

    /** {@return the offset of the first bytes in their range, or in what their message carries} */
    int offset() {
        return place() == IN_RANGE ? consumed[first] : offset;
    }

    /** {@return how many bytes follow there} */
    int length() {
        int left = waiting == 0 ? 0 : runs[firstRun] - offset;
        return place() == IN_RANGE ? Math.min(left, filled[first] - consumed[first]) : left;
    }

    /** {@return how many bytes there are in all} */
    int bytes() {
        return bytes;
    }

    /**
     * The program has read some of {@link #length}.
     *
     * @return whether their memory is the program's again: the range is full and consumed, or the receive can be posted
     */
    boolean consume(int count) {
        boolean inRange = place() == IN_RANGE;
        bytes -= count;
        offset += count;
        boolean whole = waiting > 0 && offset == runs[firstRun];
        if (whole) {
            offset = 0;
            firstRun = firstRun + 1 & places.length - 1;
            waiting--;
        }
        return inRange ? consumeRange(count) : whole;
    }

    private boolean consumeRange(int count) {
        consumed[first] += count;
        if (consumed[first] < length[first]) {
            return false;
        }
        length[first] = 0;
        filled[first] = 0;
        consumed[first] = 0;
        first = (first + 1) % RANGES;
        granted--;
        return true;
    }

    /** {@return whether a range can be granted} */
    boolean hasFree() {
        return granted < RANGES;
    }

    /** {@return the range that can be granted} */
    int free() {
        return (first + granted) % RANGES;
    }

    /** Grants {@link #free}. */
    void grant(int count) {
        length[free()] = count;
        granted++;
    }

    @Override
    public String toString() {
        return "unread " + bytes + ", grants " + granted;
    }
}
