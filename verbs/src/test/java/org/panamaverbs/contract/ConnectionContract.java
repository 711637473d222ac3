package org.panamaverbs.contract;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.Arrays;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.cm.Connector;

/** The common part of the contracts of connecting. */
abstract class ConnectionContract extends ContractTest {
    static final Duration SHORT = Duration.ofMillis(300);

    final QueuePairAttributes attributes(Side side) {
        return QueuePairAttributes.of(side.queue(256)).withInline(0);
    }

    static ConnectionParameters parameters(Side side) {
        return Dialer.reads(side, 16, 16);
    }

    final Connector connector() {
        return closeLater(client.connections().connector(listener().address(), LIMIT));
    }

    /** If the transport is not iWARP, private data comes padded with zeros. */
    final void assertPrivateData(byte[] expected, byte[] actual) {
        if (client.isIwarp() && server.isIwarp()) {
            assertArrayEquals(expected, actual);
        } else {
            assertArrayEquals(expected, Arrays.copyOf(actual, expected.length));
            assertArrayEquals(new byte[actual.length - expected.length], Arrays.copyOfRange(actual, expected.length, actual.length));
        }
    }

    static byte[] bytes(int length, long seed) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = Pattern.at(seed, i);
        }
        return bytes;
    }

    static void assertElapsed(long start, Duration least) {
        Duration elapsed = Duration.ofNanos(System.nanoTime() - start);
        // Clocks of the system's waits are coarser than ours.
        assertTrue(elapsed.plusMillis(20).compareTo(least) >= 0, () -> "gave up after " + elapsed + " already");
        assertTrue(elapsed.compareTo(LIMIT) < 0, () -> "gave up after " + elapsed + " only");
    }
}
