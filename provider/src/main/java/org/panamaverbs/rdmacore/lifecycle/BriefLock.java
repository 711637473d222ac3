package org.panamaverbs.rdmacore.lifecycle;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A lock that is held for as long as a post or a poll takes, and may be taken again by its holder. To take it and give it back costs one
 * locked instruction, where a {@link ReentrantLock} needs two and a collector's barrier: with two locks to a request that is more than
 * what the device's library costs.
 *
 * <p>One waiting thread at a time competes for it, first spinning and then parked; the others queue behind it in the order in which they
 * came. The lock is not fair to waiting threads, as a ReentrantLock is not. An interrupt ends no wait, and stays set.
 */
public final class BriefLock {
    private static final VarHandle HOLDER;

    static {
        try {
            HOLDER = MethodHandles.lookup().findVarHandle(BriefLock.class, "holder", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** About 5 us: longer than a post to a card, or a poll, takes. */
    private static final int SPINS = 100;
    /** How long a waiting thread parks at most: see {@link #unlock}. */
    private static final long PARK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long NOBODY = 0;

    /** The number of the thread that holds it; not the thread itself, which collectors would want to know of. */
    @SuppressWarnings("unused") // by the handle
    private volatile long holder;
    /** How often its holder took it again; by the holder. */
    private int again;
    private final ReentrantLock turn = new ReentrantLock();
    /** The thread that competes for it, and may be parked. */
    private volatile Thread waiter;

    /** Takes it; all that was written under it is seen. */
    public void lock() {
        long self = Thread.currentThread().threadId();
        if (!HOLDER.compareAndSet(this, NOBODY, self)) {
            lockHeld(self);
        }
    }

    private void lockHeld(long self) {
        if ((long) HOLDER.getOpaque(this) == self) {
            again++;
            return;
        }
        turn.lock();
        boolean interrupted = false;
        try {
            while (!trySpinning(self)) {
                waiter = Thread.currentThread();
                // Once more: a holder that gave it back before that has woken no thread.
                if (HOLDER.compareAndSet(this, NOBODY, self)) {
                    break;
                }
                LockSupport.parkNanos(this, PARK_NANOS);
                interrupted |= Thread.interrupted();
            }
        } finally {
            waiter = null;
            turn.unlock();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private boolean trySpinning(long self) {
        for (int i = 0; i < SPINS; i++) {
            if ((long) HOLDER.getOpaque(this) == NOBODY && HOLDER.compareAndSet(this, NOBODY, self)) {
                return true;
            }
            Thread.onSpinWait();
        }
        return false;
    }

    /**
     * Gives it back; by its holder. The processor may read the waiter before other threads see that the lock is free, and so miss one that is
     * about to park: a fence that prevents this would cost as much as the rest. So no thread parks without a limit of time.
     */
    public void unlock() {
        if (again > 0) {
            again--;
            return;
        }
        // The next holder sees what was written under it.
        HOLDER.setRelease(this, NOBODY);
        Thread next = waiter;
        if (next != null) {
            LockSupport.unpark(next);
        }
    }
}
