package org.panamaverbs.ddp.ddpp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.panamaverbs.softiwarp.wire.Bytes.AT;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.panamaverbs.softiwarp.wire.Bytes;

/** The header of the mappings, octet by octet. */
class DdppTest {
    @Test
    void shouldReadAndWriteADecoratedMessageWithNotification() {
        String wire = "01 01 0000 92345678 89abcdef fedcba9876543210";
        MemorySegment in = Bytes.of(wire);
        assertEquals(Ddpp.VERSION, Ddpp.version(in, AT));
        assertEquals(Ddpp.DECORATED, Ddpp.kind(in, AT));
        assertFalse(Ddpp.isOrdered(in, AT));
        assertTrue(Ddpp.isNotifying(in, AT));
        assertEquals(0x12345678, Ddpp.identifier(in, AT));
        assertEquals(0x89ABCDEF, Ddpp.stag(in, AT));
        assertEquals(0xFEDCBA9876543210L, Ddpp.offset(in, AT));
        MemorySegment out = Bytes.blank(Ddpp.DECORATED_SIZE);
        Ddpp.putStart(out, AT, Ddpp.DECORATED);
        Ddpp.putDecoration(out, AT, true, 0x12345678, 0x89ABCDEF, 0xFEDCBA9876543210L);
        Bytes.assertBytes(wire, out);
    }

    @Test
    void shouldKeepAllBitsOfTheIdentifierApartFromTheNotifyFlag() {
        String wire = "01 81 ffff 7fffffff 00000000 0000000000000000";
        MemorySegment in = Bytes.of(wire);
        assertFalse(Ddpp.isNotifying(in, AT));
        assertEquals(Ddpp.MOST_IDENTIFIER, Ddpp.identifier(in, AT));
        assertTrue(Ddpp.isOrdered(in, AT));
        assertEquals(65_535, Ddpp.sequence(in, AT));
        MemorySegment out = Bytes.blank(Ddpp.DECORATED_SIZE);
        Ddpp.putOrderedStart(out, AT, Ddpp.DECORATED, -1);
        Ddpp.putDecoration(out, AT, false, -1, 0, 0);
        Bytes.assertBytes(wire, out);
    }

    @Test
    void shouldReadAndWriteAnOrderedUndecoratedMessage() {
        String wire = "01 82 8001";
        MemorySegment in = Bytes.of(wire);
        assertEquals(Ddpp.UNDECORATED, Ddpp.kind(in, AT));
        assertEquals(0x8001, Ddpp.sequence(in, AT));
        MemorySegment out = Bytes.blank(Ddpp.UNDECORATED_SIZE);
        Ddpp.putOrderedStart(out, AT, Ddpp.UNDECORATED, 0x18001);
        Bytes.assertBytes(wire, out);
    }

    @ParameterizedTest
    @CsvSource({ "0, 0", "1, 20", "2, 4", "3, 0", "127, 0" })
    void shouldKnowTwoKinds(int kind, int size) {
        assertEquals(size, Ddpp.size(kind));
    }

    @Test
    void shouldBeginAStreamWithDdpp1() {
        MemorySegment out = Bytes.blank(Ddpp.PREAMBLE_SIZE);
        Ddpp.putPreamble(out, AT);
        Bytes.assertBytes("44 44 50 50 2f 31 0d 0a", out);
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < Ddpp.PREAMBLE_SIZE; i++) {
            text.append((char) Ddpp.preamble(i));
        }
        assertEquals("DDPP/1\r\n", text.toString());
    }

    @ParameterizedTest
    @CsvSource({ "00000003, false", "00000004, true", "01000000, true", "01000001, false", "ffffffff, false", "80000000, false",
            "00000000, false" })
    void shouldTakeLengthsOf4To16777216(String wire, boolean good) {
        MemorySegment in = Bytes.of(wire);
        int length = Ddpp.length(in, AT);
        assertEquals(good, Ddpp.isLength(length));
        MemorySegment out = Bytes.blank(Ddpp.LENGTH_SIZE);
        Ddpp.putLength(out, AT, length);
        Bytes.assertBytes(wire, out);
    }
}
