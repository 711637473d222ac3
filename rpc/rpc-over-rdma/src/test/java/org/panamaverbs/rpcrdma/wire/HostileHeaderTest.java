package org.panamaverbs.rpcrdma.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.panamaverbs.rpcrdma.wire.HeaderReader.Outcome;
import org.panamaverbs.testing.conformance.Requirement;

/** Headers of every type, cut, changed and made up: each has an outcome, and nothing beyond the message is read. */
class HostileHeaderTest {
    private static final int[] WORDS = { 0, 1, -1, 2, 3, Integer.MIN_VALUE, Integer.MAX_VALUE, 0x1000_0000, 0x2000_0000, 0x4000_0000 };
    private static final long SEED = 8166;

    static List<Vector> vectors() {
        return Vector.all();
    }

    @ParameterizedTest
    @MethodSource("vectors")
    @Requirement("RFC8166-4.5-a")
    void shouldRefuseAHeaderThatIsCutAtAnyByte(Vector vector) {
        boolean sound = Reading.of(vector.message()).outcome() == Outcome.SOUND;
        int procedure = Reading.of(vector.message()).reader().procedure();
        boolean body = procedure != Wire.MSGP && procedure != Wire.DONE;
        for (int length = 0; length < vector.headerLength(); length++) {
            Reading cut = Reading.of(Arrays.copyOf(vector.message(), length));
            if (length < Wire.FIXED_LENGTH) {
                assertEquals(Outcome.DISCARD, cut.outcome(), "cut to " + length + " bytes");
            } else if (sound && body) {
                boolean first = cut.reader().version() == Wire.VERSION_1;
                Outcome expected = first && procedure != Wire.ERROR && length < Wire.SHORTEST_MESSAGE ? Outcome.DISCARD : Outcome.BAD_XDR;
                assertEquals(expected, cut.outcome(), "cut to " + length + " bytes");
            }
        }
    }

    @ParameterizedTest
    @MethodSource("vectors")
    void shouldSurviveAHeaderWithAnyWordReplaced(Vector vector) {
        for (int at = 0; at + 4 <= vector.headerLength(); at += 4) {
            int original = MemorySegment.ofArray(vector.message()).get(Wire.INT, at);
            for (int word : WORDS) {
                replaced(vector, at, word);
            }
            replaced(vector, at, original + 1);
            replaced(vector, at, original - 1);
        }
    }

    private static void replaced(Vector vector, int at, int word) {
        byte[] message = vector.message().clone();
        MemorySegment.ofArray(message).set(Wire.INT, at, word);
        Reading reading = Reading.of(message);
        reading.checkWritten(message);
    }

    @Test
    void shouldFindEveryOutcomeInRandomMessages() {
        SplittableRandom random = new SplittableRandom(SEED);
        HeaderReader reader = new HeaderReader();
        Map<Outcome, Integer> outcomes = new EnumMap<>(Outcome.class);
        for (int run = 0; run < 100_000; run++) {
            byte[] message = randomMessage(random);
            Reading reading = Reading.of(reader, message);
            outcomes.merge(reading.outcome(), 1, Integer::sum);
            reading.checkWritten(message);
        }
        for (Outcome outcome : Outcome.values()) {
            assertTrue(outcomes.getOrDefault(outcome, 0) > 500, () -> "seed " + SEED + ": " + outcomes);
        }
    }

    /** Words that are mostly small, behind fixed fields that are mostly valid. */
    private static byte[] randomMessage(SplittableRandom random) {
        byte[] message = new byte[random.nextInt(120)];
        random.nextBytes(message);
        MemorySegment words = MemorySegment.ofArray(message);
        for (int at = 0; at + 4 <= message.length; at += 4) {
            if (random.nextInt(10) > 0) {
                words.set(Wire.INT, at, random.nextInt(at == 12 ? 11 : at == 4 ? 4 : 3));
            }
        }
        return message;
    }
}
