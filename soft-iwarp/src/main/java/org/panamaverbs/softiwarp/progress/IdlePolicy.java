package org.panamaverbs.softiwarp.progress;

/** Every constant of waiting and of fairness, except those of {@link org.panamaverbs.spi.BusyPoll}. */
public final class IdlePolicy {
    /** After more empty polls of a completion queue in a row than this, the caller counts as busy-polling, and drives the loops. */
    public static final int EMPTY_POLLS = 16;

    /** How long the progress thread waits at least until it checks whether another thread still leads: 1 ms. */
    static final long WATCH_NANOS = 1_000_000;
    /** The longest such wait. A peer's Read may wait as long for a program that has ceased to poll. */
    static final long LONGEST_WATCH_NANOS = 8 * WATCH_NANOS;
    /** After this many checks in a row that find no other thread leading, the progress thread leads for good. */
    static final int WATCH_CHECKS = 8;
    /** How many times a waiting thread tries to lead before it asks the progress thread to step back and sleeps, and after that. */
    static final int LEAD_ATTEMPTS = 100;
    /** How long a waiting thread leads before it parks. A parked thread costs nothing, and an interrupt reaches it at once. */
    static final long LEADING_NANOS = 50_000_000;

    /** The most connections of a loop for which a busy-polling thread reads without asking the multiplexer. */
    static final int DIRECT_READ_DRIVERS = 2;
    /** One turn in this many asks the multiplexer instead of reading directly: for new peers and timers. */
    static final int TURNS_PER_SELECT = 32;
    /** After this many turns of direct reads, which take some milliseconds, the multiplexer no longer watches the channels. */
    static final int TURNS_WATCHED = 4096;

    private IdlePolicy() {
    }
}
