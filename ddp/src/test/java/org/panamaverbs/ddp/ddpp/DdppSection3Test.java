package org.panamaverbs.ddp.ddpp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.panamaverbs.ddp.ddpp.Datagrams.count;
import static org.panamaverbs.ddp.ddpp.Datagrams.decorated;
import static org.panamaverbs.ddp.ddpp.Datagrams.ordered;
import static org.panamaverbs.ddp.ddpp.Datagrams.undecorated;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Section 3 of draft-bailey-roi-ddpp-core-00: the rules for all transports, for ordered ones and for reliable ones. {@link DdppSimulationTest}
 * checks the same rules on random traffic.
 *
 * <table>
 * <caption>Rules and their tests</caption>
 * <tr><td>MUST only perform corresponding sets</td><td>{@link #shouldSetExactlyTheOctetsOfTheMessage}</td></tr>
 * <tr><td>MAY perform a corresponding set more than once</td><td>{@link #shouldPlaceADuplicateAgain}</td></tr>
 * <tr><td>MAY perform corresponding sets in any order</td><td>{@link #shouldPlaceInTheOrderOfArrival}</td></tr>
 * <tr><td>MUST perform all sets of a received message before its indication</td>
 * <td>{@link #shouldPlaceAllOfAMessageBeforeItsIndication}</td></tr>
 * <tr><td>MUST only perform sets on registered buffers</td><td>{@link #shouldPlaceNothingOutsideOfRegisteredBuffers},
 * {@link #shouldPlaceNothingIntoABufferWhoseRegistrationEnds}</td></tr>
 * <tr><td>ordered: only sets of messages that follow all delivered indications and undecorated messages</td>
 * <td>{@link #shouldNotPlaceWhatPrecedesADeliveredIndication}, {@link #shouldNotPlaceWhatPrecedesADeliveredUndecoratedMessage}</td></tr>
 * <tr><td>reliable: only sets of messages whose indication is not delivered yet</td>
 * <td>{@link #shouldNotTouchTheOctetsOfAMessageAfterItsIndication}</td></tr>
 * </table>
 */
class DdppSection3Test {
    private static final int STAG = 5;

    private final Datagrams datagrams = new Datagrams();

    @Test
    void shouldSetExactlyTheOctetsOfTheMessage() {
        MemorySegment memory = Arena.ofAuto().allocate(30);
        memory.fill((byte) 0x5A);
        datagrams.client.register(STAG, 1000, memory.asSlice(10, 10));
        datagrams.receiveAll(List.of(decorated(false, 0, STAG, 1003, count(4))));
        byte[] expected = new byte[30];
        Arrays.fill(expected, (byte) 0x5A);
        System.arraycopy(count(4), 0, expected, 13, 4);
        assertArrayEquals(expected, Datagrams.content(memory));
    }

    @Test
    void shouldPlaceADuplicateAgain() {
        MemorySegment buffer = datagrams.client.register(STAG, 0, 4);
        byte[] message = decorated(true, 3, STAG, 0, count(4));
        datagrams.receiveAll(List.of(message));
        buffer.fill((byte) 0);
        datagrams.receiveAll(List.of(message));
        assertArrayEquals(count(4), Datagrams.content(buffer));
    }

    @Test
    void shouldPlaceInTheOrderOfArrival() {
        MemorySegment buffer = datagrams.client.register(STAG, 0, 2);
        byte[] first = decorated(false, 0, STAG, 0, (byte) 1, (byte) 1);
        byte[] second = decorated(false, 0, STAG, 0, (byte) 2);
        datagrams.receiveAll(List.of(second, first));
        assertArrayEquals(new byte[] { 1, 1 }, Datagrams.content(buffer));
        datagrams.receiveAll(List.of(second));
        assertArrayEquals(new byte[] { 2, 1 }, Datagrams.content(buffer));
    }

    @Test
    void shouldPlaceAllOfAMessageBeforeItsIndication() {
        datagrams.client.register(STAG, 0, 4);
        datagrams.receiveAll(List.of(decorated(true, 3, STAG, 0, count(4))));
        // The client copies what is in place when DDPP delivers.
        assertEquals("01020304", datagrams.client.deliveries.getFirst().bytes());
        Streams streams = new Streams();
        streams.client.register(STAG, 0, 8192);
        for (byte b : Streams.stream(decorated(true, 3, STAG, 0, count(8192)))) {
            assertTrue(streams.client.deliveries.isEmpty());
            assertEquals(StreamError.NONE, streams.feed(new byte[] { b }, 1));
        }
        assertEquals(HexFormat.of().formatHex(count(8192)), streams.client.deliveries.getFirst().bytes());
    }

    @Test
    void shouldPlaceNothingOutsideOfRegisteredBuffers() {
        MemorySegment memory = Arena.ofAuto().allocate(24);
        datagrams.client.register(STAG, 100, memory.asSlice(8, 8));
        assertEquals(Drop.UNKNOWN_STAG, datagrams.receive(decorated(true, 1, STAG + 1, 100, count(8))));
        for (long offset : new long[] { 99, 101, 92, 108, 0, -1, Long.MIN_VALUE, Long.MAX_VALUE }) {
            assertEquals(Drop.OUT_OF_BOUNDS, datagrams.receive(decorated(true, 1, STAG, offset, count(8))));
        }
        assertEquals(Drop.OUT_OF_BOUNDS, datagrams.receive(decorated(true, 1, STAG, 100, count(9))));
        assertEquals(Drop.OUT_OF_BOUNDS, datagrams.receive(decorated(true, 1, STAG, 109)), "an empty message has an address, too");
        assertArrayEquals(new byte[24], Datagrams.content(memory));
        assertEquals(List.of(), datagrams.client.indications());
    }

    @Test
    void shouldPlaceNothingIntoABufferWhoseRegistrationEnds() {
        Streams streams = new Streams();
        MemorySegment buffer = streams.client.register(STAG, 0, 8192);
        byte[] stream = Streams.stream(decorated(true, 3, STAG, 0, count(8192)));
        assertEquals(StreamError.NONE, streams.feed(Arrays.copyOf(stream, 4096), 4096));
        streams.client.deregister(STAG);
        byte[] before = Datagrams.content(buffer);
        assertEquals(StreamError.NONE, streams.feed(Arrays.copyOfRange(stream, 4096, stream.length), 4096));
        assertArrayEquals(before, Datagrams.content(buffer));
        assertEquals(List.of(), streams.client.deliveries);
        assertEquals(1, streams.tally.drops.get(Drop.REFUSED_BY_BUFFER));
        assertTrue(streams.reader.isAtBoundary(), "the stream goes on");
    }

    @Test
    void shouldNotPlaceWhatPrecedesADeliveredIndication() {
        MemorySegment buffer = datagrams.client.register(STAG, 0, 1);
        assertEquals(Drop.NONE, datagrams.receive(ordered(1, decorated(true, 1, STAG, 0))));
        assertEquals(Drop.LATE, datagrams.receive(ordered(0, decorated(false, 0, STAG, 0, (byte) 9))));
        assertArrayEquals(new byte[1], Datagrams.content(buffer));
        assertEquals(Drop.NONE, datagrams.receive(ordered(2, decorated(false, 0, STAG, 0, (byte) 9))));
    }

    @Test
    void shouldNotPlaceWhatPrecedesADeliveredUndecoratedMessage() {
        MemorySegment buffer = datagrams.client.register(STAG, 0, 1);
        datagrams.client.post(1);
        assertEquals(Drop.NONE, datagrams.receive(ordered(1, undecorated((byte) 1))));
        assertEquals(Drop.LATE, datagrams.receive(ordered(0, decorated(false, 0, STAG, 0, (byte) 9))));
        assertArrayEquals(new byte[1], Datagrams.content(buffer));
    }

    @Test
    void shouldNotTouchTheOctetsOfAMessageAfterItsIndication() {
        Streams streams = new Streams();
        MemorySegment buffer = streams.client.register(STAG, 0, 4);
        MemorySegment other = streams.client.register(STAG + 1, 0, 4);
        assertEquals(StreamError.NONE, streams.feed(Streams.stream(decorated(true, 1, STAG, 0, count(4))), 7));
        assertEquals(List.of(1), streams.client.indications());
        buffer.fill((byte) 0);
        assertEquals(StreamError.NONE, streams.feed(Streams.framed(decorated(true, 2, STAG + 1, 0, count(4))), 7));
        assertArrayEquals(new byte[4], Datagrams.content(buffer));
        assertArrayEquals(count(4), Datagrams.content(other));
    }
}
