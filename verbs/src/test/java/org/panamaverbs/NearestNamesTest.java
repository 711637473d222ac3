package org.panamaverbs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class NearestNamesTest {
    private static final NearestNames NAMES = new NearestNames('.',
            List.of("provider", "device", "rdmacore.busy-poll", "softiwarp.busy-poll", "softiwarp.capture", "softiwarp.capture-size",
                    "softiwarp.capture-snaplen", "softiwarp.crc", "softiwarp.fpdu", "softiwarp.transport"));

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            softiwarp.crcs           | softiwarp.crc
            softiwarp.CRC            | softiwarp.crc
            softiwarp.trasnport      | softiwarp.transport
            softiwarp.capture.size   | softiwarp.capture-size
            softiwarp.capture_size   | softiwarp.capture-size
            soft-iwarp.crc           | softiwarp.crc
            transport                | softiwarp.transport
            rdmacore.transport       | softiwarp.transport
            devices                  | device
            busy-poll                | rdmacore.busy-poll or softiwarp.busy-poll
            softiwarp.busypoll       | softiwarp.busy-poll or rdmacore.busy-poll""")
    void shouldAskForTheNamesThatAMisspeltOneResembles(String name, String nearest) {
        assertEquals("; did you mean " + nearest + "?", NAMES.question("", name));
    }

    /** The last two belong to a provider that is not there. */
    @ParameterizedTest
    @CsvSource({ "nonesuch", "softiwarp.nonsense", "softiwarp.size", "other.busy-poll", "other.crc" })
    void shouldNotAskForANameThatHasNothingInCommon(String name) {
        assertEquals("", NAMES.question("", name));
    }

    @Test
    void shouldAskForThreeNamesAtMost() {
        assertEquals("; did you mean x.aa or x.ab or x.ac?",
                new NearestNames('.', List.of("ad", "ac", "ab", "aa", "ae")).question("x.", "a"));
    }

    @ParameterizedTest
    @CsvSource({ "abc, abc, 0", "abc, ab, 1", "abc, abcd, 1", "abc, axc, 1", "abc, acb, 1", "abc, '', 3", "abc, xyz, 3", "ABC, abc, 0" })
    void shouldCountInsertionsDeletionsReplacementsAndSwaps(String a, String b, int distance) {
        assertEquals(distance, NearestNames.distance(a, b));
        assertEquals(distance, NearestNames.distance(b, a));
    }
}
