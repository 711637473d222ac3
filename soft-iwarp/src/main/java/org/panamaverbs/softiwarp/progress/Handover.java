package org.panamaverbs.softiwarp.progress;

import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Gives the lead of an event loop from its progress thread to a thread that waits. That thread asks the progress thread to step back, and
 * sleeps until it has answered: before its next turn, or when it stops leading. So on a busy machine the progress thread finds a processor.
 */
// Tested by EventLoopTest.
final class Handover {
    private final Leadership leadership;
    private final Runnable wakeUp;
    private final int attempts;
    /** The thread that sleeps, or is about to; {@code null} once it has its answer. */
    private final AtomicReference<Thread> candidate = new AtomicReference<>();

    /**
     * Makes one.
     *
     * @param wakeUp   ends the select of the thread that leads
     * @param attempts how many times a thread tries to lead before it asks the progress thread to step back, and after that
     */
    Handover(Leadership leadership, Runnable wakeUp, int attempts) {
        this.leadership = leadership;
        this.wakeUp = wakeUp;
        this.attempts = attempts;
    }

    /**
     * Makes the calling thread the leader, if need be in place of the progress thread.
     *
     * @param here  whether the thread need not lead any more
     * @param nanos the longest time to wait
     * @return {@code false} if it does not lead: others do, time is up, it need not any more, or it was interrupted
     */
    boolean take(BooleanSupplier here, long nanos) {
        if (tryLeadSoon()) {
            return true;
        }
        Thread self = Thread.currentThread();
        if (!mayStepBack() || !candidate.compareAndSet(null, self)) {
            return false;
        }
        try {
            leadership.want();
            // A progress thread that has stopped leading before it could see the candidate does not answer.
            if (mayStepBack()) {
                wakeUp.run();
                sleep(self, here, nanos);
            }
        } finally {
            candidate.compareAndSet(self, null);
        }
        return tryLeadSoon();
    }

    /** Tries for as long as a check of the progress thread takes. */
    private boolean tryLeadSoon() {
        for (int i = 0; i < attempts; i++) {
            if (leadership.tryLead()) {
                return true;
            }
            if (!mayStepBack()) {
                return leadership.tryLead();
            }
            Thread.onSpinWait();
        }
        return false;
    }

    /** Whether the progress thread leads and steps back if asked: while threads follow, it leads on for them. */
    private boolean mayStepBack() {
        return leadership.isLedByProgress() && !leadership.hasFollowers();
    }

    private void sleep(Thread self, BooleanSupplier here, long nanos) {
        long start = System.nanoTime();
        long left = nanos;
        while (candidate.get() == self && left > 0 && !self.isInterrupted() && !here.getAsBoolean()) {
            LockSupport.parkNanos(this, left);
            left = nanos - (System.nanoTime() - start);
        }
    }

    /** A thread that sleeps here checks what it waits for. */
    void signal() {
        LockSupport.unpark(candidate.get());
    }

    /** The progress thread stops leading; {@code true} if there are followers. */
    boolean stepBack() {
        boolean followed = leadership.cede();
        answer();
        return followed;
    }

    /** A thread that sleeps here looks again who leads. By the progress thread. */
    void answer() {
        Thread waiting = candidate.get();
        if (waiting != null && candidate.compareAndSet(waiting, null)) {
            LockSupport.unpark(waiting);
        }
    }
}
