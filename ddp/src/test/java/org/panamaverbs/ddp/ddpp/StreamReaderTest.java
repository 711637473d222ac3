package org.panamaverbs.ddp.ddpp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.panamaverbs.ddp.ddpp.Datagrams.count;
import static org.panamaverbs.ddp.ddpp.Datagrams.decorated;
import static org.panamaverbs.ddp.ddpp.Datagrams.undecorated;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;

/** The framing of a byte stream, and the way of payload to its place. */
class StreamReaderTest {
    private static final int STAG = 5;

    private final Streams streams = new Streams();

    /** A stream with each kind of message; some are dropped. */
    private static byte[] mixed() {
        return Streams.stream(decorated(false, 0, STAG, 0, count(10)), decorated(true, 1, STAG, 90, count(10)),
                decorated(true, 2, STAG, 91, count(10)), undecorated(count(7)), decorated(false, 0, STAG, 0), undecorated(),
                decorated(true, 3, STAG + 1, 0, count(5)), decorated(true, 4, STAG, 20, count(60)));
    }

    private static Streams ready() {
        Streams streams = new Streams();
        streams.client.register(STAG, 0, 100);
        streams.client.post(7);
        streams.client.post(0);
        return streams;
    }

    @Test
    void shouldComeToTheSameEndHoweverTheStreamIsSplit() {
        Streams whole = ready();
        assertEquals(StreamError.NONE, whole.feed(mixed(), Integer.MAX_VALUE));
        assertEquals(List.of(1, -1, -1, 4), whole.client.indications());
        assertEquals(Map.of(Drop.OUT_OF_BOUNDS, 1, Drop.MALFORMED, 1, Drop.UNKNOWN_STAG, 1), whole.tally.drops);
        byte[] bytes = mixed();
        for (int split = 0; split <= bytes.length; split++) {
            for (int most : new int[] { 1, 24, 1 << 20 }) {
                Streams parts = ready();
                assertEquals(StreamError.NONE, parts.feed(Arrays.copyOf(bytes, split), most));
                assertEquals(StreamError.NONE, parts.feed(Arrays.copyOfRange(bytes, split, bytes.length), most));
                assertEquals(whole.client.deliveries, parts.client.deliveries);
                assertEquals(whole.tally.drops, parts.tally.drops);
                assertTrue(parts.reader.isAtBoundary());
            }
        }
    }

    @Test
    void shouldKnowBoundariesFromTheMiddleOfAMessage() {
        byte[] bytes = Streams.stream(decorated(true, 1, STAG, 0, count(10)), decorated(true, 2, STAG + 1, 0, count(10)));
        for (int end = 0; end <= bytes.length; end++) {
            Streams parts = ready();
            assertEquals(StreamError.NONE, parts.feed(Arrays.copyOf(bytes, end), 1 << 20));
            boolean boundary = end == 8 || end == 8 + 34 || end == bytes.length;
            assertEquals(end >= 8, parts.reader.hasPreamble());
            assertEquals(boundary ? StreamError.NONE : StreamError.TRUNCATED, parts.reader.onEndOfStream(), "end at " + end);
            assertEquals(boundary, parts.reader.describe() == null);
        }
    }

    @Test
    void shouldReceiveALongPayloadStraightToItsPlaceWithTheNextHeaderBehindIt() {
        MemorySegment buffer = streams.client.register(STAG, 0, 1 << 20);
        byte[] stream = Streams.stream(decorated(false, 0, STAG, 0, count(1 << 20)));
        assertEquals(StreamError.NONE, streams.feed(Arrays.copyOf(stream, 32), 1 << 20));
        streams.reader.targets(streams.vector);
        assertSame(buffer, streams.vector.segment(0));
        assertEquals(0, streams.vector.offset(0));
        assertEquals(1 << 20, streams.vector.length(0));
        assertEquals(24, streams.vector.length(1), "length and header of the next message");
        assertEquals(StreamError.NONE, streams.feed(Arrays.copyOfRange(stream, 32, stream.length), 1 << 20));
        assertArrayEquals(count(1 << 20), Datagrams.content(buffer));
    }

