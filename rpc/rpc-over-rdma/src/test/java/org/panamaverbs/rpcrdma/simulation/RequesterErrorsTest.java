package org.panamaverbs.rpcrdma.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.panamaverbs.rpcrdma.simulation.Words.XID;
import static org.panamaverbs.rpcrdma.simulation.Words.join;
import static org.panamaverbs.rpcrdma.simulation.Words.words;

import java.lang.foreign.MemorySegment;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.panamaverbs.rpcrdma.endpoint.CallFailedException;
import org.panamaverbs.rpcrdma.endpoint.CallFailedException.Reason;
import org.panamaverbs.rpcrdma.endpoint.EndpointOptions;
import org.panamaverbs.rpcrdma.simulation.ScriptedPeer.Outcome;
import org.panamaverbs.rpcrdma.wire.HeaderReader;

/** The reaction of a requester to each error: the failure that its caller gets, or the message that is sent again. */
class RequesterErrorsTest {
    private static byte[] error(int version, int... rest) {
        return Words.of(join(words(XID, version, 8, 4), rest));
    }

    /** The last call that came, parsed. */
    private static HeaderReader lastCall(ScriptedPeer peer) {
        byte[] message = peer.received.stream().filter(bytes -> Words.decode(bytes)[3] <= 1).toList().getLast();
        HeaderReader header = new HeaderReader();
        assertEquals(HeaderReader.Outcome.SOUND, header.parse(MemorySegment.ofArray(message), 0, message.length, 1, 2));
        assertEquals(XID, header.xid());
        return header;
    }

    static Stream<Arguments> errors() {
        return Stream.of(Arguments.of(1, words(1, 1, 1), Reason.VERSION, "versions 1 to 1"),
                Arguments.of(1, words(1, 3, 9), Reason.VERSION, "versions 3 to 9"), Arguments.of(1, words(2), Reason.BAD_XDR, "ERR_CHUNK"),
                Arguments.of(2, words(1, 3, 9), Reason.VERSION, "versions 3 to 9"), Arguments.of(2, words(2), Reason.BAD_XDR, "BAD_XDR"),
                Arguments.of(2, words(3), Reason.INVALID_PROCEDURE, "INVAL_PROC"),
                Arguments.of(2, words(4, 0), Reason.READ_CHUNKS, "0 such chunks"),
                Arguments.of(2, words(4, -1), Reason.READ_CHUNKS, "4294967295 such chunks"),
                Arguments.of(2, words(5, 3), Reason.WRITE_CHUNKS, "3 such chunks"),
                Arguments.of(2, words(6, 7), Reason.SEGMENTS, "7 segments"),
                Arguments.of(2, words(7, 2, 100), Reason.WRITE_RESOURCE, "result 2 needs 100 bytes"),
                Arguments.of(2, words(7, 0, 0), Reason.WRITE_RESOURCE, "result 0 needs 0 bytes"),
                Arguments.of(2, words(8, 5000), Reason.REPLY_RESOURCE, "needs 5000 bytes"),
                Arguments.of(2, words(8, -1), Reason.REPLY_RESOURCE, "needs 4294967295 bytes"),
                Arguments.of(2, words(9), Reason.INVALID_OPTION, "INVAL_OPTION"), Arguments.of(2, words(10), Reason.SYSTEM, "SYSTEM"));
    }

    @ParameterizedTest
    @MethodSource("errors")
    void shouldTellTheCallerWhatThePeerSaid(int version, int[] error, Reason reason, String text) {
        try (ScriptedPeer peer = ScriptedPeer.ofClient(version)) {
            Outcome call = peer.call(XID, 0, 100);
            Outcome next = peer.call(XID + 1, 0, 100);
            peer.send(error(version, error));
            CallFailedException failure = assertInstanceOf(CallFailedException.class, call.failure);
            assertEquals(reason, failure.reason());
            assertTrue(failure.getMessage().contains(text), failure.getMessage());
            assertEquals(1, call.ends);
            peer.send(Words.plainReply(XID + 1, version, 8));
            assertNotNull(next.reply, "the call after it");
        }
    }

    /** "A receiver MUST silently discard an RDMA_ERROR procedure that it cannot decode" (RFC 8166, 4.5). */
    @ParameterizedTest
    @MethodSource("undecodable")
    void shouldDiscardAnErrorThatItCannotDecode(int version, int[] error) {
        try (ScriptedPeer peer = ScriptedPeer.ofClient(version)) {
            Outcome call = peer.call(XID, 0, 100);
            assertEquals(0, peer.send(error(version, error)).size(), "nothing is answered");
            assertEquals(0, call.ends);
            peer.send(Words.plainReply(XID, version, 8));
            assertNotNull(call.reply);
        }
    }

    static Stream<Arguments> undecodable() {
        return Stream.of(Arguments.of(1, words()), Arguments.of(1, words(0)), Arguments.of(1, words(3)), Arguments.of(1, words(1, 1)),
                Arguments.of(2, words(0)), Arguments.of(2, words(11)), Arguments.of(2, words(-1)), Arguments.of(2, words(1, 1)),
                Arguments.of(2, words(7, 1)), Arguments.of(2, words(8)));
    }

    @Test
    void shouldFallBackToTheVersionThatThePeerHas() {
        try (ScriptedPeer peer = ScriptedPeer.ofClient(2)) {
            Outcome call = peer.call(XID, 0, 100);
            assertEquals(2, lastCall(peer).version());
            peer.send(error(2, 1, 1, 1));
            assertEquals(1, lastCall(peer).version());
            assertEquals(0, call.ends);
            assertEquals(0, peer.endpoint.confirmedVersion());
            peer.send(Words.plainReply(XID, 1, 8));
            assertNotNull(call.reply);
            assertEquals(1, peer.endpoint.confirmedVersion());
            assertEquals(1, call.sent, "the caller hears once that it was sent");
        }
    }

