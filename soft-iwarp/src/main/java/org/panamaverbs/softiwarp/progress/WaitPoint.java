package org.panamaverbs.softiwarp.progress;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.panamaverbs.softiwarp.memory.Fields;
import org.panamaverbs.spi.Waits;

/**
 * Where threads wait for what event loops bring. A platform thread that waits for one loop alone leads it for a while, so that what comes
 * wakes it and nobody else; all others park, and are woken by whoever leads. Nothing is allocated.
 */
public final class WaitPoint {
    private static final VarHandle LED = Fields.of(MethodHandles.lookup(), "led", EventLoop.class);

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    /** Under the lock: how often {@link #signal} was called. */
    private long signals;
    /** The loop that a waiter leads, or is about to; written before it looks once more whether it need wait. */
    private volatile EventLoop led;

    /** Tells all who wait to look again; by any thread, after what they wait for can be seen. */
    public void signal() {
        lock.lock();
        try {
            signals++;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        EventLoop loop = led;
        if (loop != null && !loop.isLeader()) {
            loop.wakeUp();
        }
    }

    /**
     * Waits.
     *
     * @param loops who may bring it
     * @param here  whether what is waited for is here; it has whoever brings it call {@link #signal} from then on
     * @param nanos how long at most
     * @return {@code false} where the time was up
     * @throws org.panamaverbs.ClosedException where the thread was interrupted, which stays set
     */
    public boolean await(EventLoop[] loops, BooleanSupplier here, long nanos) {
        if (here.getAsBoolean()) {
            return true;
        }
        boolean leads = loops.length == 1 && !Thread.currentThread().isVirtual();
        long start = System.nanoTime();
        while (true) {
            long seen = signals();
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
                park(loops, seen, nanos - waited);
            }
        }
    }

    private long signals() {
        lock.lock();
        try {
            return signals;
        } finally {
            lock.unlock();
        }
    }

    private boolean lead(EventLoop loop, BooleanSupplier here, long nanos) {
        // One at a time: a second one would, on its way out, take away what wakes the first.
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
        lock.lock();
        try {
            long left = nanos;
            while (signals == seen && left > 0) {
                left = Waits.await(changed, left);
            }
        } finally {
            lock.unlock();
            for (EventLoop loop : loops) {
                loop.unfollow();
            }
        }
    }
}
