package org.panamaverbs.softiwarp.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.panamaverbs.softiwarp.wire.Bytes.AT;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.panamaverbs.testing.conformance.Requirement;

/** RFC 7306, 5.2.1 (figures 4 and 5) and 5.2.2 (figure 6). */
class AtomicRequestTest {
    private static final String WIRE = "00000002 01020304 0a0b0c0d 1112131415161718 2122232425262728 3132333435363738 4142434445464748"
            + " 5152535455565758";

    @Test
    void shouldReadAndWriteFigure4() {
        MemorySegment in = Bytes.of(WIRE);
        assertEquals(AtomicRequest.COMPARE_SWAP, AtomicRequest.operation(in, AT));
        assertEquals(0x01020304, AtomicRequest.identifier(in, AT));
        assertEquals(0x0A0B0C0D, AtomicRequest.stag(in, AT));
        assertEquals(0x1112131415161718L, AtomicRequest.offset(in, AT));
        assertEquals(0x2122232425262728L, AtomicRequest.data(in, AT));
        assertEquals(0x3132333435363738L, AtomicRequest.mask(in, AT));
        assertEquals(0x4142434445464748L, AtomicRequest.compareData(in, AT));
        assertEquals(0x5152535455565758L, AtomicRequest.compareMask(in, AT));
        MemorySegment out = Bytes.blank(AtomicRequest.SIZE);
        AtomicRequest.put(out, AT, AtomicRequest.COMPARE_SWAP, 0x01020304, 0x0A0B0C0D, 0x1112131415161718L, 0x2122232425262728L,
                0x3132333435363738L, 0x4142434445464748L, 0x5152535455565758L);
        Bytes.assertBytes(WIRE, out);
    }

    @Test
    void shouldIgnoreTheReservedBits() {
        assertEquals(AtomicRequest.FETCH_ADD, AtomicRequest.operation(Bytes.of("fffffff0" + "00".repeat(48)), AT));
    }

    @Test
    @Requirement("RFC7306-5.2.1-a")
    void shouldKnowTheOperationsOfFigure5() {
        for (int operation = 0; operation < 16; operation++) {
            assertEquals(operation == 0 || operation == 2, AtomicRequest.isDefined(operation));
        }
    }

    @Test
    void shouldReadAndWriteFigure6() {
        String wire = "01020304 f112131415161718";
        assertEquals(0x01020304, AtomicResponse.identifier(Bytes.of(wire), AT));
        assertEquals(0xF112131415161718L, AtomicResponse.value(Bytes.of(wire), AT));
        MemorySegment out = Bytes.blank(AtomicResponse.SIZE);
        AtomicResponse.put(out, AT, 0x01020304, 0xF112131415161718L);
        Bytes.assertBytes(wire, out);
    }

    @Test
    void shouldFindTheDdpHeaderInBothFormsOfATerminate() {
        assertTrue(Terminate.hasDdpHeader(Bytes.of("0206c000"), AT));
        assertTrue(Terminate.hasDdpHeader(Bytes.of("20060300"), AT));
        assertFalse(Terminate.hasDdpHeader(Bytes.of("02060000"), AT));
    }
}
