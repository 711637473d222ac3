package org.panamaverbs.spi.support;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.locks.Condition;
import org.jspecify.annotations.Nullable;
import org.panamaverbs.ClosedException;
import org.panamaverbs.PeerException;
import org.panamaverbs.RequestFailedException;
import org.panamaverbs.ResourceException;
import org.panamaverbs.SystemException;
import org.panamaverbs.UnsupportedVerbException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.VerbsTimeoutException;
import org.panamaverbs.WaitInterruptedException;
import org.panamaverbs.cm.RejectedException;
import org.panamaverbs.cm.Route;

/** The rules that the waits of all providers share: time limits, the meaning of an interrupt, and the exceptions of failures. */
public final class Waits {
    private static final int CONNECTION_REFUSED = 111;

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
        return timeout.toSeconds() >= Long.MAX_VALUE / 1_000_000_000L ? Long.MAX_VALUE : timeout.toNanos();
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
     * Makes the exception of an attempt to connect to an address at which no program listens, or whose backlog is full.
     *
     * @param remote the address
     * @param cause  how that showed, or {@code null}
     * @return to be thrown
     */
    public static SystemException refused(InetSocketAddress remote, @Nullable Throwable cause) {
        return new SystemException(Route.text(remote) + " refuses connections: is a server running there? (ECONNREFUSED)",
                CONNECTION_REFUSED, cause);
    }

    /**
     * Makes the exception that a waiting thread throws for a failure that another thread found: its stack trace leads to the caller, and
     * its cause to the place of the failure.
     *
     * @param failure found by another thread
     * @return to be thrown: of the same type and with the same message; {@code failure} itself if it is a time-out or an interrupt
     */
    public static VerbsException failed(VerbsException failure) {
        return switch (failure) {
            case RejectedException cause -> new RejectedException(cause);
            case PeerException cause -> new PeerException(cause.getMessage(), cause);
            case SystemException cause -> new SystemException(cause.getMessage(), cause.errorNumber(), cause);
            case ResourceException cause -> new ResourceException(cause.getMessage(), cause);
            case ClosedException cause -> new ClosedException(cause.getMessage(), cause);
            case RequestFailedException cause -> new RequestFailedException(cause.getMessage(), cause.status(), cause);
            case UnsupportedVerbException cause -> new UnsupportedVerbException(cause.getMessage(), cause);
            // Time-outs and interrupts, which a wait finds on its own thread. No wait has the others.
            default -> failure;
        };
    }

    /**
     * Waits on a condition; an interrupt ends the wait, and stays set.
     *
     * @param condition of a lock that the thread holds
     * @param nanos     how long at most
     * @return how long is left; 0 or less if the time is up
     * @throws WaitInterruptedException if the thread was interrupted
     */
    @SuppressWarnings("WaitNotInLoop") // Its callers loop.
    public static long await(Condition condition, long nanos) {
        try {
            return condition.awaitNanos(nanos);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    /**
     * Waits until a thread has ended. An interrupt does not end the wait: the calling thread is interrupted after it.
     *
     * @param thread if it is the calling thread, this does not wait
     */
    public static void join(Thread thread) {
        boolean interrupted = false;
        while (thread != Thread.currentThread() && thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
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
