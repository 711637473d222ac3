package org.panamaverbs.rpcrdma.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.panamaverbs.rpcrdma.simulation.Words.XID;
import static org.panamaverbs.rpcrdma.simulation.Words.header;
import static org.panamaverbs.rpcrdma.simulation.Words.join;
import static org.panamaverbs.rpcrdma.simulation.Words.read;
import static org.panamaverbs.rpcrdma.simulation.Words.segment;
import static org.panamaverbs.rpcrdma.simulation.Words.words;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.rpcrdma.endpoint.Link.Exposure;
import org.panamaverbs.rpcrdma.message.MessageXdr;

/** Chunks of several segments, which this project's requester never makes, but others do. */
class SegmentsTest {
    private static final int[] NONE = words(0, 0, 0);

    private static MemorySegment numbered(ScriptedPeer peer, int length) {
        MemorySegment memory = peer.wire.allocate(length);
        for (int i = 0; i < length; i++) {
            memory.set(ValueLayout.JAVA_BYTE, i, (byte) i);
        }
        return memory;
    }

    private static void expectNumbered(MemorySegment view, int length) {
        assertEquals(length, view.byteSize());
        for (int i = 0; i < length; i++) {
            assertEquals((byte) i, view.get(ValueLayout.JAVA_BYTE, i), "byte " + i);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = { 1, 2 })
    void shouldReadAnArgumentOfSeveralSegments(int version) throws IOException {
        try (ScriptedPeer peer = ScriptedPeer.ofServer().withoutAnswers()) {
            Exposure open = peer.script.expose(numbered(peer, 21), false);
            int handle = open.handle();
            long at = open.offset();
            // 21 bytes in four segments, one of them empty, and a word of the stream behind them.
            peer.send(Words.of(join(header(XID, version, 0, 0), read(12, handle, 5, at), read(12, handle, 7, at + 5),
                    read(12, handle, 0, at + 12), read(12, handle, 9, at + 12), NONE, words(XID, 0, 21, 4711))));
            expectArgument(peer);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = { 1, 2 })
    void shouldReadAStreamOfSeveralSegmentsWithAChunkInIt(int version) throws IOException {
        try (ScriptedPeer peer = ScriptedPeer.ofServer().withoutAnswers()) {
            Exposure argument = peer.script.expose(numbered(peer, 21), false);
            MemorySegment words = peer.wire.allocate(16);
            words.copyFrom(MemorySegment.ofArray(Words.of(XID, 0, 21, 4711)));
            Exposure stream = peer.script.expose(words, false);
            peer.send(Words.of(join(header(XID, version, 1, 0), read(0, stream.handle(), 6, stream.offset()),
                    read(0, stream.handle(), 10, stream.offset() + 6), read(12, argument.handle(), 21, argument.offset()), NONE)));
            expectArgument(peer);
        }
    }

    private static void expectArgument(ScriptedPeer peer) throws IOException {
        assertEquals(List.of(XID), peer.xids);
        MessageXdr call = peer.calls.getFirst();
        call.beginDecoding();
        assertEquals(XID, call.xdrDecodeInt());
        assertEquals(0, call.xdrDecodeInt());
        expectNumbered(call.decodeView(), 21);
        assertEquals(4711, call.xdrDecodeInt());
    }

    @ParameterizedTest
    @ValueSource(ints = { 1, 2 })
    void shouldWriteAResultIntoSeveralSegments(int version) {
        try (ScriptedPeer peer = ScriptedPeer.ofServer().withResult(60)) {
            MemorySegment memory = peer.wire.allocate(200);
            Exposure open = peer.script.expose(memory, true);
            int handle = open.handle();
            long at = open.offset();
            peer.send(Words.of(join(header(XID, version, 0, 0), words(0, 1, 4), segment(handle, 10, at), segment(handle, 0, at + 10),
                    segment(handle, 100, at + 20), segment(handle, 50, at + 130), words(0, 0), words(XID, 0, 7))));
            int[] reply = header(XID, version, 0, 1);
            assertEquals(
                    Words.text(Words.of(join(reply, words(0, 1, 4), segment(handle, 10, at), segment(handle, 0, at + 10),
                            segment(handle, 50, at + 20), segment(handle, 0, at + 130), words(0, 0), words(XID, 1, 7, 60)))),
                    Words.text(peer.received.getLast()));
            assertEquals(-1, memory.asSlice(0, 10).mismatch(peer.wire.allocate(10)));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = { 1, 2 })
    void shouldWriteAReplyIntoSeveralSegments(int version) {
        try (ScriptedPeer peer = ScriptedPeer.ofServer().withResult(5000)) {
            MemorySegment memory = peer.wire.allocate(8000).fill((byte) 0);
            Exposure open = peer.script.expose(memory, true);
            int handle = open.handle();
            long at = open.offset();
            peer.send(Words.of(join(header(XID, version, 0, 0), words(0, 0, 1, 2), segment(handle, 1000, at),
                    segment(handle, 7000, at + 1000), words(XID, 0, 7))));
            assertEquals(Words.text(Words
                    .of(join(header(XID, version, 1, 1), words(0, 0, 1, 2), segment(handle, 1000, at), segment(handle, 4016, at + 1000)))),
                    Words.text(peer.received.getLast()));
            assertEquals(Words.text(Words.of(XID, 1, 7, 5000)), Words.text(memory.asSlice(0, 16).toArray(ValueLayout.JAVA_BYTE)));
            assertEquals(0, memory.get(ValueLayout.JAVA_BYTE, 5016));
            assertEquals((byte) 0xCC, memory.get(ValueLayout.JAVA_BYTE, 5015));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = { 1, 2 })
    void shouldGiveBackTheMemoryOfACallThatTheProgramDrops(int version) {
        try (ScriptedPeer peer = ScriptedPeer.ofServer().withoutAnswers()) {
            Exposure stream = peer.script
                    .expose(peer.wire.allocate(400).copyFrom(MemorySegment.ofArray(Words.of(join(words(XID, 0), new int[98])))), false);
            peer.send(Words.of(join(header(XID, version, 1, 0), read(0, stream.handle(), 400, stream.offset()), NONE)));
            assertEquals(1, peer.link.held());
            peer.endpoint.drop(peer.calls.getFirst());
            assertEquals(0, peer.link.held());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = { 1, 2 })
    void shouldPadByZeros(int version) {
        try (ScriptedPeer peer = ScriptedPeer.ofServer().withResult(5)) {
            peer.send(Words.plainCall(XID, version));
            int[] reply = header(XID, version, 0, 1);
            assertEquals(Words.text(Words.of(join(reply, NONE, words(XID, 1, 7, 5, 0xCCCC_CCCC, 0xCC00_0000)))),
                    Words.text(peer.received.getLast()));
        }
    }
}
