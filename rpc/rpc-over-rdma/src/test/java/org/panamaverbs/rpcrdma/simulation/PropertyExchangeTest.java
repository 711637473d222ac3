package org.panamaverbs.rpcrdma.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.panamaverbs.rpcrdma.simulation.Words.XID;
import static org.panamaverbs.rpcrdma.simulation.Words.join;
import static org.panamaverbs.rpcrdma.simulation.Words.words;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.panamaverbs.rpcrdma.endpoint.EndpointOptions;
import org.panamaverbs.rpcrdma.simulation.ScriptedPeer.Outcome;

/** Transport properties (draft, 6): announced, requested, answered, updated. */
class PropertyExchangeTest {
    /** A client whose version 2 is agreed on, and that knows nothing of its peer yet. */
    private static ScriptedPeer confirmed() {
        ScriptedPeer peer = ScriptedPeer.of(new EndpointOptions(true, 1, 2, 8, 8, 1 << 16, 4, 3, 2, 16_384), 16_384);
        peer.call(XID, 0, 100);
        peer.send(Words.plainReply(XID, 2, 8));
        return peer;
    }

    /** The longest argument that goes inline, with a header of 36 bytes and 12 of the call. */
    private static int longestInline(ScriptedPeer peer) {
        for (int length : new int[] { 16_384, 8192, 4096, 3072, 2048, 1024 }) {
            int before = peer.link.exposures.size();
            peer.call(0x100 + peer.received.size(), length - 48, 100);
            boolean inline = peer.link.exposures.size() == before;
            peer.send(Words.plainReply(peer.last()[0], 2, 8));
            if (inline) {
                return length;
            }
        }
        throw new AssertionError("not even 1,024 bytes go inline");
    }

    @Test
    void shouldAnnounceItsOwnOnceTheVersionIsAgreedOn() {
        try (ScriptedPeer peer = confirmed()) {
            int xid = peer.last()[0];
            assertEquals(Words.text(Words.of(xid, 2, 8, 6, 2, 1, 4, 16_384, 2, 4, 2, 1, 2)), Words.text(peer.received.getLast()));
            peer.call(XID, 0, 100);
            peer.send(Words.plainReply(XID, 2, 8));
            assertEquals(1, peer.received.stream().filter(bytes -> Words.decode(bytes)[3] == 6).count(), "once");
        }
        try (ScriptedPeer peer = ScriptedPeer.ofServer()) {
            peer.send(Words.plainCall(XID, 1));
            assertEquals(1, peer.received.size(), "none in version 1");
            peer.send(Words.plainCall(XID, 2));
            assertEquals(6, Words.decode(peer.received.get(1))[3], "before the first reply");
        }
    }

    @Test
    void shouldSayThatItTakesNoCallsIfItGrantsNoCredits() {
        try (ScriptedPeer peer = ScriptedPeer.of(new EndpointOptions(true, 1, 2, 8, 0, 1 << 16, 4, 3, 2, 4096))) {
            peer.call(XID, 0, 100);
            peer.send(Words.plainReply(XID, 2, 8));
            int[] announced = peer.last();
            assertEquals(2, announced[8]);
            assertEquals(0, announced[10], "BKREQSUP_NONE");
        }
    }

    /** A peer's statement about its receives, and the longest message after it. */
    @ParameterizedTest
    @MethodSource("sizes")
    void shouldSendNoMoreThanThePeerTakes(String name, int[] message, int longest) {
        try (ScriptedPeer peer = confirmed()) {
            assertEquals(4096, longestInline(peer), "the default");
            int before = peer.received.size();
            peer.send(Words.of(message));
            assertEquals(before, peer.received.size(), "nothing is answered");
            assertEquals(longest, longestInline(peer));
        }
    }

    static Stream<Arguments> sizes() {
        return Stream.of(Arguments.of("CONNPROP", words(1, 2, 8, 6, 1, 1, 4, 8192, 0), 8192),
                Arguments.of("CONNPROP, less", words(1, 2, 8, 6, 1, 1, 4, 2048, 0), 2048),
                Arguments.of("CONNPROP, too little to work with", words(1, 2, 8, 6, 1, 1, 4, 16, 0), 1024),
                Arguments.of("CONNPROP, 2^32 - 1", words(1, 2, 8, 6, 1, 1, 4, -1, 0), 16_384),
                Arguments.of("CONNPROP, its default", words(1, 2, 8, 6, 1, 1, 0, 0), 4096),
                Arguments.of("CONNPROP with others in front", words(1, 2, 8, 6, 2, 99, 8, 1, 2, 1, 4, 8192, 0), 8192),
                Arguments.of("CONNPROP with another of no length", words(1, 2, 8, 6, 2, 99, 0, 1, 4, 8192, 0), 8192),
                Arguments.of("UPDPROP", words(1, 2, 8, 9, 1, 1, 4, 8192), 8192),
                Arguments.of("RESPROP for nobody", words(1, 2, 8, 8, 1, 1, 0, 0), 4096));
    }

    /** A request for 8,192 bytes, the peer's answer behind its fixed fields, and the longest message after it. */
    @ParameterizedTest
    @MethodSource("responses")
    void shouldTakeAnAnswerByItsRules(String name, int[] response, int longest) {
        try (ScriptedPeer peer = confirmed()) {
            peer.endpoint.requestReceiveSize(8192);
            peer.wire.settle();
            int[] request = peer.last();
            assertEquals(Words.text(Words.of(request[0], 2, 8, 7, 1, 1, 4, 8192)), Words.text(peer.received.getLast()));
            peer.send(Words.of(join(words(request[0] + 1, 2, 8, 8), words(1, 1, 0, 0))));
            assertEquals(4096, longestInline(peer), "the answer to another request");
            peer.send(Words.of(join(words(request[0], 2, 8, 8), response)));
            assertEquals(longest, longestInline(peer));
        }
    }

