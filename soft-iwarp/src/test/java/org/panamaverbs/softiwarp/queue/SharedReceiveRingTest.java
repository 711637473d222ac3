package org.panamaverbs.softiwarp.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;
import org.panamaverbs.softiwarp.memory.SgeCursor;

class SharedReceiveRingTest {
    private final Arena arena = Arena.ofAuto();
    private final CompletionRing completions = new CompletionRing(4, () -> {
    });
    private final SharedReceiveRing ring = new SharedReceiveRing(1, 2, () -> {
    });

    private RegisteredMemory post(long id) {
        RegisteredMemory memory = new RegisteredMemory(arena.allocate(8), this, 0);
        long sequence = ring.claim(id);
        ring.element(sequence, memory, 0, 3);
        ring.element(sequence, memory, 4, 4);
        ring.publish(sequence);
        return memory;
    }

    @Test
    void shouldKeepTheMemoryOfAReceiveWhoseSlotIsPostedAgain() {
        Receives one = ring.forStream(completions, Origin.of(1));
        Receives other = ring.forStream(completions, Origin.of(2));
        SgeCursor first = new SgeCursor();
        SgeCursor second = new SgeCursor();
        RegisteredMemory taken = post(1);
        RegisteredMemory next = null;
        assertTrue(one.take(first));
        assertFalse(other.take(second), "there was one only");
        // The ring has two slots: the third receive gets that of the first.
        for (int id = 2; id <= 3; id++) {
            next = post(id);
            assertTrue(other.take(second));
            assertTrue(other.complete(CompletionStatus.SUCCESS, 0, 0, false, false, 0));
        }
        MemorySegment bytes = arena.allocateFrom(ValueLayout.JAVA_BYTE, new byte[] { 1, 2, 3, 4, 5, 6, 7 });
        assertTrue(first.put(bytes, 0, 7));
        assertEquals(0x07060504_00030201L, taken.segment().get(ValueLayout.JAVA_LONG, 0));
        assertEquals(0, next.segment().get(ValueLayout.JAVA_LONG, 0));
    }

    /** A ring of four receives, of which one stream may hold two. */
    private final class Limited {
        private final List<Integer> refused = new ArrayList<>();
        private final SharedReceiveRing ring = new SharedReceiveRing(4, 1, 2, () -> {
        }, refused::add);
        private final Receives one = ring.forStream(completions, Origin.of(1));
        private final Receives other = ring.forStream(completions, Origin.of(2));
        private final SgeCursor cursor = new SgeCursor();

        void post(int count) {
            for (int i = 0; i < count; i++) {
                ring.publish(ring.claim(i));
            }
        }

        void take(Receives by, int count) {
            for (int i = 0; i < count; i++) {
                assertTrue(by.take(cursor), "receive " + i);
            }
        }
    }

    @Test
    void shouldRefuseAStreamThatHoldsItsShare() {
        Limited limited = new Limited();
        limited.post(4);
        limited.take(limited.one, 2);
        assertFalse(limited.one.take(limited.cursor));
        assertEquals(List.of(1), limited.refused);
        limited.take(limited.other, 2);
        assertFalse(limited.other.take(limited.cursor), "the ring is empty");
        assertEquals(List.of(1), limited.refused, "an empty ring is nobody's excess");
    }

    /** The program replaces the oldest receives that are out. */
    @Test
    void shouldGiveReceivesBackInTheOrderTaken() {
        Limited limited = new Limited();
        limited.post(4);
        limited.take(limited.one, 2);
        limited.take(limited.other, 2);
        limited.post(2);
        assertFalse(limited.other.take(limited.cursor), "these are the other stream's");
        limited.take(limited.one, 2);
        assertFalse(limited.one.take(limited.cursor));
        limited.post(2);
        limited.take(limited.other, 2);
    }

    @Test
    void shouldServeAStreamForAsLongAsItsReceivesAreReplaced() {
        Limited limited = new Limited();
        limited.post(3);
        for (int i = 0; i < 100; i++) {
            limited.take(limited.one, 2);
            limited.post(2);
        }
        // The program posts more than before: the ring's content grows, and nothing counts as given back for it.
        limited.take(limited.one, 2);
        limited.post(3);
        limited.take(limited.one, 2);
        assertFalse(limited.one.take(limited.cursor));
    }

    /** The share counts from what the program posts, not from what the ring could hold. */
    @Test
    void shouldServeAStreamInARingThatIsNeverFull() {
        Limited limited = new Limited();
        for (int i = 0; i < 100; i++) {
            limited.post(1);
            limited.take(limited.one, 1);
        }
    }

    @Test
    void shouldNotKeepTheReceivesOfAStreamThatIsGone() {
        Limited limited = new Limited();
        limited.post(4);
        limited.take(limited.one, 2);
        Receives next = limited.ring.forStream(completions, Origin.of(3));
        limited.take(next, 2);
        limited.post(4);
        limited.take(next, 2);
        limited.take(limited.other, 2);
    }
}
