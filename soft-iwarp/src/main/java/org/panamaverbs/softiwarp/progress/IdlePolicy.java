package org.panamaverbs.softiwarp.progress;

import java.util.concurrent.TimeUnit;

/**
 * How long threads look for work before they sleep, and who looks meanwhile: every constant of waiting, and the state of busy-polling. The
 * state belongs to the leader of a loop.
 */
public final class IdlePolicy {
    /** Polls of a completion queue in a row that found nothing; then the poller is taken to busy-poll, and leads the loops. */
    public static final int EMPTY_POLLS = 16;

    /** How often the progress thread checks whether another thread still leads: every millisecond. */
    static final long WATCH_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    /** So many checks in a row find that no other thread leads; then the progress thread leads for good. */
    static final int WATCH_CHECKS = 8;
    /** How often a thread that waits tries to lead, once the progress thread was asked to step back: for some 50 us. */
    static final int LEAD_ATTEMPTS = 1000;
    /** How long a waiter leads and finds nothing before it parks: then an interrupt reaches it at once, and it costs nothing. */
    static final long LEADING_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** The most connections of a loop that a busy-polling thread reads from without asking the multiplexer. */
    static final int DIRECT_READ_DRIVERS = 2;
    /** Every so many turns of direct reads the multiplexer is asked as well: for new peers, tasks and timers. */
    static final int TURNS_PER_SELECT = 32;
    /** After so many turns of direct reads, some milliseconds, the multiplexer no longer watches their channels. */
    static final int TURNS_WATCHED = 4096;

    /** After n busy-polls in a row that found nothing, the next 2^n - 1 waits sleep at once; n is at most this. */
    private static final int MOST_BACK_OFF = 6;

    /** Bytes that one connection receives in a turn before others have theirs. */
    static final long RECEIVE_BYTES = 4L << 20;
    /** FPDUs that one connection receives in a turn. */
    static final long RECEIVE_FPDUS = 4096;
    /** Bytes that the leader transmits for one connection in a turn. */
    static final long TRANSMIT_BYTES = 4L << 20;
    /** Writes that a thread makes for one connection in a turn, of at most 1,024 FPDUs each. */
    static final int TRANSMIT_WRITES = 64;
    /** Bytes that a posting thread transmits before the loop goes on: posting does not take for ever. */
    static final long POSTER_BYTES = 64L << 20;

    private final long busyPollNanos;
    private int backOff;
    private int sleeps;

    /**
     * Makes one.
     *
     * @param busyPollNanos how long a thread that waits polls before it sleeps; 0 for not at all
     */
    IdlePolicy(long busyPollNanos) {
        this.busyPollNanos = busyPollNanos;
    }

    /** How long to busy-poll before a wait of so long, negative for ever; 0 for not at all. */
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
