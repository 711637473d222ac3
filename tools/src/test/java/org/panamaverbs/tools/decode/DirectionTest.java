package org.panamaverbs.tools.decode;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;

/** The bytes of one direction of a connection. */
class DirectionTest {
    private static final int LENGTH = 60_000;

    private final Random random = new Random(1);
    private final Direction direction = new Direction(Limits.USUAL.direction());

    private static TcpSegment segment(int sequence, byte[] payload) {
        return new TcpSegment(null, null, sequence, 0, payload, payload.length);
    }

    private byte[] randomBytes(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    @Test
    void shouldGiveAllBytesInTheirOrderInPiecesOfAnySize() {
        byte[] stream = randomBytes(100 * LENGTH);
        byte[] taken = new byte[stream.length];
        int added = 0;
        int done = 0;
        direction.synchronise(-5);
        while (done < stream.length) {
            int length = Math.min(random.nextInt(LENGTH), stream.length - added);
            byte[] payload = new byte[length];
            System.arraycopy(stream, added, payload, 0, length);
            direction.add(segment(added - 5, payload));
            added += length;
            while (direction.size() > 0 && (added == stream.length || random.nextInt(8) != 0)) {
                int count = 1 + random.nextInt(direction.size());
                assertEquals(done, direction.start());
                System.arraycopy(direction.bytes(0, count), 0, taken, done, count);
                direction.consume(count);
                done += count;
            }
        }
        assertArrayEquals(stream, taken);
    }

    /** A hostile file may have millions of tiny frames behind each other. */
    @Test
    void shouldTakeManySmallPiecesOfMuch() {
        byte[] payload = randomBytes(LENGTH);
        direction.synchronise(0);
        for (int i = 0; i < 40; i++) {
            direction.add(segment(i * LENGTH, payload));
        }
        for (int i = 0; i < 40 * LENGTH; i++) {
            assertEquals(payload[i % LENGTH], direction.get(0));
            direction.consume(1);
        }
        assertEquals(0, direction.size());
    }

    /** Many tiny segments wait; then each long one makes room for itself, however little each of them waits behind. */
    @Test
    void shouldBoundWhatWaitsForMissingSegments() {
        int most = 1 << 18;
        direction.synchronise(0);
        int at = 1;
        for (int i = 0; i < 1000; i++) {
            direction.add(segment(at, new byte[1]));
            at += 2;
        }
        byte[] payload = new byte[LENGTH];
        for (int i = 0; i < 1000 && !direction.isLost(); i++) {
            direction.add(segment(at, payload));
            direction.consume(direction.size());
            at += LENGTH + 1;
            assertTrue(direction.held() <= most + 2L * LENGTH, () -> direction.held() + " bytes wait");
        }
    }
}
