package org.panamaverbs.softiwarp.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import org.junit.jupiter.api.Test;

/** The epoll transport where who waits looks for a while before it sleeps: all that holds without, and that it sleeps at last. */
class EpollBusyPollTest extends EpollMultiplexerTest {
    private static final long MILLI = 1_000_000;
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    @Override
    Multiplexer open() {
        return new EpollMultiplexer(5 * MILLI, "");
    }

    @Test
    void shouldSleepWhereLookingIsInVain() {
        long start = System.nanoTime();
        long before = THREADS.getCurrentThreadCpuTime();
        for (int i = 0; i < 100; i++) {
            assertEquals(0, multiplexer.select(10 * MILLI));
        }
        long elapsed = System.nanoTime() - start;
        long used = THREADS.getCurrentThreadCpuTime() - before;
        assertTrue(elapsed >= 1000 * MILLI, elapsed + " ns");
        // It looks the 1st, 3rd, 7th, 15th, 31st and 63rd time: 30 ms, or little more where it is interrupted.
        assertTrue(used < 200 * MILLI, used + " ns of " + elapsed + " were used");
    }

    @Test
    void shouldBeWokenWhileItLooks() throws InterruptedException {
        try (Multiplexer looks = new EpollMultiplexer(60_000 * MILLI, "")) {
            Thread waker = Thread.ofPlatform().start(() -> {
                while (!Thread.currentThread().isInterrupted()) {
                    looks.wakeUp();
                    Thread.onSpinWait();
                }
            });
            for (int i = 0; i < 1000; i++) {
                assertEquals(0, looks.select(-1));
            }
            waker.interrupt();
            waker.join();
        }
    }
}