    static Stream<Arguments> responses() {
        return Stream.of(Arguments.of("done", words(1, 1, 0, 0), 8192), Arguments.of("rejected", words(0, 1, 1, 0), 4096),
                Arguments.of("done and rejected", words(1, 1, 1, 1, 0), 4096), Arguments.of("neither", words(0, 0, 0), 4096),
                Arguments.of("another value", words(0, 0, 1, 1, 4, 2048), 2048),
                Arguments.of("done, and another value", words(1, 1, 0, 1, 1, 4, 2048), 4096),
                Arguments.of("rejected, and another value", words(0, 1, 1, 1, 1, 4, 2048), 4096),
                Arguments.of("a property that was not asked for", words(0, 0, 1, 2, 4, 1), 4096),
                Arguments.of("done, and a property that was not asked for", words(1, 1, 0, 1, 2, 4, 1), 8192),
                Arguments.of("another value, and a property that was not asked for", words(0, 0, 2, 2, 4, 1, 1, 4, 2048), 2048),
                Arguments.of("the same twice", words(0, 0, 2, 1, 4, 2048, 1, 4, 8192), 4096),
                Arguments.of("bits of properties that there are not", words(1, 3, 1, 4, 0), 8192));
    }

    @Test
    void shouldSendNoMoreThanItAskedForUntilThatIsRejected() {
        for (int[] answer : new int[][] { { 8, 0, 1, 1, 0 }, { 4, 9 }, { 4, 3 } }) {
            try (ScriptedPeer peer = confirmed()) {
                peer.endpoint.requestReceiveSize(2048);
                peer.wire.settle();
                int xid = peer.last()[0];
                assertEquals(2048, longestInline(peer), "before the answer");
                peer.send(Words.of(join(words(xid, 2, 8), answer)));
                assertEquals(4096, longestInline(peer), "after it was refused");
            }
        }
    }

    @Test
    void shouldNotRequestBeforeTheVersionIsKnown() {
        try (ScriptedPeer peer = ScriptedPeer.ofClient(2)) {
            assertThrows(IllegalStateException.class, () -> peer.endpoint.requestReceiveSize(2048));
        }
        try (ScriptedPeer peer = confirmed()) {
            assertThrows(IllegalArgumentException.class, () -> peer.endpoint.requestReceiveSize(1000));
        }
    }

    /** The request of a peer, and the answer behind its fixed fields. */
    @ParameterizedTest
    @MethodSource("requests")
    void shouldAnswerARequest(String name, int[] wanted, int[] answer) {
        try (ScriptedPeer peer = ScriptedPeer.ofServer()) {
            peer.send(Words.plainCall(1, 2));
            peer.send(Words.of(join(words(XID, 2, 8, 7), wanted)));
            assertEquals(Words.text(Words.of(join(words(XID, 2, 8, 8), answer))), Words.text(peer.received.getLast()));
        }
    }

    static Stream<Arguments> requests() {
        return Stream.of(Arguments.of("nothing", words(0), words(0, 0, 0)), Arguments.of("less", words(1, 1, 4, 2048), words(1, 1, 0, 0)),
                Arguments.of("as it is", words(1, 1, 4, 4096), words(1, 1, 0, 0)),
                Arguments.of("more", words(1, 1, 4, 8192), words(0, 1, 1, 0)),
                Arguments.of("2^31", words(1, 1, 4, 1 << 31), words(0, 1, 1, 0)),
                Arguments.of("too little", words(1, 1, 4, 100), words(0, 1, 1, 0)),
                Arguments.of("backward as it is", words(1, 2, 4, 2), words(1, 1, 0, 0)),
                Arguments.of("none backward", words(1, 2, 4, 0), words(0, 1, 1, 0)),
                Arguments.of("an unknown one", words(1, 99, 4, 0), words(0, 1, 1, 0)),
                Arguments.of("three", words(3, 99, 0, 1, 4, 2048, 2, 4, 0), words(1, 2, 1, 5, 0)));
    }

    @Test
    void shouldMakeNoBackwardCallIfThePeerTakesNone() {
        try (ScriptedPeer peer = ScriptedPeer.ofServer()) {
            peer.send(Words.plainCall(1, 2));
            peer.send(Words.of(1, 2, 8, 6, 1, 2, 4, 0, 0));
            Outcome call = peer.call(XID, 0, 100);
            assertTrue(call.failure.getMessage().contains("backward"), call.failure.getMessage());
            peer.send(Words.of(1, 2, 8, 9, 1, 2, 4, 1));
            Outcome inline = peer.call(XID, 0, 100);
            assertEquals(XID, peer.last()[0]);
            peer.send(Words.plainReply(XID, 2, 8));
            assertNotNull(inline.reply);
        }
    }

    @Test
    void shouldMakeBackwardCallsInlineAloneIfThePeerTakesNoOthers() {
        try (ScriptedPeer peer = ScriptedPeer.ofServer()) {
            peer.send(Words.plainCall(1, 2));
            Outcome call = peer.call(XID, 9000, 100);
            assertNotNull(call.failure, "BKREQSUP_INLINE is the default (draft, 6.2)");
            assertEquals(0, peer.link.exposures.size());
            peer.send(Words.of(1, 2, 8, 6, 1, 2, 4, 2, 0));
            peer.call(XID, 9000, 100);
            assertEquals(1, peer.link.exposures.size());
        }
    }
}
