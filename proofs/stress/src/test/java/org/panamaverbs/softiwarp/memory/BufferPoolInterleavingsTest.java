package org.panamaverbs.softiwarp.memory;

import static org.panamaverbs.softiwarp.Interleavings.require;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.junit.jupiter.api.Test;
import org.panamaverbs.softiwarp.Interleavings;

class BufferPoolInterleavingsTest {
    /** A pool, and the buffer that each thread has. */
    private static final class Shared {
        private final int most;
        private final AtomicInteger made = new AtomicInteger();
        private final BufferPool pool;
        private final AtomicReferenceArray<Crc32cView> taken = new AtomicReferenceArray<>(2);

        Shared(int most) {
            this.most = most;
            pool = new BufferPool(this::make, 8, most);
        }

        private MemorySegment make(long size, long alignment) {
            made.incrementAndGet();
            return MemorySegment.ofArray(new byte[(int) size]);
        }

        /** Takes a buffer and gives it back; returns whether there was one. */
        boolean use(int thread) {
            Crc32cView buffer = pool.take();
            if (buffer == null) {
                return false;
            }
            taken.set(thread, buffer);
            require(taken.get(1 - thread) != buffer, "two threads have one buffer");
            taken.set(thread, null);
            pool.giveBack(buffer);
            return true;
        }

        void requireAllBack() {
            require(made.get() <= most, "there are more buffers than allowed");
            Crc32cView last = null;
            for (int i = 0; i < most; i++) {
                Crc32cView buffer = pool.take();
                require(buffer != null, "a buffer is lost");
                require(buffer != last, "a buffer is kept twice");
                last = buffer;
            }
            require(pool.take() == null, "there are more buffers than allowed");
        }
    }

    @Test
    void shouldLendABufferToOneThread() {
        Interleavings.of(() -> new Shared(1)).thread(shared -> shared.use(0)).thread(shared -> shared.use(1)).check(Shared::requireAllBack);
    }

    @Test
    void shouldHaveABufferForEachOfAsManyThreads() {
        Interleavings.of(() -> new Shared(2)).thread(shared -> {
            require(shared.use(0), "a buffer is missing");
            require(shared.use(0), "a buffer is missing");
        }).thread(shared -> require(shared.use(1), "a buffer is missing")).check(Shared::requireAllBack);
    }
}
