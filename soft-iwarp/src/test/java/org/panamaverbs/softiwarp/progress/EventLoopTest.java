package org.panamaverbs.softiwarp.progress;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.panamaverbs.softiwarp.transport.nio.NioMultiplexer;
import org.panamaverbs.testing.Proofs;
import org.panamaverbs.testing.Warnings;

/** Some thread always leads, and the loop keeps no failures and no cancelled timers. */
final class EventLoopTest {
    private static final int ROUNDS = 101;
    private static final int ATTEMPTS = 20;
    /** Half of the time that the progress thread waits before it looks whether anybody still drives. */
    private static final long MEDIAN_LIMIT_NANOS = 500_000;
    private static final long HOUR_NANOS = TimeUnit.HOURS.toNanos(1);
    /** Of a millisecond each. */
    private static final int WAITS = 400;
    private static final int MANY = 10_000;
    /** Those that the loop does not look at yet. */
    private static final int FEW = 100;

    /** Polling in vain asks the progress thread to step back; if the poller then waits as others do, nobody else leads. */
    @Test
    @Tag(Proofs.TAG)
    void shouldBeLedAtOnceWhereWhoPolledComesToWait() throws InterruptedException {
        long median = Long.MAX_VALUE;
        try (EventLoop loop = new EventLoop(new NioMultiplexer(), "led", 0)) {
            // If nobody leads, no attempt is quick. If the machine is busy, some are slow.
            for (int attempt = 0; attempt < ATTEMPTS && median >= MEDIAN_LIMIT_NANOS; attempt++) {
                median = Math.min(median, median(loop));
            }
        }
        assertTrue(median < MEDIAN_LIMIT_NANOS, "a task took " + median + " ns (median): nobody led until the progress thread looked");
    }

    private static long median(EventLoop loop) throws InterruptedException {
        long[] nanos = new long[ROUNDS];
        for (int i = 0; i < ROUNDS; i++) {
            loop.drive();
            loop.follow();
            CountDownLatch done = new CountDownLatch(1);
            long start = System.nanoTime();
            loop.execute(done::countDown);
            assertTrue(done.await(60, TimeUnit.SECONDS), "nobody runs the task");
            nanos[i] = System.nanoTime() - start;
            loop.unfollow();
        }
        Arrays.sort(nanos);
        return nanos[ROUNDS / 2];
    }

    /** A thread of an event loop waits again and again: the progress thread must not take a processor from it a thousand times a second. */
    @Test
    void shouldWatchRarelyWhileAnotherThreadLeads() {
        try (EventLoop loop = new EventLoop(new NioMultiplexer(), "watching", 0)) {
            long before = 0;
            long start = 0;
            for (int turn = 0; turn < WAITS; turn++) {
                if (turn == WAITS / 4) {
                    before = waits("watching");
                    start = System.nanoTime();
                }
                loop.lead(() -> false, TimeUnit.MILLISECONDS.toNanos(1));
            }
            long waits = waits("watching") - before;
            long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
            assertTrue(waits <= millis / 4, () -> waits + " waits of the progress thread in " + millis + " ms");
        }
    }

    private static long waits(String name) {
        return Arrays.stream(ManagementFactory.getThreadMXBean().dumpAllThreads(false, false))
                .filter(thread -> thread.getThreadName().equals(name)).findFirst().orElseThrow().getWaitedCount();
    }

    /** On a busy machine the progress thread needs the processor on which a waiting thread would spin. */
    @Test
    void shouldLeadOnceTheProgressThreadHasSteppedBack() throws InterruptedException {
        try (EventLoop loop = new EventLoop(new NioMultiplexer(), "slow", 0)) {
            CountDownLatch release = occupy(loop);
            AtomicBoolean led = new AtomicBoolean();
            Thread thread = lead(loop, () -> false, led);
            release.countDown();
            while (thread.isAlive()) {
                loop.execute(() -> {
                    // Its turn ends.
                });
                thread.join(1);
            }
            assertTrue(led.get(), "a thread did not wait until the progress thread stepped back");
        }
    }

    @Test
    void shouldNotAwaitTheProgressThreadIfInterrupted() throws InterruptedException {
        try (EventLoop loop = new EventLoop(new NioMultiplexer(), "slow", 0)) {
            CountDownLatch release = occupy(loop);
            AtomicBoolean led = new AtomicBoolean(true);
            Thread thread = lead(loop, () -> false, led);
            thread.interrupt();
            assertGivesUp(thread, led, release);
        }
    }

