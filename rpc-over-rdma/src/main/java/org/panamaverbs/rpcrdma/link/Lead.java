package org.panamaverbs.rpcrdma.link;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/**
 * Which thread leads a {@link Reactor}: it takes completions and runs tasks. The reactor's thread does, unless a single caller waits for an
 * answer: that caller asks for the lead, and the reactor's thread steps back and sleeps.
 *
 * <p>A caller without the lead, a task and an answer for which no thread waits rely on a leader. So each thread that gives the lead back, or
 * does not get it, or brings such work, hands the lead back to the reactor's thread if no other thread has it.
 */
final class Lead {
    /** Wakes threads. */
    interface Waker {
        /** Ends the wait of the leader, whichever thread that is. */
        void wakeLeader();

        /** Ends the sleep of the reactor's thread, which is to lead again. */
        void wakeReactor();
    }

    private final ReentrantLock held = new ReentrantLock();
    /** Callers between {@link #enter} and {@link #leave}. */
    private final AtomicInteger callers = new AtomicInteger();
    /** A caller asks the reactor's thread to step back. Either of them clears the request; the other then sees it cleared. */
    private final AtomicBoolean wanted = new AtomicBoolean();
    private volatile boolean handedBack;
    /** Odd while the reactor's thread peeks: then it may have the lead, and will sleep after that. That thread alone changes it. */
    private volatile int peeks;
    private final Waker waker;
    private final int attempts;

    /**
     * Makes one.
     *
     * @param attempts how often a caller tries to take the lead after it has asked for it
     */
    Lead(Waker waker, int attempts) {
        this.waker = waker;
        this.attempts = attempts;
    }

    boolean isHeldByThisThread() {
        return held.isHeldByCurrentThread();
    }

    /** The reactor's thread takes the lead for good, when it has become free. */
    void takeBack() {
        held.lock();
        handedBack = false;
    }

    /** Whether the reactor's thread, which leads, is asked to step back. */
    boolean isToStepBack() {
        return wanted.get() && wanted.compareAndSet(true, false) && callers.get() == 1;
    }

    /** Whether the reactor's thread, which has stepped back, is to lead again. */
    boolean isHandedBack() {
        return handedBack;
    }

    /** The reactor's thread takes the lead for a moment, if no other thread leads; in any case {@link #endPeek} follows. */
    boolean peek() {
        peeks++;
        return held.tryLock();
    }

    void endPeek() {
        giveUp();
        peeks++;
    }

    /** The calling thread leads no longer, if it did. */
    void giveUp() {
        if (held.isHeldByCurrentThread()) {
            held.unlock();
        }
    }

    /** The reactor's thread is to lead again. */
    void handBack() {
        handedBack = true;
        waker.wakeReactor();
    }

    /** There is something that needs a leader. */
    void rely() {
        int before = peeks;
        boolean led = held.isLocked();
        // A peek meanwhile could be all that held the lead.
        if (!led || (before & 1) != 0 || before != peeks) {
            handBack();
        }
    }

    /** A caller begins to wait; returns whether no other one does. {@link #leave} follows. */
    boolean enter() {
        return callers.incrementAndGet() == 1;
    }

    boolean hasOneCaller() {
        return callers.get() == 1;
    }

    /** A single caller asks for the lead. If it does not get it, another thread leads, or the reactor's thread is told to. */
    boolean tryLead() {
        if (held.tryLock()) {
            return true;
        }
        wanted.set(true);
        waker.wakeLeader();
        for (int i = 1; i <= attempts; i++) {
            if (held.tryLock()) {
                wanted.set(false);
                return true;
            }
            if (i % 16 == 0) {
                Thread.yield();
            } else {
                Thread.onSpinWait();
            }
        }
        if (wanted.getAndSet(false)) {
            rely();
        } else {
            // The reactor's thread steps back, or is about to.
            handBack();
        }
        return false;
    }

    /**
     * A caller gives the lead back.
     *
     * @param more whether there is work to do; asked once another thread can lead
     */
    void cede(BooleanSupplier more) {
        held.unlock();
        if (callers.get() > 1 || more.getAsBoolean()) {
            handBack();
        }
    }

    /**
     * A caller waits no longer.
     *
     * @param more whether there are answers to come for which other threads wait
     */
    void leave(boolean more) {
        callers.decrementAndGet();
        if (more) {
            rely();
        }
    }
}
