package org.panamaverbs.tools.perf;

import java.util.concurrent.atomic.AtomicLongArray;

/** How many messages the threads of a measurement have done. Each thread writes its own number; any may read the sum. */
final class Progress {
    /** Two cache lines, so that threads do not write the same one. */
    private static final int LONGS_EACH = 16;

    private final AtomicLongArray done;

    Progress(int threads) {
        done = new AtomicLongArray(threads * LONGS_EACH);
    }

    void set(int thread, long messages) {
        done.setOpaque(thread * LONGS_EACH, messages);
    }

    long total() {
        long total = 0;
        for (int i = 0; i < done.length(); i += LONGS_EACH) {
            total += done.getOpaque(i);
        }
        return total;
    }
}
