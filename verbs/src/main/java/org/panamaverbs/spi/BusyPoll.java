package org.panamaverbs.spi;

/**
 * How long a thread that is about to wait busy-polls before it sleeps: seldom while more than a third of that finds nothing. A miss costs its
 * whole time, and takes the processor from threads that have work; a sleep costs much less. For one thread at a time;
 * threads that share one lose counts, which does no other harm.
 */
public final class BusyPoll {
    /** After a miss the next 2^n - 1 waits sleep at once; n is at most this. */
    private static final int MOST_BACK_OFF = 6;
    /** A miss adds so much to n, and a hit takes 1 away. */
    private static final int MISS = 2;

    private final long nanos;
    private int backOff;
    private int sleeps;

    /**
     * Makes one.
     *
     * @param nanos how long a thread busy-polls; 0 for not at all. On a single processor it never does: that would only delay the thread
     *              that it waits for.
     */
    public BusyPoll(long nanos) {
        this.nanos = Runtime.getRuntime().availableProcessors() > 1 ? nanos : 0;
    }

    /**
     * How long to busy-poll before a wait. Either {@link #onFound()} or {@link #onEmpty()} follows, unless it is 0.
     *
     * @param waitNanos the longest time of the wait; negative for no limit
     * @return nanoseconds; 0 for not at all
     */
    public long nanos(long waitNanos) {
        if (waitNanos >= 0 && waitNanos < nanos) {
            return 0;
        }
        if (sleeps > 0) {
            sleeps--;
            return 0;
        }
        return nanos;
    }

    /** Busy-polling found something. */
    public void onFound() {
        backOff = Math.max(backOff - 1, 0);
    }

    /** Busy-polling found nothing in its time. */
    public void onEmpty() {
        backOff = Math.min(backOff + MISS, MOST_BACK_OFF);
        sleeps = (1 << backOff) - 1;
    }
}
