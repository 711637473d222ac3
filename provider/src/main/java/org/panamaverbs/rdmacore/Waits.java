package org.panamaverbs.rdmacore;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import org.panamaverbs.ClosedException;

/** What all waits share: time limits, and what an interrupt means. */
final class Waits {
    private Waits() {
    }

    /** A time limit in nanoseconds; the longest that a long can say for longer ones. */
    static long nanos(Duration timeout) {
        if (timeout.isNegative()) {
            throw new IllegalArgumentException("a time-out is 0 or more, not " + timeout);
        }
        return timeout.getSeconds() >= Long.MAX_VALUE / 1_000_000_000L ? Long.MAX_VALUE : timeout.toNanos();
    }

    /** A time limit in words. */
    static String describe(Duration timeout) {
        return timeout.toMillis() % 1000 == 0 ? timeout.toSeconds() + " s" : timeout.toMillis() + " ms";
    }

    /** Waits on a condition; an interrupt ends the wait, as closing would, and stays set. */
    static long await(Condition condition, long nanos) {
        try {
            return condition.awaitNanos(nanos);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    static ClosedException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new ClosedException("the thread was interrupted while it waited", e);
    }
}
