package org.panamaverbs.ddp.ddpp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.panamaverbs.ddp.ddpp.Datagrams.count;
import static org.panamaverbs.ddp.ddpp.Datagrams.decorated;
import static org.panamaverbs.ddp.ddpp.Datagrams.undecorated;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;

/** Hostile and unfortunate datagrams: each is dropped whole, for one reason that is counted. */
class DatagramReceiverTest {
    private static final int STAG = 5;

    private final Datagrams datagrams = new Datagrams();

    private void assertNothingDone(Drop reason) {
        assertEquals(List.of(), datagrams.client.deliveries);
        assertEquals(Map.of(reason, 1), datagrams.tally.drops);
        assertEquals(0, datagrams.tally.messages);
    }

    @ParameterizedTest
    @ValueSource(ints = { 0, 2, 3, 127, 128, 255 })
    void shouldDropAnotherVersion(int version) {
        datagrams.client.register(STAG, 0, 8);
        byte[] message = decorated(true, 1, STAG, 0, count(8));
        message[0] = (byte) version;
        assertEquals(Drop.MALFORMED, datagrams.receive(message));
        assertNothingDone(Drop.MALFORMED);
    }

    @ParameterizedTest
    @ValueSource(ints = { 0, 3, 0x41, 0x7F, 0x80, 0x83, 0xFF })
    void shouldDropAnotherKind(int kind) {
        datagrams.client.register(STAG, 0, 8);
        datagrams.client.post(100);
        byte[] message = decorated(true, 1, STAG, 0, count(8));
        message[1] = (byte) kind;
        assertEquals(Drop.MALFORMED, datagrams.receive(message));
        assertNothingDone(Drop.MALFORMED);
    }

    @Test
    void shouldDropADecoratedMessageWithoutPayloadAndWithoutN() {
        datagrams.client.register(STAG, 0, 8);
        assertEquals(Drop.MALFORMED, datagrams.receive(decorated(false, 1, STAG, 0)));
        assertNothingDone(Drop.MALFORMED);
    }

    @Test
    void shouldIgnoreTheSequenceNumberWithoutTheOrderedBit() {
        datagrams.client.register(STAG, 0, 8);
        for (int sequence : new int[] { 5, 4, 0xFFFF, 5 }) {
            byte[] message = decorated(true, 1, STAG, 0, count(8));
            message[2] = (byte) (sequence >> 8);
            message[3] = (byte) sequence;
            assertEquals(Drop.NONE, datagrams.receive(message));
        }
    }

    @Test
    void shouldDropAMessageThatWrapsAround() {
        datagrams.client.register(STAG, -4, 4);
        assertEquals(Drop.OUT_OF_BOUNDS, datagrams.receive(decorated(true, 1, STAG, -4, count(5))));
        assertNothingDone(Drop.OUT_OF_BOUNDS);
    }

    @Test
    void shouldDropAnUndecoratedMessageWithoutReceive() {
        assertEquals(Drop.WITHOUT_RECEIVE, datagrams.receive(undecorated(count(1))));
        assertNothingDone(Drop.WITHOUT_RECEIVE);
    }

    @Test
    void shouldDropAnUndecoratedMessageThatIsTooLongAndKeepTheReceive() {
        RegisteredMemory receive = datagrams.client.post(4);
        assertEquals(Drop.TOO_LONG, datagrams.receive(undecorated(count(5))));
        assertNothingDone(Drop.TOO_LONG);
        assertEquals(List.of("too long"), datagrams.client.faults);
        assertArrayEquals(new byte[4], Datagrams.content(receive.segment()));
        assertEquals(Drop.NONE, datagrams.receive(undecorated(count(4))));
        assertArrayEquals(count(4), Datagrams.content(receive.segment()));
    }

    @Test
    void shouldDropAMessageWhoseMemoryCannotBeUsed() {
        datagrams.client.register(STAG, 0, Arena.ofAuto().allocate(8)).retire();
        assertEquals(Drop.REFUSED_BY_BUFFER, datagrams.receive(decorated(true, 1, STAG, 0, count(8))));
        assertNothingDone(Drop.REFUSED_BY_BUFFER);
        assertEquals(List.of("bad tagged memory"), datagrams.client.faults);
        datagrams.client.post(8).retire();
        assertEquals(Drop.REFUSED_BY_BUFFER, datagrams.receive(undecorated(count(8))));
        assertEquals(List.of("bad tagged memory", "bad untagged memory"), datagrams.client.faults);
    }

