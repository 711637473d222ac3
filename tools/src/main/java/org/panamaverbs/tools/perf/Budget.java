package org.panamaverbs.tools.perf;

import java.util.concurrent.atomic.AtomicLong;

/** The memory that a listener gives to all its connections together: peers say how much they want, and the listener's user how much there is. */
final class Budget {
    private final long limit;
    private final AtomicLong taken = new AtomicLong();

    Budget(long limit) {
        this.limit = limit;
    }

    long limit() {
        return limit;
    }

    /** How much is taken, in bytes. */
    long taken() {
        return taken.get();
    }

    /** Takes some; {@code false} if so much is not left. */
    boolean take(long bytes) {
        long before;
        do {
            before = taken.get();
            if (bytes > limit - before) {
                return false;
            }
        } while (!taken.compareAndSet(before, before + bytes));
        return true;
    }

    void giveBack(long bytes) {
        taken.addAndGet(-bytes);
    }
}
