package org.panamaverbs.softiwarp.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import org.junit.jupiter.api.Test;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;

class InboundReadsTest {
    private final RegisteredMemory memory = new RegisteredMemory(Arena.ofAuto().allocate(64), this, 0);

    @Test
    void shouldAnswerReadsAndAtomicsInTheOrderOfTheRequests() {
        InboundReads reads = new InboundReads(2);
        for (int round = 0; round < 3; round++) {
            assertTrue(reads.add(round, 0x1000, 40, memory, 8));
            assertTrue(reads.addAtomic(2, 77, memory, 16, 1, 2, 3, 4));
            assertFalse(reads.isAtomic());
            assertEquals(round, reads.sinkStag());
            assertEquals(0x1000, reads.sinkOffset());
            assertEquals(40, reads.length());
            assertSame(memory, reads.source());
            assertEquals(8, reads.sourceOffset());
            reads.remove();
            assertTrue(reads.isAtomic());
            assertEquals(2, reads.operation());
            assertEquals(77, reads.identifier());
            assertEquals(16, reads.sourceOffset());
            assertEquals(8, reads.length());
            assertEquals(1, reads.data());
            assertEquals(2, reads.mask());
            assertEquals(3, reads.compareData());
            assertEquals(4, reads.compareMask());
            reads.remove();
            assertEquals(2L * (round + 1), reads.answered());
        }
    }

    @Test
    void shouldRefuseMoreThanTheIrdOfBothTogether() {
        InboundReads reads = new InboundReads(2);
        assertTrue(reads.isEmpty());
        reads.add(1, 2, 0, null, 0);
        reads.addAtomic(0, 1, memory, 0, 1, 0, 0, 0);
        assertTrue(reads.isFull());
        assertFalse(reads.add(1, 2, 0, null, 0));
        assertFalse(reads.addAtomic(0, 2, memory, 0, 1, 0, 0, 0));
        assertNull(reads.source());
        reads.remove();
        assertFalse(reads.isFull());
        assertTrue(reads.add(3, 4, 0, null, 0));
        assertEquals(1, reads.identifier(), "the refused ones left no trace");
    }

    @Test
    void shouldServeNoneIfTheIrdIsZero() {
        InboundReads none = new InboundReads(0);
        assertTrue(none.isEmpty() && none.isFull());
        assertFalse(none.add(1, 2, 0, null, 0));
    }
}
