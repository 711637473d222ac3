package org.panamaverbs.softiwarp.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class IoVectorTest {
    private static final int PARTS = 10;
    private static final int LENGTH = PARTS * (PARTS + 1) / 2;

    private final Arena arena = Arena.ofAuto();
    private final RegisteredMemory even = new RegisteredMemory(arena.allocate(100), this, 0);
    private final MemorySegment odd = arena.allocate(100);

    /** Parts of 1 to 10 bytes, by turns of registered memory and our own. */
    private IoVector vector() {
        IoVector vector = new IoVector(PARTS);
        for (int i = 0; i < PARTS; i++) {
            assertEquals(PARTS - i, vector.room());
            assertTrue(i % 2 == 0 ? vector.add(even, 10 * i, i + 1) : vector.add(odd, 10 * i, i + 1));
        }
        assertFalse(vector.add(odd, 0, 1), "it is full");
        assertEquals(LENGTH, vector.bytes());
        return vector;
    }

    /** Asserts that a vector is the bytes [from, to) of {@link #vector()}. */
    private void assertParts(IoVector vector, long from, long to) {
        assertEquals(to - from, vector.bytes());
        int index = 0;
        long start = 0;
        for (int i = 0; i < PARTS; i++) {
            long begin = Math.max(from, start);
            long end = Math.min(to, start + i + 1);
            if (begin < end) {
                MemorySegment segment = i % 2 == 0 ? even.segment() : odd;
                assertSame(segment, vector.segment(index));
                assertEquals(10 * i + begin - start, vector.offset(index));
                assertEquals(end - begin, vector.length(index));
                index++;
            }
            start += i + 1;
        }
        assertEquals(index, vector.size());
    }

    @Test
    void shouldLoseBytesFromEitherEnd() {
        for (int first = 0; first <= LENGTH; first++) {
            IoVector vector = vector();
            vector.consume(first);
            assertParts(vector, first, LENGTH);
            int last = first + (LENGTH - first) / 2;
            vector.truncate(last - first);
            assertParts(vector, first, last);
        }
    }

    @Test
    void shouldMergeAPartThatContinuesTheOneBefore() {
        IoVector vector = new IoVector(2);
        assertTrue(vector.add(even, 0, 10));
        assertTrue(vector.add(even, 10, 5));
        assertEquals(1, vector.size());
        assertEquals(15, vector.length(0));
        assertTrue(vector.add(even, 16, 1));
        assertTrue(vector.add(even, 17, 0), "nothing takes no room");
        assertTrue(vector.add(even, 17, 2));
        assertEquals(2, vector.size());
        assertFalse(vector.add(even.segment(), 19, 1), "the same memory, but not entered");
        assertEquals(18, vector.bytes());
    }

    @ParameterizedTest
    @ValueSource(ints = { 1, 3, 7, LENGTH })
    void shouldCopyAsMuchAsBothHave(int piece) {
        for (int i = 0; i < 100; i++) {
            even.segment().set(ValueLayout.JAVA_BYTE, i, (byte) i);
            odd.set(ValueLayout.JAVA_BYTE, i, (byte) i);
        }
        MemorySegment copy = arena.allocate(2 * LENGTH);
        IoVector pieces = new IoVector(LENGTH);
        for (int at = 0; at < LENGTH; at += piece) {
            assertTrue(pieces.add(copy, 2 * at, Math.min(piece, LENGTH - at)));
        }
        IoVector more = vector();
        assertEquals(LENGTH, more.copyTo(pieces));
        pieces.truncate(LENGTH - 1);
        assertEquals(LENGTH - 1, more.copyTo(pieces));
        int at = 0;
        for (int i = 0; i < PARTS; i++) {
            for (int j = 0; j <= i; j++) {
                assertEquals(10 * i + j, copy.get(ValueLayout.JAVA_BYTE, at / piece * 2 * piece + at % piece), "byte " + at);
                at++;
            }
        }
    }

    @Test
    void shouldCopyAsFarAsMemoryCanBeUsed() {
        Arena brief = Arena.ofShared();
        IoVector from = new IoVector(2);
        from.add(odd, 0, 5);
        from.add(brief.allocate(5), 0, 5);
        IoVector into = new IoVector(2);
        into.add(arena.allocate(3), 0, 3);
        into.add(arena.allocate(10).asReadOnly(), 0, 10);
        assertEquals(3, from.copyTo(into));
        into.clear();
        into.add(arena.allocate(10), 0, 10);
        brief.close();
        assertEquals(5, from.copyTo(into));
        assertFalse(from.copyTo(arena.allocate(10)));
    }

    @Test
    void shouldEnterAllOrNothing() {
        RegisteredMemory other = new RegisteredMemory(arena.allocate(8), this, 0);
        IoVector vector = new IoVector(4);
        vector.add(even, 0, 1);
        vector.add(odd, 0, 1);
        vector.add(even, 2, 1);
        vector.add(other, 0, 8);
        assertTrue(vector.enter());
        vector.exit();
        other.retire();
        assertFalse(vector.enter());
        assertTrue(even.retire(), "it was left");
    }
}
