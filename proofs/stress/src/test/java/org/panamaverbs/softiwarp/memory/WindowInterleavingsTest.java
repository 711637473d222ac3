package org.panamaverbs.softiwarp.memory;

import static org.panamaverbs.softiwarp.Interleavings.require;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.panamaverbs.softiwarp.Interleavings;

class WindowInterleavingsTest {
    /** A window that is bound to a region. Its owner changes the memory as soon as it has ended the binding. */
    private static final class Bound {
        private static final Object DOMAIN = "domain";
        private static final Object QUEUE_PAIR = "queue pair";
        private final StagTable<RegisteredMemory> table = new StagTable<>(() -> 0x300, 4);
        private final RegisteredMemory region = new RegisteredMemory(MemorySegment.ofArray(new byte[8]), DOMAIN, 0, 0, null);
        private final Window window = Window.allocate(table, DOMAIN, true);
        private final int first = window.next();
        private volatile boolean ended;
        private volatile boolean boundAgain;
        private volatile boolean freed;

        Bound() {
            window.bind(first, region, 0, 8, 0, QUEUE_PAIR);
            window.bindingEnded();
        }

        /** A message of the peer that names a key: the payload comes some time after the check. */
        void place(int stag) {
            RegisteredMemory memory = table.find(stag);
            if (memory == null || memory.check(DOMAIN, QUEUE_PAIR, stag, 0, 0, 8) != Fault.NONE) {
                return;
            }
            if (memory.enter()) {
                boolean freedBefore = freed;
                boolean endedBefore = ended;
                // Another thread may go on here.
                boolean freedMeanwhile = freed;
                boolean endedMeanwhile = ended;
                memory.exit();
                require(!freedBefore && !freedMeanwhile, "a thread is inside memory that is deregistered");
                require(!endedBefore && !endedMeanwhile, "a thread places by a key that has ended");
            }
        }

        void invalidate() {
            RegisteredMemory memory = table.find(first);
            if (memory != null && memory.isInvalidatedBy(QUEUE_PAIR)) {
                memory.retire();
            }
            ended = true;
        }

        void bindAgain() {
            int stag = window.next();
            boundAgain = window.bind(stag, region, 0, 8, 0, QUEUE_PAIR);
            window.bindingEnded();
        }

        /** The peer invalidates a key; its own thread has held what it found. */
        boolean invalidateByPeer(int stag) {
            RegisteredMemory memory = table.find(stag);
            return memory != null && memory.hold(stag) && memory.isInvalidatedBy(QUEUE_PAIR) && memory.retire();
        }

        void deregister() {
            region.retire();
            freed = true;
        }

        void requireOldKeyGone() {
            RegisteredMemory memory = table.find(first);
            require(memory == null || memory.check(DOMAIN, QUEUE_PAIR, first, 0, 0, 8) != Fault.NONE, "the old key is valid");
        }

        void requireBoundAgain() {
            requireOldKeyGone();
            require(boundAgain, "it is not bound");
            int stag = window.stag();
            require(table.find(stag) != null && table.find(stag).check(DOMAIN, QUEUE_PAIR, stag, 0, 0, 8) == Fault.NONE,
                    "the new key is not valid");
        }

        void requireDeregistered() {
            RegisteredMemory memory = table.find(window.stag());
            require(memory == null || !memory.enter(), "a binding outlives its region");
        }
    }

    @Test
    void shouldPlaceNothingByAKeyThatWasInvalidated() {
        Interleavings.of(Bound::new).thread(Bound::invalidate).thread(bound -> bound.place(bound.first)).check(Bound::requireOldKeyGone);
    }

    @Test
    void shouldPlaceNothingByTheOldKeyOfAWindowThatIsBoundAgain() {
        Interleavings.of(Bound::new).thread(bound -> {
            bound.invalidate();
            bound.bindAgain();
        }).thread(bound -> bound.place(bound.first)).check(Bound::requireBoundAgain);
    }

    @Test
    void shouldKeepTheNewBindingWhenThePeerInvalidatesTheOldKeyToo() {
        Interleavings.of(Bound::new).thread(bound -> {
            bound.invalidate();
            bound.bindAgain();
        }).thread(bound -> bound.invalidateByPeer(bound.first)).check(Bound::requireBoundAgain);
    }

    @Test
    void shouldEndABindingThatIsMadeWhileItsRegionIsDeregistered() {
        Interleavings.of(Bound::new).thread(bound -> {
            bound.invalidate();
            bound.bindAgain();
        }).thread(Bound::deregister).check(Bound::requireDeregistered);
    }

    @Test
    void shouldTouchNothingOnceTheRegionIsDeregistered() {
        Interleavings.of(Bound::new).thread(Bound::deregister).thread(bound -> bound.place(bound.first)).check(Bound::requireDeregistered);
    }
}
