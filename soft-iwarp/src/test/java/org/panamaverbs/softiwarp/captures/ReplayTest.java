package org.panamaverbs.softiwarp.captures;

import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.panamaverbs.softiwarp.fixtures.Rig;
import org.panamaverbs.softiwarp.fixtures.Segment;
import org.panamaverbs.testing.conformance.Requirement;

/** The bytes that other implementations sent arrive, however TCP chops them. */
class ReplayTest {
    /** Directions longer than this are split in two at 40 places, and at all bytes around the headers and CRCs of four FPDUs. */
    private static final int SHORT = 1024;
    private static final int RANDOM_ROUNDS = 20;

    /** One direction of a capture. */
    private record Direction(Capture capture, boolean toResponder, Rig.Options options, String name) {
        Scene scene() {
            return new Scene(capture, toResponder, options);
        }

        @Override
        public String toString() {
            return name;
        }
    }

    private static Stream<Direction> directions() {
        return Capture.NAMES.stream().flatMap(name -> {
            Capture capture = Capture.read(name);
            return Stream.of(true, false).flatMap(toResponder -> {
                String label = name + (toResponder ? ", to the responder" : ", to the initiator");
                Rig.Options options = Rig.Options.of(capture.hasCrc());
                return Stream.of(new Direction(capture, toResponder, options, label),
                        new Direction(capture, toResponder, options.verifying(), label + ", verified before placed"));
            });
        });
    }

    @ParameterizedTest
    @MethodSource("directions")
    void shouldArriveInOneGo(Direction direction) {
        Scene scene = direction.scene();
        scene.rig().feed(scene.bytes());
        scene.assertArrived();
    }

    @ParameterizedTest
    @MethodSource("directions")
    @Requirement({ "RFC5041-3-e", "RFC5044-5.1-d", "RFC5044-5.2-a", "RFC5044-6-c,d", "RFC5044-A.4-a" })
    void shouldArriveByteByByte(Direction direction) {
        Scene scene = direction.scene();
        byte[] bytes = scene.bytes();
        for (int i = 0; i < bytes.length; i++) {
            scene.rig().feed(bytes, i, i + 1);
        }
        scene.assertArrived();
    }

    @ParameterizedTest
    @MethodSource("directions")
    @Requirement({ "RFC5041-3-e,h", "RFC5044-3-g", "RFC5044-4.3-j,k", "RFC5044-5.1-d", "RFC5044-5.2-a", "RFC5044-6-c,d", "RFC5044-A.4-a" })
    void shouldArriveInTwoPartsSplitAnywhere(Direction direction) {
        Scene first = direction.scene();
        byte[] all = first.bytes();
        int step = all.length <= SHORT ? 1 : all.length / 40;
        for (int split = 1; split < all.length; split += step) {
            inTwoParts(direction, split);
        }
        if (step > 1) {
            List<Segment> segments = first.segments();
            for (Segment segment : List.of(segments.get(0), segments.get(1), segments.get(segments.size() / 2), segments.getLast())) {
                for (int split = (int) segment.at() + 1; split <= segment.payloadAt() + 1 && split < all.length; split++) {
                    inTwoParts(direction, split);
                }
                for (int split = (int) segment.crcAt() - 4; split < segment.end(); split++) {
                    inTwoParts(direction, split);
                }
            }
        }
    }

    private static void inTwoParts(Direction direction, int split) {
        Scene scene = direction.scene();
        byte[] bytes = scene.bytes();
        scene.rig().feed(bytes, 0, split);
        scene.rig().feed(bytes, split, bytes.length);
        try {
            scene.assertArrived();
        } catch (AssertionError e) {
            throw new AssertionError(direction + ", split at " + split, e);
        }
    }

    @Test
    void shouldArriveInRandomParts() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        List<Direction> directions = directions().toList();
        for (int round = 0; round < RANDOM_ROUNDS; round++) {
            for (Direction direction : directions) {
                Scene scene = direction.scene();
                byte[] bytes = scene.bytes();
                int most = 1 << random.nextInt(1, 16);
                for (int at = 0; at < bytes.length;) {
                    int end = Math.min(bytes.length, at + random.nextInt(1, most + 1));
                    scene.rig().feed(bytes, at, end);
                    at = end;
                }
                try {
                    scene.assertArrived();
                } catch (AssertionError e) {
                    throw new AssertionError(direction + ", round " + round + " of seed " + seed, e);
                }
            }
        }
    }
}
