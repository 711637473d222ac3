package org.panamaverbs.ddp;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/** The open file descriptors of this process. */
final class Descriptors {
    private static final long PATIENCE_NANOS = 60_000_000_000L;

    private Descriptors() {
    }

    static long open() {
        return ((UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getOpenFileDescriptorCount();
    }

    /** Waits until no more descriptors are open than once before. */
    static void awaitAtMost(long count) {
        long begin = System.nanoTime();
        while (open() > count) {
            assertTrue(System.nanoTime() - begin < PATIENCE_NANOS, () -> open() + " descriptors are open, " + count + " before");
            Thread.onSpinWait();
        }
    }
}
