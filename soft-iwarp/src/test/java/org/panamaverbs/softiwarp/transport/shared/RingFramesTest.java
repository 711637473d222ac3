package org.panamaverbs.softiwarp.transport.shared;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.panamaverbs.softiwarp.memory.IoVector;

/** The bytes and words that pass between two processors for small messages. docs/performance.md has these counts in its table. */
class RingFramesTest {
    private static final int MESSAGES = 10_000;
    /** The FPDU of a Send of 64 bytes: 2 of the length, 18 of the header, 4 of the CRC's field. */
    private static final int FPDU = 88;
    private static final int FRAME = 96;

    @Test
    void shouldMoveTheLinesOfAMessageAndSeldomThatOfTheReader() {
        try (Arena arena = Arena.ofShared()) {
            RingMemory rings = new RingMemory(arena.allocate(RingMemory.size(RingMemory.CAPACITY), RingMemory.CONTROLS),
                    RingMemory.CAPACITY);
            RingWriter writer = new RingWriter(rings, 0, () -> fail("nobody sleeps"));
            RingReader reader = new RingReader(rings, 0, () -> fail("nobody waits"));
            MemorySegment message = arena.allocate(FPDU);
            IoVector vector = new IoVector(1);
            long published = 0;
            long position = 0;
            for (int i = 1; i <= MESSAGES; i++) {
                vector.clear();
                vector.add(message, 0, FPDU);
                assertEquals(FPDU, writer.write(vector));
                assertEquals((long) i * FRAME, writer.written());
                assertEquals(FPDU, reader.read(vector));
                long read = (long) RingMemory.POSITION.getVolatile(rings.memory(), RingMemory.READ);
                published += read == position ? 0 : 1;
                position = read;
            }
            assertEquals((long) MESSAGES * FRAME / (64 << 10), published);
        }
    }
}
