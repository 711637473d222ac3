package org.panamaverbs.softiwarp.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.panamaverbs.softiwarp.wire.Bytes.AT;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.panamaverbs.testing.conformance.Requirement;

/** RFC 5040, 4.8, and siw's reading of it. */
class TerminateTest {
    @Test
    @Requirement("RFC5040-4.8-b")
    void shouldWriteTheFormOfTheRfc() {
        MemorySegment out = Bytes.blank(6);
        Terminate.put(out, AT, TerminateCode.UNTAGGED_NO_BUFFER, Terminate.SEGMENT_LENGTH | Terminate.DDP_HEADER);
        Terminate.segmentLength(out, AT, 0x1234);
        Bytes.assertBytes("12 02 c0 00 1234", out);
        assertEquals(AT + 6, Terminate.ddpHeaderAt(AT));
    }

    @Test
    void shouldWriteAllHeaderBits() {
        MemorySegment out = Bytes.blank(4);
        Terminate.put(out, AT, TerminateCode.RDMA_INVALID_STAG, Terminate.SEGMENT_LENGTH | Terminate.DDP_HEADER | Terminate.RDMA_HEADER);
        Bytes.assertBytes("01 00 e0 00", out);
    }

    @Test
    void shouldHaveRoomForEverything() {
        assertEquals(4 + 2 + 18 + 28, Terminate.MAXIMUM_SIZE);
    }

    /** RFC 5040, figure 8: layer, type, code, then M, D, R as the upper bits of the third byte. */
    @ParameterizedTest
    @CsvSource({ "12 34 c0 00, 1234", "12 02 c0 00, 1202", "11 01 c0 00, 1101", "01 00 e0 00, 0100", "02 06 c0 00, 0206",
            "20 02 00 00, 2002", "00 00 00 00, 0000", "10 00 00 00, 1000", "21 34 80 00, 2134" })
    void shouldReadTheFormOfTheRfc(String wire, String error) {
        assertEquals(Integer.parseInt(error, 16), Terminate.error(Bytes.of(wire), AT));
    }

    /** siw on little-endian machines: type and layer swapped, M, D, R as the lower bits of the third byte. */
    @ParameterizedTest
    @CsvSource({ "21 34 03 00, 1234", "21 02 03 00, 1202", "11 00 03 00, 1100", "10 02 07 00, 0102", "20 ff 03 00, 02ff" })
    void shouldReadTheFormOfSiw(String wire, String error) {
        assertEquals(Integer.parseInt(error, 16), Terminate.error(Bytes.of(wire), AT));
    }

    /** Without M, D and R, siw's form shows only if the RFC's reading is no error that there is: CRC mismatch, version, unspecified. */
    @ParameterizedTest
    @CsvSource({ "02 02 00 00, 2002", "02 03 00 00, 2003", "21 06 00 00, 1206", "00 ff 00 00, 00ff", "11 04 00 00, 1104" })
    void shouldReadTheFormOfSiwWithoutHeaders(String wire, String error) {
        assertEquals(Integer.parseInt(error, 16), Terminate.error(Bytes.of(wire), AT));
    }

    /** If both readings are errors that there are, the RFC's counts. */
    @ParameterizedTest
    @CsvSource({ "20 05 00 00, 2005", "20 06 00 00, 2006", "02 05 00 00, 0205", "02 07 00 00, 0207" })
    void shouldPreferTheFormOfTheRfc(String wire, String error) {
        assertEquals(Integer.parseInt(error, 16), Terminate.error(Bytes.of(wire), AT));
    }

    @Test
    @Requirement("RFC5040-4.8-g")
    void shouldIgnoreTheReservedBits() {
        assertEquals(0x1202, Terminate.error(Bytes.of("12 02 df ff"), AT));
    }
}
