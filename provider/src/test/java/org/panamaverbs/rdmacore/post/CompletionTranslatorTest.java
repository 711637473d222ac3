package org.panamaverbs.rdmacore.post;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.panamaverbs.rdmacore.ffi.NeedsLibraries;
import org.panamaverbs.rdmacore.queue.CompletionSink;
import org.panamaverbs.rdmacore.queue.KeptCompletion;
import org.panamaverbs.rdmacore.queue.WorkRing;
import org.panamaverbs.spi.CompletionBuffer;

class CompletionTranslatorTest implements NeedsLibraries {
    private static final int REQUESTS = 20_000;

    private final WorkRing ring = new WorkRing(Arena.ofAuto(), 64, 0, 1, 128);
    private final CompletionBuffer polled = new CompletionBuffer(1);
    private final CompletionTranslator translator = new CompletionTranslator(ring, none(WorkOwner.class), null, new Sink(), true);
    private final AtomicBoolean ended = new AtomicBoolean();
    private int late;

    CompletionTranslatorTest() {
        polled.makeNative();
    }

    private final class Sink implements CompletionSink {
        @Override
        public void addLate(KeptCompletion completion) {
            late++;
        }

        @Override
        public void drainForRoom() {
            throw new AssertionError("nothing is drained");
        }

        @Override
        public void onStalled() {
            throw new AssertionError("nothing is submitted");
        }

        @Override
        public void flush(WorkRing flushed, boolean isSend, int queuePairNumber, Object attachment) {
            throw new AssertionError("nothing is flushed");
        }
    }

    /** One that answers {@code null}. */
    private static <T> T none(Class<T> type) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type }, (proxy, method, arguments) -> null));
    }

    @AfterEach
    void endPosting() {
        ended.set(true);
    }

    private void post() {
        while (!ended.get() && ring.posted() != REQUESTS) {
            if (ring.hasRoom()) {
                int sequence = ring.begin(0, true, true);
                ring.publish(sequence);
                ring.submittedThrough(sequence + 1);
            }
        }
    }

    /** Whether the program gets the completion now. */
    private boolean report(int sequence) {
        while (ring.posted() - sequence <= 0) {
            Thread.onSpinWait();
        }
        assertTrue(ring.isOutstanding(sequence), () -> "request " + sequence + " is called done before the device reported it");
        polled.memory().set(ValueLayout.JAVA_INT, CompletionBuffer.STATUS, 0);
        return translator.translate(sequence, polled.memory().address(), polled, 0);
    }

    /** As siw does: of a Read and a Write after it, the Write is reported first. */
    @Test
    void shouldLoseNoRequestThatIsPostedWhileALateCompletionIsReleased() {
        Thread.ofPlatform().daemon().start(this::post);
        for (int read = 0; read < REQUESTS; read += 2) {
            assertFalse(report(read + 1), "it waits for the Read");
            assertTrue(report(read));
            assertEquals(read / 2 + 1, late, "the Write completes after the Read");
        }
        assertTrue(ring.isEmpty());
    }
}
