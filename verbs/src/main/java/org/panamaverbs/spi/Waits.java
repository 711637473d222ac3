package org.panamaverbs.spi;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import org.panamaverbs.VerbsTimeoutException;
import org.panamaverbs.WaitInterruptedException;

/** The rules that the waits of all providers share: time limits, and the meaning of an interrupt. */
public final class Waits {
    private Waits() {
    }

    /**
     * A time limit in nanoseconds.
     *
     * @param timeout 0 or more
     * @return the longest that a long can say for longer ones
     * @throws IllegalArgumentException for a negative one
     */
    public static long nanos(Duration timeout) {
        if (timeout.isNegative()) {
            throw new IllegalArgumentException("a time-out is 0 or more, not " + timeout);
        }
        return timeout.getSeconds() >= Long.MAX_VALUE / 1_000_000_000L ? Long.MAX_VALUE : timeout.toNanos();
    }

    /**
     * A time limit in words.
     *
     * @param timeout 0 or more
     * @return as "5 s" or "20 ms"
     */
    public static String describe(Duration timeout) {
        return timeout.toMillis() % 1000 == 0 ? timeout.toSeconds() + " s" : timeout.toMillis() + " ms";
    }

    /**
     * Makes the exception of a wait that has to give an object, if the time is up.
     *
     * @param what    the thing that did not come, and the object that it was to come from
     * @param timeout how long the thread waited
     * @return to be thrown
     */
    public static VerbsTimeoutException timedOut(String what, Duration timeout) {
        return new VerbsTimeoutException(what + " within " + describe(timeout));
    }

    /**
     * Waits on a condition; an interrupt ends the wait, and stays set.
     *
     * @param condition of a lock that the thread holds
     * @param nanos     how long at most
     * @return how long is left; 0 or less if the time is up
     * @throws WaitInterruptedException if the thread was interrupted
     */
    public static long await(Condition condition, long nanos) {
        try {
            return condition.awaitNanos(nanos);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    /**
     * Makes the exception of a wait whose thread was interrupted. The thread stays interrupted.
     *
     * @param e how that showed
     * @return to be thrown
     */
    public static WaitInterruptedException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new WaitInterruptedException(e);
    }
}