    /** The turn of the progress thread may bring what the thread waits for, and go on. */
    @Test
    void shouldNotAwaitTheProgressThreadIfSignalled() throws InterruptedException {
        try (EventLoop loop = new EventLoop(new NioMultiplexer(), "slow", 0)) {
            CountDownLatch release = occupy(loop);
            AtomicBoolean here = new AtomicBoolean();
            AtomicBoolean led = new AtomicBoolean(true);
            Thread thread = lead(loop, here::get, led);
            here.set(true);
            loop.signal();
            assertGivesUp(thread, led, release);
        }
    }

    /** As a queue pair that ends flushes a receive: the thread that waits leads, and a task of its own turn brings the completion. */
    @Test
    void shouldNotSleepOnceATaskOfItsTurnHasSignalled() throws InterruptedException {
        try (EventLoop loop = new EventLoop(new NioMultiplexer(), "signalled", 0)) {
            AtomicBoolean here = new AtomicBoolean();
            Thread thread = Thread.ofPlatform().start(() -> {
                while (!here.get()) {
                    loop.lead(here::get, HOUR_NANOS);
                }
            });
            while (Arrays.stream(thread.getStackTrace()).noneMatch(frame -> frame.getMethodName().equals("select"))) {
                Thread.onSpinWait();
            }
            loop.execute(() -> {
                here.set(true);
                loop.signal();
            });
            assertTrue(thread.join(Duration.ofSeconds(60)), "the thread sleeps although what it waits for is here");
        }
    }

    private static void assertGivesUp(Thread thread, AtomicBoolean led, CountDownLatch release) throws InterruptedException {
        try {
            assertTrue(thread.join(Duration.ofSeconds(60)), "the thread still waits for the progress thread");
            assertFalse(led.get());
        } finally {
            release.countDown();
        }
    }

    /** The progress thread leads until the latch is open. */
    private static CountDownLatch occupy(EventLoop loop) throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        loop.execute(() -> {
            begun.countDown();
            try {
                release.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        begun.await();
        return release;
    }

    /** A thread that wants to lead, and sleeps or has given up. */
    private static Thread lead(EventLoop loop, BooleanSupplier here, AtomicBoolean led) {
        Thread thread = Thread.ofPlatform().start(() -> led.set(loop.lead(here, HOUR_NANOS)));
        while (thread.getState() != Thread.State.TIMED_WAITING && thread.getState() != Thread.State.TERMINATED) {
            Thread.onSpinWait();
        }
        return thread;
    }

    /** Each connection has a timer that is cancelled long before it is due: peers that come and go must not fill the memory. */
    @Test
    void shouldForgetCancelledTimers() throws InterruptedException {
        try (EventLoop loop = new EventLoop(new NioMultiplexer(), "timers", 0)) {
            CountDownLatch due = new CountDownLatch(FEW);
            int[] most = new int[1];
            loop.call(() -> {
                for (int i = 0; i < MANY; i++) {
                    loop.schedule(HOUR_NANOS, () -> {
                        // It is cancelled.
                    }).cancel();
                    if (i % (MANY / FEW) == 0) {
                        loop.schedule(1, due::countDown);
                    }
                    most[0] = Math.max(most[0], loop.timers());
                }
            });
            assertTrue(most[0] <= 4 * FEW, () -> most[0] + " timers wait");
            assertTrue(due.await(60, TimeUnit.SECONDS), "the others run");
        }
    }

    /** A failure whose message cannot be made, as when memory runs out: the loop's thread must live on. */
    @Test
    void shouldLiveOnThoughAFailureCannotBeLogged() throws InterruptedException {
        try (EventLoop loop = new EventLoop(new NioMultiplexer(), "evil", 0); Warnings warnings = new Warnings()) {
            CountDownLatch done = new CountDownLatch(1);
            loop.execute(() -> {
                throw new Unspeakable();
            });
            // No other thread leads meanwhile.
            loop.execute(done::countDown);
            assertTrue(done.await(60, TimeUnit.SECONDS), "the thread of the loop has ended");
            assertTrue(warnings.messages() <= 1);
        }
    }

    /** Cannot be printed. */
    private static final class Unspeakable extends RuntimeException {
        private static final long serialVersionUID = 1;

        @Override
        public String toString() {
            throw new Unspeakable();
        }
    }

    /** If a peer can make something fail, it can make it fail again and again. */
    @Test
    void shouldLogFewFailures() {
        try (EventLoop loop = new EventLoop(new NioMultiplexer(), "failing", 0); Warnings warnings = new Warnings()) {
            for (int i = 0; i < FEW; i++) {
                loop.call(() -> {
                    throw new IllegalStateException("a defect");
                });
            }
            assertTrue(warnings.messages() >= 1 && warnings.messages() <= 10, () -> warnings.messages() + " messages");
        }
    }
}
