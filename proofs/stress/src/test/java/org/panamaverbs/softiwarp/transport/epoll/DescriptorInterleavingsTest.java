package org.panamaverbs.softiwarp.transport.epoll;

import static org.panamaverbs.softiwarp.Interleavings.require;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.panamaverbs.softiwarp.Interleavings;

class DescriptorInterleavingsTest {
    /** A descriptor that stands for no file, and counts how often it is closed. */
    private static final class Counted extends Descriptor {
        private final AtomicInteger uses = new AtomicInteger();
        private final AtomicInteger closes = new AtomicInteger();
        private final AtomicInteger firstCloses = new AtomicInteger();

        Counted() {
            super(-1);
        }

        @Override
        protected void closeNow() {
            require(uses.get() == 0, "it is closed while a thread uses it");
            closes.incrementAndGet();
        }

        void use() {
            if (acquire()) {
                uses.incrementAndGet();
                require(closes.get() == 0, "a thread uses it after it was closed");
                uses.decrementAndGet();
                release();
            }
        }

        void end() {
            if (close()) {
                firstCloses.incrementAndGet();
            }
            require(!acquire(), "a thread uses it after it was closed");
        }

        void requireClosed() {
            require(closes.get() > 0, "it is not closed");
            require(closes.get() < 2, "it is closed twice");
            require(firstCloses.get() == 1, "not one of the closes says that it is the first");
            require(isClosed(), "it is not closed");
        }
    }

    @Test
    void shouldBeClosedOnceAndNotWhileItIsUsed() {
        Interleavings.of(Counted::new).thread(Counted::end).thread(Counted::use).thread(Counted::use).check(Counted::requireClosed);
    }

    @Test
    void shouldBeClosedOnceByTwo() {
        Interleavings.of(Counted::new).thread(Counted::end).thread(Counted::use).thread(Counted::end).check(Counted::requireClosed);
    }

    @Test
    void shouldBeUsedAgainUntilItIsClosed() {
        Interleavings.of(Counted::new).thread(Counted::end).thread(descriptor -> {
            descriptor.use();
            descriptor.use();
        }).check(Counted::requireClosed);
    }
}
