package org.panamaverbs.rdmacore.lifecycle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The lock around posts and polls. */
class BriefLockTest {
    private final BriefLock lock = new BriefLock();
    private long plain;
    private long other;

    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    void shouldLetInOneAtATimeWhoSeesWhatTheLastOneWrote(boolean virtual) throws Exception {
        int threads = 6;
        int turns = 20_000;
        AtomicInteger torn = new AtomicInteger();
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            Thread.Builder builder = virtual ? Thread.ofVirtual() : Thread.ofPlatform();
            all.add(builder.start(() -> {
                for (int turn = 0; turn < turns; turn++) {
                    lock.lock();
                    if (turn % 1000 == 0) {
                        // The holder loses its core now and then.
                        Thread.yield();
                    }
                    if (plain != other) {
                        torn.incrementAndGet();
                    }
                    plain++;
                    other++;
                    lock.unlock();
                }
            }));
        }
        for (Thread thread : all) {
            thread.join();
        }
        assertEquals(0, torn.get());
        assertEquals((long) threads * turns, plain);
    }

    @Test
    void shouldBelongToWhoTookItAgainUntilItIsGivenBackAsOften() throws Exception {
        lock.lock();
        lock.lock();
        lock.unlock();
        AtomicBoolean entered = new AtomicBoolean();
        Thread second = Thread.ofPlatform().start(() -> {
            lock.lock();
            entered.set(true);
            lock.unlock();
        });
        assertFalse(second.join(Duration.ofMillis(20)));
        assertFalse(entered.get());
        lock.unlock();
        second.join();
        assertTrue(entered.get());
    }

    @Test
    void shouldWakeAllWhoWaitWhileItIsHeldForLong() throws Exception {
        int threads = 4;
        CountDownLatch done = new CountDownLatch(threads);
        lock.lock();
        for (int i = 0; i < threads; i++) {
            Thread.ofPlatform().start(() -> {
                lock.lock();
                plain++;
                lock.unlock();
                done.countDown();
            });
        }
        assertFalse(done.await(20, TimeUnit.MILLISECONDS));
        lock.unlock();
        done.await();
        lock.lock();
        assertEquals(threads, plain);
        lock.unlock();
    }

    @Test
    void shouldWaitOnWhenInterruptedAndKeepTheInterrupt() throws Exception {
        AtomicBoolean kept = new AtomicBoolean();
        lock.lock();
        Thread second = Thread.ofPlatform().start(() -> {
            lock.lock();
            kept.set(Thread.currentThread().isInterrupted());
            lock.unlock();
        });
        second.interrupt();
        assertFalse(second.join(Duration.ofMillis(20)));
        lock.unlock();
        second.join();
        assertTrue(kept.get());
    }
}
