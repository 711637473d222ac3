package org.panamaverbs.testing;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

/**
 * Virtual threads of a program on all carriers: no other virtual thread gets on. As if they computed, they never leave their carriers, but
 * they take no processor from other tests.
 */
public final class BusyCarriers {
    private BusyCarriers() {
    }

    /** A thread that waits while it initializes a class keeps its carrier. */
    private static final class Pinned {
        static {
            stay();
        }

        private Pinned() {
        }

        private static void stay() {
            while (true) {
                LockSupport.park();
            }
        }

        static void begin() {
            // The initialization has not ended.
        }
    }

    /** Occupies the only carrier of a JVM with {@link ChildJvm#ONE_CARRIER}. */
    public static void occupy() throws InterruptedException {
        CountDownLatch mounted = new CountDownLatch(1);
        Thread.startVirtualThread(() -> {
            mounted.countDown();
            Pinned.begin();
        });
        mounted.await();
    }
}