    @Test
    void shouldReceiveALongUndecoratedMessageStraightIntoThePostedReceive() {
        RegisteredMemory receive = streams.client.post(1 << 20);
        byte[] stream = Streams.stream(undecorated(count(100_000)));
        assertEquals(StreamError.NONE, streams.feed(Arrays.copyOf(stream, 16), 1 << 20));
        streams.reader.targets(streams.vector);
        assertSame(receive.segment(), streams.vector.segment(0));
        assertEquals(100_000, streams.vector.length(0), "the payload, and not the whole receive");
        assertEquals(StreamError.NONE, streams.feed(Arrays.copyOfRange(stream, 16, stream.length), 1 << 20));
        assertEquals(HexFormat.of().formatHex(count(100_000)), streams.client.deliveries.getFirst().bytes());
    }

    @Test
    void shouldReceiveManyShortMessagesAtOnce() {
        streams.client.register(STAG, 0, 10);
        byte[][] messages = new byte[1000][];
        Arrays.fill(messages, decorated(true, 1, STAG, 0, count(10)));
        byte[] stream = Streams.stream(messages);
        int calls = 0;
        for (int at = 0; at < stream.length; calls++) {
            streams.reader.targets(streams.vector);
            int end = (int) Math.min(stream.length, at + streams.vector.bytes());
            assertEquals(StreamError.NONE, streams.feed(Arrays.copyOfRange(stream, at, end), 1 << 20));
            at = end;
        }
        assertEquals(1000, streams.tally.messages);
        assertTrue(calls < 30, calls + " calls");
    }

    @Test
    void shouldReceiveTheShortMessagesBetweenTwoLongOnesWithTheFirst() {
        streams.client.register(STAG, 0, 10_000);
        byte[] pair = Streams.framed(decorated(false, 0, STAG, 0, count(10_000)));
        byte[] note = Streams.framed(decorated(true, 1, STAG, 0, count(8)));
        assertEquals(StreamError.NONE, streams.feed(Streams.stream(), 8));
        for (int i = 0; i < 3; i++) {
            streams.feed(pair, 1 << 20);
            streams.feed(note, 1 << 20);
        }
        assertEquals(StreamError.NONE, streams.feed(Arrays.copyOf(pair, 24), 24));
        streams.reader.targets(streams.vector);
        assertTrue(streams.vector.length(1) >= note.length + 24, "room for the note and the next header: " + streams.vector.length(1));
    }

    @Test
    void shouldSkipAMessageThatIsDroppedWhateverItsLength() {
        streams.client.register(STAG, 0, 10);
        assertEquals(StreamError.NONE,
                streams.feed(Streams.stream(decorated(true, 1, STAG, 1, count(1 << 20)), decorated(true, 2, STAG, 0, count(10))), 100_000));
        assertEquals(List.of(2), streams.client.indications());
        assertEquals(Map.of(Drop.OUT_OF_BOUNDS, 1), streams.tally.drops);
    }

    @Test
    void shouldTakeTheLongestMessage() {
        int most = (1 << 24) - 20;
        MemorySegment buffer = streams.client.register(STAG, 0, most);
        assertEquals(StreamError.NONE, streams.feed(Streams.stream(decorated(true, 1, STAG, 0, count(most))), 1 << 20));
        assertEquals(List.of(1), streams.client.indications());
        assertEquals((byte) most, buffer.get(ValueLayout.JAVA_BYTE, most - 1));
    }

    @Test
    void shouldIgnoreTheOrderedBitAndTheSequenceNumber() {
        streams.client.register(STAG, 0, 10);
        assertEquals(StreamError.NONE, streams.feed(Streams.stream(Datagrams.ordered(9, decorated(true, 1, STAG, 0, count(10))),
                Datagrams.ordered(3, decorated(true, 2, STAG, 0, count(10)))), 100));
        assertEquals(List.of(1, 2), streams.client.indications());
    }

