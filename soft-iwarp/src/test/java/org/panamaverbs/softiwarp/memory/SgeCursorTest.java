package org.panamaverbs.softiwarp.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A cursor over the middle three of five parts of a list, in two regions. */
class SgeCursorTest {
    private static final int LENGTH = 10 + 1 + 20;

    private final Arena arena = Arena.ofAuto();
    private final RegisteredMemory first = new RegisteredMemory(arena.allocate(64), this, 0);
    private final RegisteredMemory second = new RegisteredMemory(arena.allocate(64), this, 0);
    private final SgeCursor cursor = new SgeCursor();
    private final MemorySegment bytes = arena.allocate(LENGTH);
    private final MemorySegment copy = arena.allocate(LENGTH);

    @BeforeEach
    void wrap() {
        SgeList list = new SgeList(5);
        list.set(0, first, 0, 5);
        list.set(1, first, 5, 10);
        list.set(2, second, 30, 1);
        list.set(3, first, 40, 20);
        list.set(4, second, 0, 64);
        for (int i = 0; i < LENGTH; i++) {
            bytes.set(ValueLayout.JAVA_BYTE, i, (byte) (i + 1));
        }
        cursor.wrap(list, 1, 3);
    }

    @ParameterizedTest
    @ValueSource(ints = { 1, 2, 7, 10, 11, LENGTH })
    void shouldCopyInPiecesOfAnyLength(int piece) {
        for (int at = 0; at < LENGTH; at += piece) {
            assertEquals(at, cursor.position());
            assertEquals(LENGTH - at, cursor.remaining());
            assertTrue(cursor.put(bytes, at, Math.min(piece, LENGTH - at)));
        }
        assertEquals(0, cursor.remaining());
        assertEquals(-1, bytes.asSlice(0, 10).mismatch(first.segment().asSlice(5, 10)));
        assertEquals(-1, bytes.asSlice(10, 1).mismatch(second.segment().asSlice(30, 1)));
        assertEquals(-1, bytes.asSlice(11, 20).mismatch(first.segment().asSlice(40, 20)));
        for (RegisteredMemory each : new RegisteredMemory[] { first, second }) {
            assertEquals(0, each.segment().get(ValueLayout.JAVA_BYTE, 4));
            assertEquals(0, each.segment().get(ValueLayout.JAVA_BYTE, 31));
            assertEquals(0, each.segment().get(ValueLayout.JAVA_BYTE, 60));
        }
        wrapAgain();
        for (int at = 0; at < LENGTH; at += piece) {
            assertTrue(cursor.get(copy, at, Math.min(piece, LENGTH - at)));
        }
        assertEquals(-1, bytes.mismatch(copy));
    }

    private void wrapAgain() {
        SgeList other = new SgeList(3);
        other.set(0, first, 5, 10);
        other.set(1, second, 30, 1);
        other.set(2, first, 40, 20);
        cursor.wrap(other, 0, 3);
    }

    @ParameterizedTest
    @ValueSource(ints = { 0, 3, 10, 11, 30 })
    void shouldSumAndDescribeTheNextBytesWithoutPassingThem(int start) {
        assertTrue(cursor.put(bytes, 0, LENGTH));
        wrapAgain();
        cursor.advance(start);
        int length = Math.min(15, LENGTH - start);
        CRC32C sum = new CRC32C();
        assertTrue(cursor.update(sum, length));
        CRC32C expected = new CRC32C();
        expected.update(bytes.asSlice(start, length).asByteBuffer());
        assertEquals(expected.getValue(), sum.getValue());
        IoVector vector = new IoVector(4);
        assertEquals(length, cursor.describe(vector, length));
        assertEquals(length, vector.bytes());
        assertEquals(start, cursor.position());
    }

    @Test
    void shouldDescribeAsManyPartsAsTheVectorTakes() {
        cursor.advance(4);
        assertEquals(6 + 1, cursor.describe(new IoVector(2), 20));
    }

    @Test
    void shouldPassNothingIfAPartIsRetired() {
        cursor.advance(4);
        second.retire();
        assertFalse(cursor.put(bytes, 0, 20));
        assertFalse(cursor.get(copy, 0, 20));
        assertFalse(cursor.update(new CRC32C(), 20));
        assertEquals(4, cursor.position());
        assertTrue(cursor.put(bytes, 0, 6), "the parts before it");
        assertTrue(first.retire(), "every touch has ended");
    }

    @Test
    void shouldPassNothingIfAnArenaIsClosed() {
        Arena brief = Arena.ofShared();
        RegisteredMemory closed = new RegisteredMemory(brief.allocate(8), this, 0);
        cursor.wrap(closed, 0, 8);
        brief.close();
        assertFalse(cursor.put(bytes, 0, 8));
        assertFalse(cursor.get(copy, 0, 8));
        assertFalse(cursor.update(new CRC32C(), 8));
        assertEquals(8, cursor.remaining());
    }

    @Test
    void shouldWrapTheProvidersOwnMemoryAndNothing() {
        assertTrue(cursor.isRegistered());
        cursor.wrap(copy, 3, 7);
        assertFalse(cursor.isRegistered());
        assertTrue(cursor.put(bytes, 0, 7));
        assertEquals(-1, bytes.asSlice(0, 7).mismatch(copy.asSlice(3, 7)));
        cursor.clear();
        assertFalse(cursor.isRegistered());
        assertEquals(0, cursor.remaining());
    }
}
