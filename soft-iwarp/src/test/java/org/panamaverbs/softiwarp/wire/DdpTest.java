package org.panamaverbs.softiwarp.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.panamaverbs.softiwarp.wire.Bytes.AT;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.panamaverbs.testing.conformance.Requirement;

/** RFC 5041, 4.1 to 4.3, with RDMAP's control fields. */
class DdpTest {
    @Test
    @Requirement("RFC5041-4.2-a")
    void shouldReadAndWriteTheLastSegmentOfAWrite() {
        String wire = "c1 40 12345678 fedcba9876543210";
        MemorySegment in = Bytes.of(wire);
        int control = Ddp.control(in, AT);
        assertTrue(Ddp.isTagged(control) && Ddp.isLast(control));
        assertEquals(Ddp.VERSION, Ddp.version(control));
        assertEquals(Ddp.TAGGED_SIZE, Ddp.size(control));
        assertEquals(0x40, Ddp.ulp(in, AT));
        assertEquals(0x12345678, Ddp.stag(in, AT));
        assertEquals(0xFEDCBA9876543210L, Ddp.taggedOffset(in, AT));
        MemorySegment out = Bytes.blank(Ddp.TAGGED_SIZE);
        Ddp.putTagged(out, AT, true, 0x40, 0x12345678, 0xFEDCBA9876543210L);
        Bytes.assertBytes(wire, out);
    }

    @Test
    void shouldReadAndWriteAMiddleSegmentOfAReadResponse() {
        String wire = "81 42 ffffffff 0000000000000001";
        MemorySegment in = Bytes.of(wire);
        assertFalse(Ddp.isLast(Ddp.control(in, AT)));
        assertEquals(-1, Ddp.stag(in, AT));
        MemorySegment out = Bytes.blank(Ddp.TAGGED_SIZE);
        Ddp.putTagged(out, AT, false, 0x42, -1, 1);
        Bytes.assertBytes(wire, out);
    }

    @Test
    @Requirement("RFC5041-4.3-a")
    void shouldReadAndWriteTheLastSegmentOfASendWithInvalidate() {
        String wire = "41 44 89abcdef 00000000 00000007 00010000";
        MemorySegment in = Bytes.of(wire);
        int control = Ddp.control(in, AT);
        assertTrue(!Ddp.isTagged(control) && Ddp.isLast(control));
        assertEquals(Ddp.UNTAGGED_SIZE, Ddp.size(control));
        assertEquals(0x89ABCDEF, Ddp.ulpWord(in, AT));
        assertEquals(0, Ddp.queueNumber(in, AT));
        assertEquals(7, Ddp.messageSequence(in, AT));
        assertEquals(0x10000, Ddp.messageOffset(in, AT));
        MemorySegment out = Bytes.blank(Ddp.UNTAGGED_SIZE);
        Ddp.putUntagged(out, AT, true, 0x44, 0x89ABCDEF, 0, 7, 0x10000);
        Bytes.assertBytes(wire, out);
    }

    @Test
    void shouldReadAndWriteAMiddleSegmentOfASend() {
        String wire = "01 43 00000000 00000000 ffffffff 80000000";
        MemorySegment out = Bytes.blank(Ddp.UNTAGGED_SIZE);
        Ddp.putUntagged(out, AT, false, 0x43, 0, 0, -1, Integer.MIN_VALUE);
        Bytes.assertBytes(wire, out);
        assertEquals(-1, Ddp.messageSequence(Bytes.of(wire), AT));
    }

    @ParameterizedTest
    @CsvSource({ "c0, 0", "c1, 1", "c2, 2", "c3, 3", "3d, 1" })
    @Requirement("RFC5041-4.1-h")
    void shouldReadTheVersionWithoutTheReservedBits(String control, int version) {
        assertEquals(version, Ddp.version(Ddp.control(Bytes.of(control), AT)));
    }
}
