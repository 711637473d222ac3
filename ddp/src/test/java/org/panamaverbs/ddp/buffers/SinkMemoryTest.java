package org.panamaverbs.ddp.buffers;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.panamaverbs.ddp.ddpp.Ddpp;

class SinkMemoryTest {
    /** The arena of a socket gives nothing back before the socket is closed. */
    @Test
    void shouldTakeLittleMoreThanItsLongestMessageHoweverLengthsGrow() {
        long[] taken = new long[1];
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment all = arena.allocate(2L * Ddpp.MOST_LENGTH);
            SinkMemory memory = new SinkMemory(size -> {
                taken[0] += size;
                return all.asSlice(0, size);
            });
            for (int length = 1; length <= Ddpp.MOST_LENGTH; length += 1000) {
                assertTrue(memory.take(length).byteSize() >= length);
            }
            assertTrue(memory.take(Ddpp.MOST_LENGTH).byteSize() >= Ddpp.MOST_LENGTH);
        }
        assertTrue(taken[0] <= 2L * Ddpp.MOST_LENGTH, taken[0] + " bytes");
    }
}