    @ParameterizedTest
    // @formatter:off
    @CsvSource(delimiter = '|', value = {
            "474554202f20485454502f312e310d0a | PREAMBLE | 47",
            "444450502f320d0a | PREAMBLE | 44 44 50 50 2f 32",
            "444450502f310d0a 00000003 01 02 0000 | LENGTH | length 3, which must be 4 to 16777216 (bytes: 00 00 00 03",
            "444450502f310d0a 01000001 01 02 0000 | LENGTH | length 16777217,",
            "444450502f310d0a ffffffff 01 02 0000 | LENGTH | length 4294967295,",
            "444450502f310d0a 00000004 02 02 0000 | VERSION | version 2, and not 1 (bytes: 00 00 00 04 02",
            "444450502f310d0a 00000004 00 02 0000 | VERSION | version 0,",
            "444450502f310d0a 00000004 01 00 0000 | KIND | kind 0,",
            "444450502f310d0a 00000004 01 03 0000 | KIND | kind 3,",
            "444450502f310d0a 00000004 01 ff 0000 | KIND | kind 127,",
            "444450502f310d0a 00000004 01 01 0000 | SHORT | length 4, less than its 20",
            "444450502f310d0a 00000013 01 01 0000 00 | SHORT | length 19, less than its 20",
            "444450502f310d0a 00000005 01 02 0000 00 | WITHOUT_RECEIVE | message of 1 bytes" })
    // @formatter:on
    void shouldEndAStreamWithBrokenFramingAndNameTheBytes(String wire, StreamError error, String words) {
        byte[] bytes = HexFormat.of().parseHex(wire.replace(" ", ""));
        for (int most : new int[] { 1, 3, 100 }) {
            Streams broken = new Streams();
            broken.client.register(0, 0, 100);
            assertEquals(error, broken.feed(bytes, most));
            assertTrue(broken.reader.describe().contains(words), broken.reader.describe());
            assertEquals(error, broken.feed(new byte[] { 1 }, 1), "it stays broken");
            assertEquals(error, broken.reader.onEndOfStream());
            assertFalse(broken.reader.isAtBoundary());
            assertEquals(List.of(), broken.client.deliveries);
        }
    }

    @Test
    void shouldRefuseAPreambleAtItsFirstWrongByte() {
        byte[] right = "DDPP/1\r\n".getBytes(StandardCharsets.US_ASCII);
        for (int i = 0; i < right.length; i++) {
            byte[] wrong = right.clone();
            wrong[i] ^= 0x20;
            Streams fresh = new Streams();
            assertEquals(StreamError.NONE, fresh.feed(Arrays.copyOf(wrong, i), 100));
            assertEquals(StreamError.PREAMBLE, fresh.feed(new byte[] { wrong[i] }, 100));
        }
        assertEquals(StreamError.NONE, streams.feed(right, 100));
        assertNull(streams.reader.describe());
    }

    @Test
    void shouldEndTheStreamIfAnUndecoratedMessageIsLongerThanItsReceive() {
        streams.client.post(4);
        assertEquals(StreamError.TOO_LONG, streams.feed(Streams.stream(undecorated(count(5))), 100));
        assertEquals(List.of("too long"), streams.client.faults);
        assertEquals("an undecorated message of 5 bytes is longer than the posted receive", streams.reader.describe());
        assertEquals(Map.of(Drop.TOO_LONG, 1), streams.tally.drops);
    }

    @Test
    void shouldEndTheStreamIfTheMemoryOfAReceiveCannotBeUsed() {
        RegisteredMemory receive = streams.client.post(10_000);
        byte[] stream = Streams.stream(undecorated(count(10_000)));
        assertEquals(StreamError.NONE, streams.feed(Arrays.copyOf(stream, 5000), 5000));
        receive.retire();
        assertEquals(StreamError.BAD_MEMORY, streams.feed(Arrays.copyOfRange(stream, 5000, 6000), 100));
        assertEquals(List.of("bad untagged memory"), streams.client.faults);
    }

    @Test
    void shouldGoOnAfterABufferRefusedAMessage() {
        streams.client.register(STAG, 0, 10);
        streams.client.refuses = true;
        assertEquals(StreamError.NONE,
                streams.feed(Streams.stream(decorated(true, 1, STAG, 0, count(10)), decorated(true, 2, STAG, 0, count(10))), 100));
        assertEquals(List.of(2), streams.client.indications());
        assertEquals(Map.of(Drop.REFUSED_BY_BUFFER, 1), streams.tally.drops);
    }

    @Test
    void shouldNeitherThrowNorPlaceOutsideWhateverArrives() {
        long seed = System.nanoTime();
        int broken = 0;
        for (int round = 0; round < 3000; round++) {
            Random random = new Random(seed + round);
            Streams fresh = ready();
            byte[] bytes = mixed();
            for (int i = random.nextInt(1, 6); i > 0; i--) {
                bytes[random.nextInt(bytes.length)] = (byte) (random.nextBoolean() ? random.nextInt() : random.nextInt(4));
            }
            StreamError error = fresh.feed(bytes, random.nextInt(1, 200));
            broken += error == StreamError.NONE ? 0 : 1;
            assertEquals(error == StreamError.NONE, fresh.reader.describe() == null, () -> "seed " + seed);
        }
        assertTrue(broken > 300 && broken < 2900, broken + " of 3000 broken, seed " + seed);
    }
}
