package org.panamaverbs.softiwarp.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

class StageTest {
    private final Stage stage = new Stage((bytes, alignment) -> Arena.ofAuto().allocate(bytes, alignment), 16, 100, 300);
    private byte next;

    /** The bytes are 0, 1, 2 and so on. */
    private void receive(int count) {
        for (int i = 0; i < count; i++) {
            stage.memory().set(ValueLayout.JAVA_BYTE, stage.tail() + i, next++);
        }
        stage.received(count);
    }

    private void assertBytes(int first, int count) {
        assertEquals(count, stage.filled());
        for (int i = 0; i < count; i++) {
            assertEquals((byte) (first + i), stage.memory().get(ValueLayout.JAVA_BYTE, stage.head() + i));
        }
    }

    @Test
    void shouldGrowToTheSmallestSizeThatFits() {
        receive(10);
        stage.parsed(4);
        stage.makeRoom(17);
        assertBytes(4, 6);
        assertEquals(94, stage.free());
        stage.makeRoom(101);
        assertBytes(4, 6);
        assertEquals(294, stage.free());
    }

    @Test
    void shouldGrowNoFurtherThanItsLongestSize() {
        stage.makeRoom(1000);
        assertEquals(300, stage.free());
        MemorySegment memory = stage.memory();
        receive(200);
        stage.parsed(150);
        stage.makeRoom(1000);
        assertSame(memory, stage.memory());
        assertBytes(150, 50);
        assertEquals(250, stage.free());
    }

    @Test
    void shouldMoveBytesOnlyIfLittleIsFree() {
        receive(7);
        stage.parsed(3);
        stage.makeRoom(8);
        assertEquals(3, stage.head());
        receive(2);
        stage.makeRoom(8);
        assertEquals(0, stage.head());
        assertBytes(3, 6);
    }

    @Test
    void shouldBeginAnewIfAllIsParsed() {
        receive(7);
        stage.parsed(7);
        stage.makeRoom(1);
        assertEquals(16, stage.free());
        receive(2);
        stage.parsed(1);
        stage.compact();
        assertBytes(8, 1);
        assertEquals(15, stage.free());
    }

    @Test
    void shouldSumItsBytesAlsoAfterItHasGrown() {
        receive(9);
        MemorySegment before = stage.memory();
        stage.makeRoom(50);
        assertNotSame(before, stage.memory());
        CRC32C expected = new CRC32C();
        expected.update(new byte[] { 2, 3, 4 });
        CRC32C crc = new CRC32C();
        stage.update(crc, stage.head() + 2, 3);
        assertEquals(expected.getValue(), crc.getValue());
    }
}
