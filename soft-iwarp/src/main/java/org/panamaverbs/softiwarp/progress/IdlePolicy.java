package org.panamaverbs.softiwarp.progress;

import java.util.concurrent.TimeUnit;

/**
 * Decides how long a thread busy-polls before it sleeps. Holds every constant of waiting and of fairness, and the state of busy-polling,
 * which belongs to the leader of a loop.
 */
public final class IdlePolicy {
    /** After more empty polls of a completion queue in a row than this, the caller counts as busy-polling, and drives the loops. */
    public static final int EMPTY_POLLS = 16;

    /** The interval at which the progress thread checks whether another thread still leads: 1 ms. */
    static final long WATCH_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    /** After this many checks in a row that find no other thread leading, the progress thread leads for good. */
    static final int WATCH_CHECKS = 8;
    /** How many times a waiting thread tries to lead after it has asked the progress thread to step back: for about 50 us. */
    static final int LEAD_ATTEMPTS = 1000;
    /** How long a waiting thread leads before it parks. A parked thread costs nothing, and an interrupt reaches it at once. */
    static final long LEADING_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** The most connections of a loop for which a busy-polling thread reads without asking the multiplexer. */
    static final int DIRECT_READ_DRIVERS = 2;
    /** One turn in this many asks the multiplexer instead of reading directly: for new peers and timers. */
    static final int TURNS_PER_SELECT = 32;
    /** After this many turns of direct reads, which take some milliseconds, the multiplexer no longer watches the channels. */
    static final int TURNS_WATCHED = 4096;

    /** After n busy-polls in a row that find nothing, the next 2^n - 1 waits sleep at once; n is at most this. */
    private static final int MOST_BACK_OFF = 6;

    private final long busyPollNanos;
    private int backOff;
    private int sleeps;

    /**
     * Makes one.
     *
     * @param busyPollNanos how long a waiting thread busy-polls before it sleeps; 0 for not at all
     */
    IdlePolicy(long busyPollNanos) {
        this.busyPollNanos = busyPollNanos;
    }

    /**
     * How long to busy-poll before a wait.
     *
     * @param waitNanos the longest time of the wait; negative for no limit
     * @return nanoseconds; 0 for not at all
     */
    long busyPollNanos(long waitNanos) {
        if (waitNanos >= 0 && waitNanos < busyPollNanos) {
            return 0;
        }
        if (sleeps > 0) {
            sleeps--;
            return 0;
        }
        return busyPollNanos;
    }

    /** Busy-polling found something. */
    void onFound() {
        backOff = 0;
    }

    /** Busy-polling found nothing in its time. */
    void onEmpty() {
        backOff = Math.min(backOff + 1, MOST_BACK_OFF);
        sleeps = (1 << backOff) - 1;
    }
}