    @Test
    void shouldNotIndicateWhatABufferRefused() {
        datagrams.client.register(STAG, 0, 8);
        datagrams.client.refuses = true;
        assertEquals(Drop.REFUSED_BY_BUFFER, datagrams.receive(decorated(true, 1, STAG, 0, count(8))));
        assertNothingDone(Drop.REFUSED_BY_BUFFER);
    }

    /** As a transport does that reads a header first, and then has the system put the payload into its place. */
    @Test
    void shouldLetATransportPutThePayloadStraightIntoItsPlace() {
        TestClient client = new TestClient();
        Tally tally = new Tally();
        DatagramReceiver receiver = new DatagramReceiver(client, tally, new SourceTable(1, 0));
        MemorySegment buffer = client.register(STAG, 0, 8);
        MemorySegment header = Arena.ofAuto().allocate(20);
        header.copyFrom(MemorySegment.ofArray(decorated(true, 1, STAG, 0)));
        assertEquals(Drop.NONE, receiver.begin(header, 0, 28, header, 0, 4));
        // The datagram came together with others after all: the transport begins again.
        assertEquals(Drop.NONE, receiver.begin(header, 0, 28, header, 0, 4));
        assertEquals(8, receiver.payload());
        assertEquals(8, receiver.target().remaining());
        assertTrue(receiver.target().put(MemorySegment.ofArray(count(8)), 0, 8));
        assertEquals(Drop.NONE, receiver.end());
        assertArrayEquals(count(8), Datagrams.content(buffer));
        assertEquals(List.of(1), client.indications());
        assertEquals(1, tally.messages);
        assertEquals(8, tally.payload);
        assertEquals(Drop.NONE, receiver.begin(header, 0, 28, header, 0, 4));
        assertEquals(Drop.REFUSED_BY_BUFFER, receiver.onBadMemory());
        assertEquals(List.of(1), client.indications());
    }

    @Test
    void shouldNeitherThrowNorPlaceWhenBytesAreRandom() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        MemorySegment memory = Arena.ofAuto().allocate(64);
        datagrams.client.register(STAG, 0, memory);
        for (int round = 0; round < 20_000; round++) {
            byte[] message = new byte[random.nextInt(64)];
            random.nextBytes(message);
            if (message.length > 1 && random.nextBoolean()) {
                message[0] = 1;
                message[1] = (byte) (random.nextInt(4) | random.nextInt(2) << 7);
            }
            Drop drop = datagrams.receive(message);
            // No receive is posted, and 32 random bits are not the STag but once in 4 billion times.
            assertTrue(drop == Drop.MALFORMED || drop == Drop.UNKNOWN_STAG || drop == Drop.WITHOUT_RECEIVE, () -> drop + ", seed " + seed);
        }
        assertEquals(20_000, datagrams.tally.dropped());
        assertTrue(datagrams.tally.drops.get(Drop.UNKNOWN_STAG) > 100);
        assertArrayEquals(new byte[64], Datagrams.content(memory));
    }

    @Test
    void shouldNeitherThrowNorPlaceOutsideWhenFieldsAreHostile() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        long[] offsets = { 0, 1, 15, 16, 17, -1, -16, Long.MAX_VALUE, Long.MIN_VALUE };
        MemorySegment memory = Arena.ofAuto().allocate(48);
        datagrams.client.register(STAG, 0, memory.asSlice(16, 16));
        for (int round = 0; round < 20_000; round++) {
            byte[] payload = new byte[random.nextInt(20)];
            random.nextBytes(payload);
            datagrams.receive(decorated(random.nextBoolean(), random.nextInt(), STAG, offsets[random.nextInt(offsets.length)], payload));
        }
        assertArrayEquals(new byte[16], Datagrams.content(memory.asSlice(0, 16)), () -> "seed " + seed);
        assertArrayEquals(new byte[16], Datagrams.content(memory.asSlice(32, 16)), () -> "seed " + seed);
        assertTrue(datagrams.tally.messages > 1000 && datagrams.tally.drops.get(Drop.OUT_OF_BOUNDS) > 1000);
    }
}
