package org.panamaverbs.device;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.panamaverbs.Verbs;

class QueuePairAddressTest {
    private static final GlobalIdentifier GID = new GlobalIdentifier(0xFE80_0000_0000_0000L, 0x0102_0304_0506_0708L);
    private static final QueuePairAddress ADDRESS = new QueuePairAddress(0x123456, 0xABCDEF, 0xCAFEBABE, GID, 0x1234, 1024, 16);
    private static final byte[] ENCODED = HexFormat.of()
            .parseHex("0001" + "1234" + "00123456" + "00abcdef" + "cafebabe" + "fe800000000000000102030405060708" + "0400" + "0010");

    private static String refused(int at, int value) {
        byte[] encoded = ENCODED.clone();
        ByteBuffer.wrap(encoded).putShort(at, (short) value);
        return assertThrows(IllegalArgumentException.class, () -> QueuePairAddress.decode(encoded)).getMessage();
    }

    private static String refused(int number, int sequence, GlobalIdentifier identifier, int local, int mtu, int reads) {
        return assertThrows(IllegalArgumentException.class, () -> new QueuePairAddress(number, sequence, 0, identifier, local, mtu, reads))
                .getMessage();
    }

    @Test
    void shouldEncodeInNetworkByteOrder() {
        assertEquals(QueuePairAddress.ENCODED_LENGTH, ENCODED.length);
        assertArrayEquals(ENCODED, ADDRESS.encode());
        byte[] message = new byte[50];
        ADDRESS.encode(MemorySegment.ofArray(message), 7);
        assertArrayEquals(ENCODED, Arrays.copyOfRange(message, 7, 7 + ENCODED.length));
        assertThrows(IndexOutOfBoundsException.class, () -> ADDRESS.encode(MemorySegment.ofArray(message), 15));
    }

    @Test
    void shouldDecodeWhatItEncoded() {
        assertEquals(ADDRESS, QueuePairAddress.decode(ENCODED));
        assertEquals(ADDRESS, QueuePairAddress.decode(Arrays.copyOf(ENCODED, 56)));
        QueuePairAddress last = new QueuePairAddress(0xFFFFFE, 0xFFFFFF, -1, new GlobalIdentifier(0, 0), 0xBFFF, 4096, 255);
        assertEquals(last, QueuePairAddress.decode(last.encode()));
    }

    @Test
    void shouldRefuseAMessageThatIsTooShort() {
        for (int length = 0; length < ENCODED.length; length++) {
            byte[] shorter = Arrays.copyOf(ENCODED, length);
            assertThrows(IndexOutOfBoundsException.class, () -> QueuePairAddress.decode(shorter), "of " + length + " bytes");
        }
        for (long offset : new long[] { -1, 1, Long.MAX_VALUE, Long.MIN_VALUE }) {
            assertThrows(IndexOutOfBoundsException.class, () -> QueuePairAddress.decode(MemorySegment.ofArray(ENCODED), offset));
        }
    }

    @Test
    void shouldRefuseWhatNoQueuePairHas() {
        assertTrue(refused(0, 2).contains("version 1, not 2"));
        assertTrue(refused(2, 0xC000).contains("0 to 49151, not 49152"));
        assertTrue(refused(4, 0x0112).contains("2 to 16777214"));
        assertTrue(refused(8, 0x0100).contains("sequence number"));
        assertTrue(refused(16, 0xFF02).contains("multicast"));
        assertTrue(refused(32, 0x0401).contains("not 1025"));
        assertTrue(refused(34, 256).contains("0 to 255, not 256"));
    }

    @Test
    void shouldRefuseEachValueOutOfItsRange() {
        for (int number : new int[] { Integer.MIN_VALUE, -1, 0, 1, 0xFFFFFF, 0x1000000, Integer.MAX_VALUE }) {
            assertTrue(refused(number, 0, GID, 0, 1024, 0).contains("not " + number));
        }
        assertTrue(refused(2, -1, GID, 0, 1024, 0).contains("not -1"));
        assertTrue(refused(2, 0x1000000, GID, 0, 1024, 0).contains("not 16777216"));
        for (int mtu : new int[] { 0, 128, 255, 257, 3072, 8192, -4096 }) {
            assertTrue(refused(2, 0, GID, 0, mtu, 0).contains("not " + mtu));
        }
        assertTrue(refused(2, 0, new GlobalIdentifier(0, 0), 0, 1024, 0).contains("neither a GID nor a LID"));
    }

