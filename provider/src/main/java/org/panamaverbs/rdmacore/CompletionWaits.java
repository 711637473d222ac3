package org.panamaverbs.rdmacore;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.panamaverbs.spi.Waits;

/** Who waits for completions of a queue. Under the queue's lock. */
final class CompletionWaits {
    private final Condition completed;
    private long calls;
    private int waiting;
    private boolean closed;

    CompletionWaits(ReentrantLock lock) {
        this.completed = lock.newCondition();
    }

    /** How often {@link #call} was called, for {@link #await}. */
    long calls() {
        return calls;
    }

    boolean isAwaited() {
        return waiting > 0;
    }

    /** Something completed. */
    void call() {
        calls++;
        completed.signalAll();
    }

    /** Nobody is to wait any more. */
    void close() {
        closed = true;
        completed.signalAll();
    }

    /** Waits until something completes after so many calls. */
    void await(long seen, long nanos) {
        long left = nanos;
        waiting++;
        try {
            while (calls == seen && !closed && left > 0) {
                left = Waits.await(completed, left);
            }
        } finally {
            waiting--;
        }
    }
}
