package org.panamaverbs.softiwarp.captures;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.softiwarp.fixtures.Forge;
import org.panamaverbs.softiwarp.fixtures.Rig;
import org.panamaverbs.softiwarp.fixtures.Segment;
import org.panamaverbs.softiwarp.qp.StreamState;
import org.panamaverbs.softiwarp.wire.Fpdu;
import org.panamaverbs.softiwarp.wire.TerminateCode;

/** Captured streams with bytes changed, dropped and doubled: whatever comes, there is an outcome, and nothing beside the regions is written. */
class FuzzTest {
    private static final int ROUNDS = 2000;
    private static final int MOST_CHANGES = 6;
    private static final int[] EDGES = { 0x00, 0x01, 0x3F, 0x40, 0x7F, 0x80, 0xC0, 0xFE, 0xFF };
    private static final Set<CompletionStatus> OUTCOMES = EnumSet.of(CompletionStatus.SUCCESS, CompletionStatus.FLUSHED,
            CompletionStatus.LOCAL_LENGTH_ERROR, CompletionStatus.REMOTE_ACCESS_ERROR);

    private final List<Capture> captures = Capture.NAMES.stream().map(Capture::read).toList();

    @Test
    void shouldComeToAnOutcomeWhateverArrives() {
        long seed = System.nanoTime();
        int refused = 0;
        int round = 0;
        try {
            for (; round < ROUNDS; round++) {
                refused += play(new Random(seed + round)) ? 1 : 0;
            }
        } catch (RuntimeException | Error e) {
            throw new AssertionError("round of seed " + (seed + round), e);
        }
        assertTrue(refused > ROUNDS / 2 && refused < ROUNDS, refused + " of " + ROUNDS + " were refused, first seed " + seed);
    }

    /** One mutation of one direction; {@code true} if the stream refused it. */
    private boolean play(Random random) {
        Capture capture = captures.get(random.nextInt(captures.size()));
        Rig.Options options = new Rig.Options(capture.hasCrc(), random.nextInt(4) == 0, random.nextInt(1, 4), 4);
        Scene scene = new Scene(capture, random.nextBoolean(), options);
        byte[] bytes = mutate(scene, capture.hasCrc() && random.nextInt(4) != 0, random);
        int most = 1 << random.nextInt(2, 17);
        for (int at = 0; at < bytes.length;) {
            int end = Math.min(bytes.length, at + random.nextInt(1, most + 1));
            scene.rig().feed(bytes, at, end);
            at = end;
        }
        StreamState state = scene.rig().stream().state();
        int code = scene.rig().errorCode();
        boolean refused = state != StreamState.RTS;
        if (refused) {
            assertTrue(state == StreamState.ERROR || state == StreamState.TERMINATING, state::toString);
            assertNotEquals(TerminateCode.NONE, code);
            if (!scene.rig().isErrorFromPeer()) {
                Segment last = scene.rig().sent().getLast();
                assertEquals(0x47, last.ulp(), "a Terminate is the last word");
                assertTrue(!TerminateCode.describe(code).contains("unnamed"), TerminateCode.describe(code));
            }
        }
        scene.rig().end();
        scene.assertConsistent(OUTCOMES);
        return refused;
    }

    /** Changes a few bytes; with {@code sealed} the CRCs fit afterwards, so that what they cover is looked at. */
    private static byte[] mutate(Scene scene, boolean sealed, Random random) {
        byte[] bytes = scene.bytes();
        List<Segment> segments = scene.segments();
        for (int changes = random.nextInt(1, MOST_CHANGES); changes > 0; changes--) {
            Segment segment = segments.get(random.nextInt(segments.size()));
            int start = (int) segment.at();
            int header = (int) (segment.payloadAt() - segment.at()) + (segment.ulp() == 0x41 ? 28 : 0);
            int end = (int) segment.end();
            switch (random.nextInt(10)) {
                case 0 -> set(bytes, random.nextInt(bytes.length), 1 << random.nextInt(8), true);
                case 1 -> set(bytes, random.nextInt(bytes.length), random.nextInt(256), false);
                case 2, 3 -> set(bytes, start + random.nextInt(header), 1 << random.nextInt(8), true);
                case 4, 5 -> set(bytes, start + random.nextInt(header), EDGES[random.nextInt(EDGES.length)], false);
                case 6 -> bytes = splice(bytes, start, end, bytes, start, start);
                case 7 -> bytes = splice(bytes, end, end, bytes, start, end);
                case 8 -> {
                    int from = random.nextInt(bytes.length);
                    bytes = splice(bytes, from, Math.min(bytes.length, from + random.nextInt(8)), bytes, 0, 0);
                }
                default -> {
                    byte[] noise = new byte[random.nextInt(1, 64)];
                    random.nextBytes(noise);
                    int from = random.nextInt(bytes.length);
                    bytes = splice(bytes, from, from, noise, 0, noise.length);
                }
            }
        }
        if (sealed) {
            seal(bytes);
        }
        return bytes;
    }

    private static void set(byte[] bytes, int at, int value, boolean flip) {
        if (at < bytes.length) {
            bytes[at] = (byte) (flip ? bytes[at] ^ value : value);
        }
    }

    /** Replaces a part by one of other bytes. */
    private static byte[] splice(byte[] bytes, int from, int to, byte[] other, int otherFrom, int otherTo) {
        int start = Math.min(from, bytes.length);
        int end = Math.min(to, bytes.length);
        byte[] part = otherFrom >= other.length ? new byte[0] : Arrays.copyOfRange(other, otherFrom, Math.min(otherTo, other.length));
        byte[] result = Forge.join(Arrays.copyOf(bytes, start), part, Arrays.copyOfRange(bytes, end, bytes.length));
        return result.length == 0 ? bytes : result;
    }

    private static void seal(byte[] bytes) {
        MemorySegment all = MemorySegment.ofArray(bytes);
        long at = 0;
        while (at + Fpdu.LENGTH_SIZE <= bytes.length) {
            int length = Fpdu.length(all, at);
            if (Fpdu.size(length) > bytes.length - at) {
                return;
            }
            Segment segment = new Segment(all, at);
            Fpdu.crc(all, segment.crcAt(), segment.computedCrc());
            at = segment.end();
        }
    }
}