    @Test
    void shouldTakeNoBytesForAnAddressThatEncodesOtherwise() {
        Random random = new Random(7);
        for (int i = 0; i < 100_000; i++) {
            byte[] bytes = ENCODED.clone();
            for (int flips = 1 + random.nextInt(3); flips > 0; flips--) {
                bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
            }
            try {
                assertArrayEquals(bytes, QueuePairAddress.decode(bytes).encode());
            } catch (IllegalArgumentException expected) {
                // No queue pair can have it.
            }
        }
    }

    @Test
    void shouldChangeOneThingOfThePathAndKeepTheRest() {
        Duration first = Duration.ofMillis(7);
        Duration second = Duration.ofMillis(8);
        PathAttributes path = PathAttributes.defaults().withMtu(512).withReads(1, 2).withRetries(3, first, 4, second).withServiceLevel(5)
                .withHopLimit(6).withTrafficClass(7).withFlowLabel(8);
        assertEquals(path,
                path.withMtu(256).withMtu(512).withReads(9, 9).withReads(1, 2).withServiceLevel(9).withServiceLevel(5).withHopLimit(9)
                        .withHopLimit(6).withTrafficClass(9).withTrafficClass(7).withFlowLabel(9).withFlowLabel(8)
                        .withRetries(3, first, 4, second));
        assertEquals(List.of(512, 1, 2, 3, 4, 5, 6, 7, 8), List.of(path.mtu(), path.inboundReads(), path.outboundReads(), path.retries(),
                path.receiverNotReadyRetries(), path.serviceLevel(), path.hopLimit(), path.trafficClass(), path.flowLabel()));
        assertEquals(List.of(first, second), List.of(path.acknowledgementTimeout(), path.receiverNotReadyDelay()));
    }

    @Test
    void shouldChangeOneThingOfTheWayAndKeepTheRest() {
        AddressVector way = AddressVector.to(1, 2, GID).withLocalIdentifier(3).withServiceLevel(4).withHopLimit(5).withTrafficClass(6)
                .withFlowLabel(7);
        assertEquals(way, way.withLocalIdentifier(9).withLocalIdentifier(3).withServiceLevel(9).withServiceLevel(4).withHopLimit(9)
                .withHopLimit(5).withTrafficClass(9).withTrafficClass(6).withFlowLabel(9).withFlowLabel(7));
        assertEquals(List.of(1, 2, 3, 4, 5, 6, 7), List.of(way.port(), way.sourceIndex(), way.localIdentifier(), way.serviceLevel(),
                way.hopLimit(), way.trafficClass(), way.flowLabel()));
        assertThrows(IllegalArgumentException.class, () -> way.withFlowLabel(0x10_0000));
        assertEquals(GID, way.destination());
    }

    @Test
    void shouldCheckThePath() {
        PathAttributes path = PathAttributes.defaults();
        assertEquals(2048, path.withMtu(2048).mtu());
        assertThrows(IllegalArgumentException.class, () -> path.withMtu(1500));
        assertThrows(IllegalArgumentException.class, () -> path.withReads(-2, 0));
        assertThrows(IllegalArgumentException.class, () -> path.withReads(0, 256));
        assertThrows(IllegalArgumentException.class, () -> path.withServiceLevel(16));
        assertThrows(IllegalArgumentException.class, () -> path.withHopLimit(0));
        assertThrows(IllegalArgumentException.class, () -> path.withTrafficClass(256));
        assertThrows(IllegalArgumentException.class, () -> path.withFlowLabel(-1));
        assertThrows(IllegalArgumentException.class, () -> path.withFlowLabel(0x10_0000));
        Duration moment = Duration.ofMillis(1);
        assertEquals(Verbs.FOREVER, path.withRetries(1, Verbs.FOREVER, 1, moment).acknowledgementTimeout());
        assertThrows(IllegalArgumentException.class, () -> path.withRetries(8, moment, 1, moment));
        assertThrows(IllegalArgumentException.class, () -> path.withRetries(1, Duration.ZERO, 1, moment));
        assertThrows(IllegalArgumentException.class, () -> path.withRetries(1, Duration.ofHours(3), 1, moment));
        assertThrows(IllegalArgumentException.class, () -> path.withRetries(1, moment, -1, moment));
        assertThrows(IllegalArgumentException.class, () -> path.withRetries(1, moment, 1, Duration.ofMillis(656)));
        assertThrows(IllegalArgumentException.class, () -> path.withRetries(1, moment, 1, Verbs.FOREVER));
    }
}
