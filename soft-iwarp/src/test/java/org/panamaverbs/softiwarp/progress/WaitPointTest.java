package org.panamaverbs.softiwarp.progress;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** Threads that park, because no loop is there to lead. */
class WaitPointTest {
    private static final EventLoop[] NONE = {};
    private static final int ROUNDS = 100;
    private static final long LONG = 60_000_000_000L;

    private final WaitPoint point = new WaitPoint();
    private final AtomicInteger turn = new AtomicInteger();

    @Test
    void shouldAllocateNothingWhenAThreadParks() throws InterruptedException {
        WaitPoint back = new WaitPoint();
        AtomicLong least = new AtomicLong(Long.MAX_VALUE);
        Thread waiting = Thread.ofPlatform().start(() -> {
            ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
            long self = Thread.currentThread().threadId();
            BooleanSupplier mine = () -> turn.get() % 2 == 1;
            for (int window = 0; window < 100 && least.get() > 0; window++) {
                long before = threads.getThreadAllocatedBytes(self);
                for (int i = 0; i < ROUNDS; i++) {
                    point.await(NONE, mine, LONG);
                    turn.incrementAndGet();
                    back.signal();
                }
                least.set(Math.min(least.get(), threads.getThreadAllocatedBytes(self) - before));
            }
            turn.set(-1000);
            back.signal();
        });
        while (waiting.isAlive() && turn.get() >= 0) {
            // It parks before each signal.
            while (waiting.getState() != Thread.State.TIMED_WAITING && turn.get() >= 0) {
                Thread.onSpinWait();
            }
            if (turn.get() >= 0) {
                turn.incrementAndGet();
                point.signal();
                back.await(NONE, () -> turn.get() % 2 == 0, LONG);
            }
        }
        waiting.join();
        assertEquals(0, least.get(), "bytes in " + ROUNDS + " waits");
    }

    @Test
    void shouldWakeAllThreads() throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        AtomicInteger woken = new AtomicInteger();
        for (int i = 0; i < 8; i++) {
            Runnable wait = () -> {
                for (int round = 1; round <= 1000; round++) {
                    int wanted = round;
                    assertTrue(point.await(NONE, () -> turn.get() >= wanted, LONG));
                }
                woken.incrementAndGet();
            };
            threads.add(i % 2 == 0 ? Thread.startVirtualThread(wait) : Thread.ofPlatform().start(wait));
        }
        for (int round = 1; round <= 1000; round++) {
            turn.set(round);
            point.signal();
            Thread.yield();
        }
        for (Thread each : threads) {
            assertTrue(each.join(Duration.ofSeconds(60)));
        }
        assertEquals(8, woken.get());
    }
}
