package org.panamaverbs.softiwarp.progress;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.panamaverbs.softiwarp.memory.Fields;
import org.panamaverbs.spi.support.Waits;

/**
 * A place where threads wait for something that event loops bring. A platform thread that waits for a single loop leads that loop for a
 * while, so that an event wakes this thread and no other. All other threads park, and the leader wakes them. Nothing is allocated,
 * unless several threads park at the same place at a time: those after the first one wait for a condition, which allocates a node each time.
 */
public final class WaitPoint {
    private static final VarHandle LED = Fields.of(MethodHandles.lookup(), "led", EventLoop.class);

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    /** The number of calls of {@link #signal}. */
    private final AtomicLong signals = new AtomicLong();
    /** The first thread that parks; written before it checks the signals. */
    private final AtomicReference<Thread> sleeper = new AtomicReference<>();
    /** How many further threads wait for the condition; written under the lock, before they check the signals. */
    private volatile int others;
    /** The loop that a waiting thread leads or is about to lead; written before that thread checks its condition once more. */
    private volatile EventLoop led;

    /** Makes all waiting threads check their condition again. Any thread calls it, after the change that they wait for. */
    public void signal() {
        signals.incrementAndGet();
        // A thread that is in neither place yet sees the new count.
        LockSupport.unpark(sleeper.get());
        if (others > 0) {
            lock.lock();
            try {
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }
        EventLoop loop = led;
        if (loop != null) {
            loop.signal();
        }
    }

    /**
     * Waits until a condition holds.
     *
     * @param loops the loops that may make it hold
     * @param here  the condition; after a call that returns {@code false}, the next change calls {@link #signal}
     * @param nanos the longest time to wait
     * @return {@code false} if the condition did not hold in time
     * @throws org.panamaverbs.WaitInterruptedException if the thread was interrupted; its interrupt status stays set
     */
    public boolean await(EventLoop[] loops, BooleanSupplier here, long nanos) {
        if (here.getAsBoolean()) {
            return true;
        }
        boolean leads = loops.length == 1 && !Thread.currentThread().isVirtual();
        long start = System.nanoTime();
        while (true) {
            long seen = signals.get();
            if (here.getAsBoolean()) {
                return true;
            }
            long waited = System.nanoTime() - start;
            if (waited >= nanos) {
                return false;
            }
            if (Thread.currentThread().isInterrupted()) {
                throw Waits.interrupted(new InterruptedException());
            }
            if (!leads || waited > IdlePolicy.LEADING_NANOS || !lead(loops[0], here, nanos - waited)) {
                park(loops, seen, nanos - (System.nanoTime() - start));
            }
        }
    }

    private boolean lead(EventLoop loop, BooleanSupplier here, long nanos) {
        // One waiting thread at a time: a second one would clear the field when it stops, and signal() would not wake the first.
        if (!LED.compareAndSet(this, null, loop)) {
            return false;
        }
        try {
            return loop.lead(here, Math.min(nanos, IdlePolicy.LEADING_NANOS));
        } finally {
            led = null;
        }
    }

    private void park(EventLoop[] loops, long seen, long nanos) {
        for (EventLoop loop : loops) {
            loop.follow();
        }
        try {
            if (sleeper.compareAndSet(null, Thread.currentThread())) {
                try {
                    sleep(seen, nanos);
                } finally {
                    sleeper.set(null);
                }
            } else {
                awaitWithOthers(seen, nanos);
            }
        } finally {
            for (EventLoop loop : loops) {
                loop.unfollow();
            }
        }
    }

    private void sleep(long seen, long nanos) {
        long start = System.nanoTime();
        long left = nanos;
        while (signals.get() == seen && left > 0) {
            LockSupport.parkNanos(this, left);
            if (Thread.currentThread().isInterrupted()) {
                throw Waits.interrupted(new InterruptedException());
            }
            left = nanos - (System.nanoTime() - start);
        }
    }

    private void awaitWithOthers(long seen, long nanos) {
        lock.lock();
        try {
            others = others + 1;
            long left = nanos;
            while (signals.get() == seen && left > 0) {
                left = Waits.await(changed, left);
            }
        } finally {
            others = others - 1;
            lock.unlock();
        }
    }
}
