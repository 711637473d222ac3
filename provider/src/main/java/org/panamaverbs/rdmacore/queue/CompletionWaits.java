package org.panamaverbs.rdmacore.queue;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.panamaverbs.spi.Waits;

/**
 * The threads that wait for completions of a queue. It has a lock of its own, since the queue's is held for moments only. This lock may be
 * taken under the queue's, but not the other way round.
 */
public final class CompletionWaits {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition completed = lock.newCondition();
    private long calls;
    private int waiting;
    private boolean closed;

    /** How often {@link #call} was called, for {@link #await}. */
    public long calls() {
        lock.lock();
        try {
            return calls;
        } finally {
            lock.unlock();
        }
    }

    public boolean isAwaited() {
        lock.lock();
        try {
            return waiting > 0;
        } finally {
            lock.unlock();
        }
    }

    /** Something completed. */
    public void call() {
        lock.lock();
        try {
            calls++;
            completed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** No thread is to wait any more. */
    public void close() {
        lock.lock();
        try {
            closed = true;
            completed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Waits until something completes after so many calls. */
    public void await(long seen, long nanos) {
        long left = nanos;
        lock.lock();
        waiting++;
        try {
            while (calls == seen && !closed && left > 0) {
                left = Waits.await(completed, left);
            }
        } finally {
            waiting--;
            lock.unlock();
        }
    }
}
