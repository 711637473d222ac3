package org.panamaverbs.softiwarp.memory;

import static org.panamaverbs.softiwarp.Interleavings.require;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.panamaverbs.softiwarp.Interleavings;

class RegisteredMemoryInterleavingsTest {
    /** Memory that its owner frees as soon as it is retired. */
    private static final class Owned {
        private final RegisteredMemory memory = new RegisteredMemory(MemorySegment.ofArray(new byte[8]), "domain", 0);
        private final AtomicInteger firstRetirements = new AtomicInteger();
        private volatile boolean freed;

        void use() {
            if (memory.enter()) {
                boolean freedBefore = freed;
                // Another thread may go on here.
                boolean freedMeanwhile = freed;
                memory.exit();
                require(!freedBefore, "a thread enters memory that is retired");
                require(!freedMeanwhile, "memory is retired while a thread is inside");
            }
        }

        void retire() {
            if (memory.retire()) {
                firstRetirements.incrementAndGet();
            }
            freed = true;
        }

        void requireRetired() {
            require(firstRetirements.get() == 1, "not one of the retirements says that it is the first");
            require(memory.isRetired(), "it is not retired");
            require(!memory.enter(), "a thread enters memory that is retired");
            require(!memory.retire(), "it is retired a second time");
        }
    }

    @Test
    void shouldBeUntouchedOnceItIsRetired() {
        Interleavings.of(Owned::new).thread(Owned::retire).thread(Owned::use).thread(Owned::use).check(Owned::requireRetired);
    }

    @Test
    void shouldBeUntouchedOnceAnyOfTwoRetirementsReturns() {
        Interleavings.of(Owned::new).thread(Owned::retire).thread(Owned::use).thread(Owned::retire).check(Owned::requireRetired);
    }

    @Test
    void shouldBeEnteredAgainUntilItIsRetired() {
        Interleavings.of(Owned::new).thread(Owned::retire).thread(owned -> {
            owned.use();
            owned.use();
        }).check(Owned::requireRetired);
    }
}
