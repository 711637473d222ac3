package org.panamaverbs.softiwarp.progress;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.panamaverbs.softiwarp.transport.nio.NioMultiplexer;

/** That somebody always leads. */
final class EventLoopTest {
    private static final int ROUNDS = 101;
    /** Half of the time that the progress thread waits before it looks whether anybody still drives. */
    private static final long MEDIAN_LIMIT_NANOS = 500_000;

    /** Polling in vain asks the progress thread to step back; if the poller then waits as others do, nobody else leads. */
    @Test
    void shouldBeLedAtOnceWhereWhoPolledComesToWait() throws InterruptedException {
        long[] nanos = new long[ROUNDS];
        try (EventLoop loop = new EventLoop(new NioMultiplexer(), "led", 0)) {
            for (int i = 0; i < ROUNDS; i++) {
                loop.drive();
                loop.follow();
                CountDownLatch done = new CountDownLatch(1);
                long start = System.nanoTime();
                loop.execute(done::countDown);
                assertTrue(done.await(10, TimeUnit.SECONDS), "nobody runs the task");
                nanos[i] = System.nanoTime() - start;
                loop.unfollow();
            }
        }
        Arrays.sort(nanos);
        long median = nanos[ROUNDS / 2];
        assertTrue(median < MEDIAN_LIMIT_NANOS, "a task took " + median + " ns (median): nobody led until the progress thread looked");
    }
}
