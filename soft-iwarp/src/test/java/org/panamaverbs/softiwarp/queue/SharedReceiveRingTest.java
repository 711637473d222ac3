package org.panamaverbs.softiwarp.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;
import org.panamaverbs.softiwarp.memory.SgeCursor;
import org.panamaverbs.spi.CompletionBuffer;

class SharedReceiveRingTest {
    private final Arena arena = Arena.ofAuto();
    private final CompletionRing completions = new CompletionRing(arena.allocate(4 * CompletionBuffer.SIZE, 8), 4, () -> {
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
}
