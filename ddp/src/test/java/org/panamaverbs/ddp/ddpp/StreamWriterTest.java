package org.panamaverbs.ddp.ddpp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.softiwarp.memory.IoVector;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;

/** The bytes of a stream. */
class StreamWriterTest {
    private final Arena arena = Arena.ofAuto();

    private RegisteredMemory memory(byte[] content) {
        MemorySegment memory = arena.allocate(Math.max(1, content.length));
        MemorySegment.copy(content, 0, memory, ValueLayout.JAVA_BYTE, 0, content.length);
        return new RegisteredMemory(memory, this, 0);
    }

    /** Takes at most so many bytes at a time, until nothing is left. */
    private static byte[] drain(StreamWriter writer, int most) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        while (writer.poll().size() > 0) {
            IoVector vector = writer.poll();
            int length = (int) Math.min(most, vector.length(0));
            all.writeBytes(Datagrams.content(vector.segment(0).asSlice(vector.offset(0), length)));
            writer.onSent(length);
        }
        assertFalse(writer.isInMessage());
        return all.toByteArray();
    }

    @Test
    void shouldBeginWithThePreamble() {
        assertEquals("444450502f310d0a", HexFormat.of().formatHex(drain(new StreamWriter(arena), 3)));
    }

    @Test
    void shouldWriteEachKindOfMessage() {
        StreamWriter writer = new StreamWriter(arena);
        drain(writer, 8);
        assertTrue(writer.beginDecorated(2, 0x01020304, 5, true, 6, true));
        writer.source().wrap(memory(new byte[] { 7, 8 }), 0, 2);
        assertEquals("00000016 01010000 80000006 01020304 0000000000000005 0708".replace(" ", ""),
                HexFormat.of().formatHex(drain(writer, 100)));
        assertTrue(writer.beginUndecorated(1));
        writer.source().wrap(memory(new byte[] { 7, 8 }), 1, 1);
        assertEquals("00000005 01020000 08".replace(" ", ""), HexFormat.of().formatHex(drain(writer, 100)));
        assertTrue(writer.beginUndecorated(0));
        assertEquals("00000004 01020000".replace(" ", ""), HexFormat.of().formatHex(drain(writer, 100)));
    }

    @ParameterizedTest
    @ValueSource(ints = { 1, 7, 100, 1 << 20 })
    void shouldWriteWhatTheReaderTakes(int most) {
        StreamWriter writer = new StreamWriter(arena, 100);
        Streams streams = new Streams();
        MemorySegment buffer = streams.client.register(5, 0, 2550);
        byte[] content = Datagrams.count(2550);
        assertTrue(writer.beginDecorated(content.length, 5, 0, true, 9, false));
        writer.source().wrap(memory(content), 0, content.length);
        assertEquals(StreamError.NONE, streams.feed(drain(writer, most), most));
        assertArrayEquals(content, Datagrams.content(buffer));
        assertEquals(26, streams.client.deliveries.size());
        assertEquals(List.of(9), streams.client.indications());
    }

    @Test
    void shouldSendPayloadFromTheCallersMemory() {
        StreamWriter writer = new StreamWriter(arena);
        RegisteredMemory memory = memory(new byte[1 << 20]);
        assertTrue(writer.beginDecorated(1 << 20, 5, 0, true, 9, false));
        writer.source().wrap(memory, 0, 1 << 20);
        IoVector vector = writer.poll();
        assertEquals(2, vector.size(), "the preamble and the header are one part");
        assertEquals(8 + 24, vector.length(0));
        assertSame(memory.segment(), vector.segment(1));
        assertEquals(1 << 20, vector.length(1));
    }

    @Test
    void shouldSplitOnlyWhatExceedsTheLongestMessage() {
        StreamWriter writer = new StreamWriter(arena);
        assertTrue(writer.beginDecorated(StreamWriter.MOST_DECORATED, 5, 0, true, 9, true));
        writer.abandon();
        assertFalse(writer.beginDecorated(StreamWriter.MOST_DECORATED + 1, 5, 0, true, 9, true));
        assertFalse(writer.beginUndecorated(StreamWriter.MOST_UNDECORATED + 1));
        assertTrue(writer.beginUndecorated(StreamWriter.MOST_UNDECORATED));
    }

    @Test
    void shouldDescribeNoMoreMessagesThanThereIsRoomFor() {
        StreamWriter writer = new StreamWriter(arena);
        Streams streams = new Streams();
        int begun = 0;
        while (!writer.isInMessage()) {
            streams.client.post(1);
            assertTrue(writer.beginUndecorated(1));
            writer.source().wrap(memory(new byte[] { (byte) ++begun }), 0, 1);
            writer.poll();
        }
        assertEquals(StreamError.NONE, streams.feed(drain(writer, 5), 100));
        assertTrue(begun > 2);
        assertEquals(HexFormat.of().formatHex(Datagrams.count(begun)),
                String.join("", streams.client.deliveries.stream().map(TestClient.Delivery::bytes).toList()));
    }

    @Test
    void shouldDescribeNothingAfterItIsAbandoned() {
        StreamWriter writer = new StreamWriter(arena, 100);
        assertTrue(writer.beginDecorated(1000, 5, 0, true, 9, false));
        writer.source().wrap(memory(new byte[1000]), 0, 1000);
        writer.poll();
        writer.abandon();
        assertEquals(0, writer.poll().size());
    }
}