    @Test
    void shouldNotFallBackOnceTheVersionIsAgreedOn() {
        try (ScriptedPeer peer = ScriptedPeer.ofClient(2)) {
            peer.call(XID + 1, 0, 100);
            peer.send(Words.plainReply(XID + 1, 2, 8));
            Outcome call = peer.call(XID, 0, 100);
            peer.send(error(2, 1, 1, 1));
            assertEquals(Reason.VERSION, ((CallFailedException) call.failure).reason());
            assertEquals(2, peer.endpoint.version());
        }
    }

    @Test
    void shouldSendAgainAsALongCallIfThePeerTakesNoReadChunks() {
        try (ScriptedPeer peer = ScriptedPeer.ofClient(2)) {
            Outcome call = peer.call(XID, 9000, 100);
            assertEquals(12, lastCall(peer).chunks().reads().position(0));
            peer.send(error(2, 4, 0));
            assertEquals(0, lastCall(peer).chunks().reads().position(0));
            assertEquals(1, peer.link.exposures.size(), "the memory of the first form is closed");
            peer.send(error(2, 4, 0));
            assertEquals(Reason.READ_CHUNKS, ((CallFailedException) call.failure).reason());
            assertEquals(0, peer.link.exposures.size());
        }
    }

    @Test
    void shouldSendAgainWithAReplyChunkIfThePeerTakesNotSoManyWriteChunks() {
        for (int[] error : new int[][] { { 5, 1 }, { 8, 0 } }) {
            try (ScriptedPeer peer = ScriptedPeer.ofClient(2)) {
                Outcome call = peer.call(XID, 0, 100, peer.wire.allocate(3000), peer.wire.allocate(2001));
                assertEquals(2, lastCall(peer).chunks().writeChunks());
                peer.send(error(2, error));
                assertEquals(0, lastCall(peer).chunks().writeChunks());
                assertEquals(100 + 3000 + 2004, lastCall(peer).chunks().reply().totalLength());
                peer.send(error(2, error));
                assertInstanceOf(CallFailedException.class, call.failure);
            }
        }
    }

    @Test
    void shouldSendAgainWithMoreRoomIfTheCallIsRepeatable() {
        try (ScriptedPeer peer = ScriptedPeer.ofClient(2)) {
            Outcome call = peer.call(XID, 0, 100, true);
            peer.send(error(2, 8, 5000));
            assertEquals(5000, lastCall(peer).chunks().reply().totalLength());
            peer.send(error(2, 8, 5000));
            assertEquals(Reason.REPLY_RESOURCE, ((CallFailedException) call.failure).reason());
        }
    }

    @Test
    void shouldNotTakeMoreRoomThanItsLongestMessage() {
        try (ScriptedPeer peer = ScriptedPeer.ofClient(2)) {
            Outcome call = peer.call(XID, 0, 100, true);
            peer.send(error(2, 8, (1 << 16) + 1));
            assertEquals(Reason.REPLY_RESOURCE, ((CallFailedException) call.failure).reason());
        }
    }

    @Test
    void shouldHaveOneCallOutstandingBeforeTheFirstAnswerAndSoManyAsGrantedLater() {
        for (int version = 1; version <= 2; version++) {
            for (int grant : new int[] { 0, 1, 3, 1 << 31, -1, 1000 }) {
                try (ScriptedPeer peer = ScriptedPeer.ofClient(version)) {
                    for (int i = 0; i < 20; i++) {
                        peer.call(i, 0, 100);
                    }
                    assertEquals(1, peer.received.size());
                    peer.send(Words.plainReply(0, version, grant));
                    // No answer grants less than one; and no more are sent than were asked for.
                    long calls = peer.received.stream().filter(bytes -> Words.decode(bytes)[3] == 0).count() - 1;
                    assertEquals(grant == 1000 ? 8 : Math.max(1, grant), calls, "version " + version + ", granted " + grant);
                }
            }
        }
    }

    @Test
    void shouldSendAFirstMessageOfVersion2ThatVersion1CanTake() {
        try (ScriptedPeer peer = ScriptedPeer.ofClient(2)) {
            peer.call(XID + 1, 2000, 100);
            assertTrue(peer.received.getFirst().length <= 1024, "it has " + peer.received.getFirst().length + " bytes");
            peer.send(Words.plainReply(XID + 1, 2, 8));
            Outcome call = peer.call(XID, 3900, 100);
            assertTrue(peer.received.getLast().length > 3900, "inline, up to 4096 bytes");
            assertNull(call.failure);
        }
    }

    @Test
    void shouldOfferAReplyChunkForMoreThanAPeerWithoutPropertiesSends() {
        EndpointOptions options = ScriptedPeer.options(true, 2, 2);
        for (boolean announced : new boolean[] { false, true }) {
            try (ScriptedPeer peer = ScriptedPeer.of(options, 16_384)) {
                peer.call(XID + 1, 0, 100);
                if (announced) {
                    peer.send(Words.of(7, 2, 8, 6, 0, 0));
                }
                peer.send(Words.plainReply(XID + 1, 2, 8));
                peer.call(XID, 0, 5000);
                assertEquals(!announced, lastCall(peer).chunks().hasReply());
            }
        }
    }
}
