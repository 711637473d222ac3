package org.panamaverbs.tools.perf.idle;

import java.util.concurrent.atomic.AtomicLong;

/** The memory that a listener gives to all its connections together: peers say how much they want, and the listener's user how much there is. */
public final class MemoryBudget {
    private final long limit;
    private final AtomicLong taken = new AtomicLong();

    public MemoryBudget(long limit) {
        this.limit = limit;
    }

    public long limit() {
        return limit;
    }

    /** How much is taken, in bytes. */
    public long taken() {
        return taken.get();
    }

    /** Takes some; {@code false} if so much is not left. */
    public boolean take(long bytes) {
        long before;
        do {
            before = taken.get();
            if (bytes > limit - before) {
                return false;
            }
        } while (!taken.compareAndSet(before, before + bytes));
        return true;
    }

    public void giveBack(long bytes) {
        taken.addAndGet(-bytes);
    }
}
