package org.panamaverbs.rpcrdma.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.panamaverbs.rpcrdma.simulation.Words.XID;
import static org.panamaverbs.rpcrdma.simulation.Words.header;
import static org.panamaverbs.rpcrdma.simulation.Words.join;
import static org.panamaverbs.rpcrdma.simulation.Words.read;
import static org.panamaverbs.rpcrdma.simulation.Words.segment;
import static org.panamaverbs.rpcrdma.simulation.Words.words;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.panamaverbs.rpcrdma.endpoint.EndpointOptions;

/** The answers of a responder to headers that it cannot take (RFC 8166, 4.5; draft, 7.2.4), word by word. */
class ResponderErrorsTest {
    private static final int[] PAYLOAD = words(XID, 0, 7);
    private static final int[] NONE = words(0, 0, 0);

    private static int[] msg(int version, int[]... rest) {
        return join(header(XID, version, 0, 0), join(rest));
    }

    private static int[] nomsg(int version, int[]... rest) {
        return join(header(XID, version, 1, 0), join(rest));
    }

    private static int[] many(int count, int[] entry) {
        int[] all = {};
        for (int i = 0; i < count; i++) {
            all = join(all, entry);
        }
        return all;
    }

    /** A name, the message, its version and the words of the error behind the fixed fields: version 2's, and version 1's if it differs. */
    static Stream<Arguments> refused() {
        int[] segment = segment(5, 100, 0);
        List<Arguments> cases = new java.util.ArrayList<>();
        for (int version : List.of(0, 3, 255, -1)) {
            cases.add(Arguments.of("ERR_VERS for version " + version, join(words(XID, version, 8, 0), NONE, PAYLOAD), words(1, 1, 2)));
        }
        for (int procedure : List.of(2, 3, 10, 99, -1)) {
            cases.add(Arguments.of("INVAL_PROC " + procedure, join(header(XID, 2, procedure, 0), NONE, PAYLOAD), words(3)));
        }
        for (int procedure : List.of(2, 5, 6, 9, 10, -1)) {
            cases.add(Arguments.of("ERR_CHUNK for procedure " + procedure, join(header(XID, 1, procedure, 0), NONE, PAYLOAD), words(2)));
        }
        cases.add(Arguments.of("INVAL_OPTION", words(XID, 2, 8, 5, 0, 77, 4, 0), words(9)));
        cases.add(Arguments.of("BAD_XDR for an option without direction", words(XID, 2, 8, 5, 2, 77, 4, 0), words(2)));
        cases.add(Arguments.of("BAD_XDR for a third direction", join(words(XID, 2, 8, 0, 2, 0), NONE, PAYLOAD), words(2)));
        cases.add(Arguments.of("BAD_XDR for a direction unlike the payload's", join(words(XID, 2, 8, 0, 0, 0), NONE, words(XID, 1, 7)),
                words(2)));
        cases.add(Arguments.of("BAD_XDR for a property beyond the message", words(XID, 2, 8, 7, 1, 1, 8, 4096), words(2)));
        for (int version : List.of(1, 2)) {
            String of = " of version " + version;
            int[] badXdr = words(2);
            cases.add(Arguments.of("a flag that is no boolean" + of, msg(version, words(2, 0, 0), PAYLOAD), badXdr));
            cases.add(Arguments.of("more segments than the message has" + of, msg(version, words(0, 1, 1000, 0, 0), PAYLOAD), badXdr));
            cases.add(Arguments.of("2^31 segments" + of, msg(version, words(0, 1, 1 << 31, 0, 0), PAYLOAD), badXdr));
            cases.add(Arguments.of("a Read list that does not end" + of, msg(version, read(0, 5, 8, 0), words(1)), badXdr));
            cases.add(Arguments.of("another XID in the payload" + of, msg(version, NONE, words(XID + 1, 0, 7)), badXdr));
            cases.add(Arguments.of("no payload" + of, msg(version, NONE), badXdr));
            cases.add(Arguments.of("half a payload" + of, msg(version, NONE, words(XID)), badXdr));
            cases.add(Arguments.of("NOMSG without chunks" + of, nomsg(version, NONE), badXdr));
            cases.add(Arguments.of("NOMSG with a Reply chunk alone" + of, nomsg(version, words(0, 0, 1, 1), segment), badXdr));
            cases.add(Arguments.of("NOMSG with a Write chunk alone" + of, nomsg(version, words(0, 1, 1), segment, words(0, 0)), badXdr));
            cases.add(Arguments.of("NOMSG without Position Zero" + of, nomsg(version, read(8, 5, 8, 0), NONE), badXdr));
            cases.add(Arguments.of("MSG with Position Zero" + of, msg(version, read(0, 5, 8, 0), NONE, PAYLOAD), badXdr));
            cases.add(Arguments.of("an unaligned position" + of, msg(version, read(9, 5, 8, 0), NONE, PAYLOAD), badXdr));
            cases.add(Arguments.of("a position outside" + of, msg(version, read(16, 5, 8, 0), NONE, PAYLOAD), badXdr));
            cases.add(Arguments.of("a position of 2^32 - 4" + of, msg(version, read(-4, 5, 8, 0), NONE, PAYLOAD), badXdr));
            cases.add(Arguments.of("overlapping chunks" + of, msg(version, read(8, 5, 40, 0), read(12, 5, 8, 0), NONE, PAYLOAD), badXdr));
            cases.add(Arguments.of("chunks that overlap, beyond a long payload" + of,
                    msg(version, read(12, 5, 8, 0), read(16, 6, 8, 0), NONE, PAYLOAD), badXdr));
            int[] tooLong = version == 2 ? words(10) : badXdr;
            cases.add(Arguments.of("SYSTEM for 4 GiB" + of, msg(version, read(12, 5, -1, 0), NONE, PAYLOAD), tooLong));
            cases.add(Arguments.of("SYSTEM for 16 GiB" + of, nomsg(version, many(4, read(0, 5, -1, 0)), NONE), tooLong));
            cases.add(Arguments.of("READ_CHUNKS" + of,
                    msg(version, read(8, 5, 8, 0), read(16, 5, 8, 0), read(24, 5, 8, 0), read(32, 5, 8, 0), NONE, PAYLOAD),
                    version == 2 ? words(4, 3) : badXdr));
            cases.add(Arguments.of("WRITE_CHUNKS" + of, msg(version, words(0), many(3, join(words(1, 1), segment)), words(0, 0), PAYLOAD),
                    version == 2 ? words(5, 2) : badXdr));
            int[] segments = version == 2 ? words(6, 4) : badXdr;
            cases.add(Arguments.of("SEGMENTS of a Read chunk" + of, msg(version, many(5, read(12, 5, 8, 0)), NONE, PAYLOAD), segments));
            cases.add(Arguments.of("SEGMENTS of a Write chunk" + of, msg(version, words(0, 1, 5), many(5, segment), words(0, 0), PAYLOAD),
                    segments));
            cases.add(Arguments.of("SEGMENTS of a Reply chunk" + of, msg(version, words(0, 0, 1, 5), many(5, segment), PAYLOAD), segments));
        }
        return cases.stream();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("refused")
    void shouldRefuseByTheErrorOfTheVersion(String name, int[] message, int[] error) {
        try (ScriptedPeer peer = ScriptedPeer.ofServer()) {
            expectError(peer, message, error);
            assertTrue(peer.calls.isEmpty(), "the program saw the call");
            expectBystander(peer);
        }
    }

    private static void expectError(ScriptedPeer peer, int[] message, int[] error) {
        List<byte[]> answers = peer.send(Words.of(message)).stream().filter(answer -> Words.decode(answer)[3] != 6).toList();
        assertEquals(1, answers.size(), "answers");
        assertEquals(Words.text(Words.of(join(words(XID, message[1], 8, 4), error))), Words.text(answers.getFirst()));
    }

    private static void expectBystander(ScriptedPeer peer) {
        assertTrue(peer.isOpen());
        for (int version : List.of(1, 2)) {
            peer.send(Words.plainCall(0x777 + version, version));
            assertEquals(0x777 + version, peer.last()[0]);
            assertEquals(0, peer.last()[3]);
        }
    }

    @ParameterizedTest
    @MethodSource("sizes")
    void shouldRefuseMemoryThatIsTooSmall(int version, int write, int reply, int result, int[] error) {
        try (ScriptedPeer peer = ScriptedPeer.ofServer().withResult(result)) {
            int[] writes = write == 0 ? words(0) : join(words(1, 1), segment(5, write, 0), words(0));
            int[] replies = reply == 0 ? words(0) : join(words(1, 1), segment(6, reply, 0));
            expectError(peer, msg(version, words(0), writes, replies, PAYLOAD), error);
            peer.withResult(0);
            expectBystander(peer);
        }
    }

    static Stream<Arguments> sizes() {
        return Stream.of(Arguments.of(2, 100, 0, 101, words(7, 1, 101)), Arguments.of(1, 100, 0, 101, words(2)),
                Arguments.of(2, 0, 0, 5000, words(8, 5016)), Arguments.of(1, 0, 0, 5000, words(2)),
                Arguments.of(2, 0, 5015, 5000, words(8, 5016)), Arguments.of(1, 0, 5015, 5000, words(2)));
    }

    @Test
    void shouldSayReplyResourceIfItTakesNoWriteChunksAtAll() {
        try (ScriptedPeer peer = ScriptedPeer.ofServer(usual -> new EndpointOptions(false, 1, 2, 8, 8, 1 << 16, 4, 0, 0, 4096))) {
            expectError(peer, msg(2, words(0, 1, 1), segment(5, 8, 0), words(0, 0), PAYLOAD), words(8, 0));
            expectError(peer, msg(2, read(12, 5, 8, 0), NONE, PAYLOAD), words(4, 0));
            expectBystander(peer);
        }
    }

    @ParameterizedTest
    @MethodSource("discarded")
    void shouldDiscard(String name, int[] message) {
        try (ScriptedPeer peer = ScriptedPeer.ofServer()) {
            assertEquals(List.of(),
                    peer.send(Words.of(message)).stream().filter(answer -> Words.decode(answer)[3] != 6).map(Words::text).toList());
            assertTrue(peer.endpoint.counters().discarded.sum() > 0, "it is counted");
            expectBystander(peer);
        }
    }

    static Stream<Arguments> discarded() {
        return Stream.of(Arguments.of("nothing", words()), Arguments.of("an XID", words(XID)),
                Arguments.of("24 bytes of a call", words(XID, 1, 8, 0, 0, 0)),
                Arguments.of("24 bytes of an unknown version", words(XID, 3, 8, 0, 0, 0)),
                Arguments.of("DONE", join(words(XID, 1, 8, 3), NONE)), Arguments.of("an error for nobody", words(XID, 1, 8, 4, 2)),
                Arguments.of("an error that cannot be decoded", words(XID, 1, 8, 4, 77, 0, 0, 0)),
                Arguments.of("an error of an unknown version", words(XID, 9, 8, 4, 1, 1, 1, 0)),
                Arguments.of("a reply for nobody", join(words(XID, 1, 8, 0), NONE, words(XID, 1, 0))),
                Arguments.of("a reply of version 2 for nobody", join(words(XID, 2, 8, 0, 1, 0), NONE, words(XID, 1, 0))),
                Arguments.of("a reply of version 2 that cannot be decoded", join(words(XID, 2, 8, 0, 1, 0), words(7, 7, 7))),
                Arguments.of("an option in a reply", words(XID, 2, 8, 5, 1, 77, 4, 0)));
    }

    @ParameterizedTest
    @MethodSource("fatal")
    void shouldEndTheConnection(String name, int[] message) {
        try (ScriptedPeer peer = ScriptedPeer.ofServer().withResult(100)) {
            peer.send(Words.of(message));
            assertTrue(!peer.isOpen(), "the connection is open yet");
        }
    }

    /** A device refuses these accesses, and that ends the connection (RFC 8166, 4.5.3). */
    static Stream<Arguments> fatal() {
        return Stream.of(Arguments.of("a Read of an unknown handle", msg(1, read(12, 5, 8, 0), NONE, PAYLOAD)),
                Arguments.of("a long call of an unknown handle", nomsg(1, read(0, 5, 80, 0), NONE)),
                Arguments.of("a long call and a chunk, of an unknown handle", nomsg(2, read(0, 5, 80, 0), read(8, 5, 80, 0), NONE)),
                Arguments.of("a Write of an unknown handle", msg(1, words(0, 1, 1), segment(5, 100, 0), words(0, 0), PAYLOAD)));
    }

    @Test
    void shouldEndTheConnectionOfAPeerThatExceedsItsCredits() {
        try (ScriptedPeer peer = ScriptedPeer.ofServer().withoutAnswers()) {
            for (int i = 0; i < 8; i++) {
                peer.send(Words.plainCall(i, 1));
            }
            assertTrue(peer.isOpen());
            peer.send(Words.plainCall(8, 1));
            assertTrue(!peer.isOpen());
            assertEquals(8, peer.calls.size());
        }
    }

    @Test
    void shouldRefuseChunksThatOverlapWithinAStreamThatWasRead() {
        try (ScriptedPeer peer = ScriptedPeer.ofServer()) {
            var stream = peer.script.expose(peer.wire.allocate(400), false);
            int handle = stream.handle();
            expectError(peer, nomsg(2, read(0, handle, 400, stream.offset()), read(100, handle, 40, stream.offset()),
                    read(120, handle, 8, stream.offset()), NONE), words(2));
            expectBystander(peer);
        }
    }
}
