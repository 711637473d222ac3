package org.panamaverbs.rpcrdma;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for what another thread does. */
final class Await {
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);

    private Await() {
    }

    static void until(String otherwise, BooleanSupplier condition) {
        long begin = System.nanoTime();
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() - begin < PATIENCE_NANOS, otherwise);
            LockSupport.parkNanos(1_000_000);
        }
    }
}
