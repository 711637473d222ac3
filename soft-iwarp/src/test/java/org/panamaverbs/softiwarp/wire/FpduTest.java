package org.panamaverbs.softiwarp.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.panamaverbs.softiwarp.wire.Bytes.AT;

import java.lang.foreign.MemorySegment;
import java.util.HexFormat;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.panamaverbs.testing.conformance.Requirement;

/** RFC 5044, 4.1 and 4.4. */
class FpduTest {
    @ParameterizedTest
    @CsvSource({ "0000, 0", "0001, 1", "00ff, 255", "0100, 256", "8000, 32768", "ffff, 65535" })
    void shouldReadAndWriteTheLengthBigEndian(String hex, int length) {
        assertEquals(length, Fpdu.length(Bytes.of(hex), AT));
        MemorySegment out = Bytes.blank(2);
        Fpdu.length(out, AT, length);
        Bytes.assertBytes(hex, out);
    }

    @ParameterizedTest
    @CsvSource({ "0, 2, 8", "1, 1, 8", "2, 0, 8", "3, 3, 12", "34, 0, 40", "46, 0, 52", "65533, 1, 65540", "65535, 3, 65544" })
    @Requirement("RFC5044-4.1-a")
    void shouldPadLengthAndUlpduToAMultipleOfFour(int ulpdu, int pad, int size) {
        assertEquals(pad, Fpdu.pad(ulpdu));
        assertEquals(size, Fpdu.size(ulpdu));
    }

    @ParameterizedTest
    @CsvSource({ "00, aa36918a", "ff, 43aba862" })
    @Requirement("RFC5044-4.4-i")
    void shouldHaveTheCrcOf32EqualBytes(String fill, String wire) {
        // RFC 3720, B.4; of the zeros also seen between two siw drivers.
        assertCrc(fill.repeat(32), wire);
    }

    @Test
    @Requirement("RFC5044-4.4-i")
    void shouldHaveTheCrcOf32IncrementingBytes() {
        assertCrc("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f", "4e79dd46");
    }

    @Test
    void shouldHaveTheCrcOf32DecrementingBytes() {
        assertCrc("1f1e1d1c1b1a191817161514131211100f0e0d0c0b0a09080706050403020100", "5cdb3f11");
    }

    private static void assertCrc(String covered, String wire) {
        CRC32C crc = new CRC32C();
        crc.update(HexFormat.of().parseHex(covered));
        MemorySegment out = Bytes.blank(4);
        Fpdu.crc(out, AT, (int) crc.getValue());
        Bytes.assertBytes(wire, out);
        assertEquals((int) crc.getValue(), Fpdu.crc(Bytes.of(wire), AT));
    }
}
