package org.panamaverbs.rpcrdma.wire;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.panamaverbs.testing.conformance.Requirement;

/** RFC 8797, 4 and 5. */
class PrivateDataTest {
    private static byte[] bytes(String hex) {
        return HexFormat.of().parseHex(hex.replace(" ", ""));
    }

    @ParameterizedTest
    @CsvSource({ "f6ab0e18 01 00 00 00, false, 1024, 1024", "f6ab0e18 01 01 03 03, true, 4096, 4096",
            "f6ab0e18 01 01 ff 00, true, 262144, 1024", "f6ab0e18 01 00 7f 80, false, 131072, 132096" })
    @Requirement("RFC8797-4-b")
    void shouldReadAndWriteTheSameBytes(String hex, boolean invalidation, int send, int receive) {
        PrivateData data = new PrivateData(invalidation, send, receive);
        assertEquals(Optional.of(data), PrivateData.decode(bytes(hex)));
        assertArrayEquals(bytes(hex), data.encode());
    }

    @ParameterizedTest
    @CsvSource({ "reserved bits are ignored, f6ab0e18 01 ff 03 01, true", "reserved bits are not the flag, f6ab0e18 01 fe 03 01, false",
            "bytes behind are of other layers, f6ab0e18 01 01 03 01 ff ff ff, true",
            "depths of MPA are in front, 00800080 f6ab0e18 01 01 03 01, true", "there is no alignment (5.2), 00 f6ab0e18 01 01 03 01, true",
            "there is no alignment (5.2), f6ab0e f6ab0e18 01 00 03 01, false",
            "an identifier of a strange version is passed over, f6ab0e18 02 01 00 00 f6ab0e18 01 01 03 01, true" })
    @Requirement("RFC8797-4-b")
    void shouldFindTheDataAmongOthers(String why, String hex, boolean invalidation) {
        assertEquals(Optional.of(new PrivateData(invalidation, 4096, 2048)), PrivateData.decode(bytes(hex)), why);
    }

    @ParameterizedTest
    @CsvSource({ "nothing,''", "the identifier alone, f6ab0e18", "a byte short, f6ab0e18 01 01 03", "version 0, f6ab0e18 00 01 03 03",
            "version 2, f6ab0e18 02 01 03 03", "another identifier, f6ab0e19 01 01 03 03", "little-endian, 180eabf6 01 01 03 03",
            "an identifier without room behind it, 00000000 f6ab0e18 01 01 03" })
    @Requirement("RFC8797-5.2-a")
    void shouldFindNothing(String why, String hex) {
        assertEquals(Optional.empty(), PrivateData.decode(bytes(hex)), why);
    }

    @Test
    void shouldSurviveAnyBytes() {
        SplittableRandom random = new SplittableRandom(8797);
        int found = 0;
        for (int run = 0; run < 100_000; run++) {
            byte[] bytes = new byte[random.nextInt(64)];
            random.nextBytes(bytes);
            if (bytes.length > 6 && random.nextBoolean()) {
                System.arraycopy(bytes("f6ab0e18 01"), 0, bytes, random.nextInt(bytes.length - 5), 5);
            }
            found += PrivateData.decode(bytes).isPresent() ? 1 : 0;
        }
        assertTrue(found > 1000, "found " + found);
    }

    @Test
    void shouldReadNothingFromDataThatAreCut() {
        byte[] whole = bytes("00800080 f6ab0e18 01 01 03 01");
        for (int length = 0; length < whole.length; length++) {
            assertEquals(Optional.empty(), PrivateData.decode(Arrays.copyOf(whole, length)), "of " + length + " bytes");
        }
    }

    @ParameterizedTest
    @CsvSource({ "0, 1024", "1023, 1024", "1025, 1024", "263168, 1024", "1024, 0", "1024, 263168", "-1024, 1024" })
    void shouldRefuseSizesThatCannotBeSaid(int send, int receive) {
        assertThrows(IllegalArgumentException.class, () -> new PrivateData(false, send, receive));
    }
}
