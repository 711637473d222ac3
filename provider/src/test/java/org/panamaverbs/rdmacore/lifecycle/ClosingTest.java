package org.panamaverbs.rdmacore.lifecycle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Closing, if it fails or several threads close. */
class ClosingTest {
    private final Closing closing = new Closing();
    private final AtomicInteger firsts = new AtomicInteger();
    private final AtomicInteger lasts = new AtomicInteger();

    private void close() {
        closing.once(firsts::incrementAndGet, lasts::incrementAndGet);
    }

    @Test
    void shouldCloseOnce() {
        close();
        close();
        assertEquals(1, firsts.get());
        assertEquals(1, lasts.get());
    }

    @Test
    void shouldTryAgainIfTheFirstStepsFailed() {
        for (int i = 0; i < 2; i++) {
            assertThrows(IllegalStateException.class, () -> closing.once(() -> {
                throw new IllegalStateException("as a test wants");
            }, lasts::incrementAndGet));
        }
        assertEquals(0, lasts.get(), "it is not closed");
        close();
        assertEquals(1, firsts.get());
        assertEquals(1, lasts.get());
    }

    @Test
    void shouldNotRepeatTheLastStep() {
        assertThrows(IllegalStateException.class, () -> closing.once(firsts::incrementAndGet, () -> {
            lasts.incrementAndGet();
            throw new IllegalStateException("as a test wants");
        }));
        close();
        assertEquals(1, firsts.get());
        assertEquals(1, lasts.get());
    }

    @Test
    void shouldKeepOtherThreadsUntilItIsDone() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        AtomicBoolean done = new AtomicBoolean();
        Thread closer = Thread.ofPlatform().start(() -> closing.once(firsts::incrementAndGet, () -> {
            begun.countDown();
            try {
                goOn.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            done.set(true);
        }));
        assertTrue(begun.await(60, TimeUnit.SECONDS));
        AtomicBoolean sawItDone = new AtomicBoolean();
        Thread other = Thread.ofPlatform().start(() -> {
            close();
            sawItDone.set(done.get() && Thread.currentThread().isInterrupted());
        });
        other.interrupt();
        other.join(50);
        assertTrue(other.isAlive(), "it waits");
        assertFalse(done.get());
        goOn.countDown();
        other.join(60_000);
        closer.join(60_000);
        assertTrue(sawItDone.get());
        assertEquals(0, lasts.get());
    }
}
