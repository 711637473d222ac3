package org.panamaverbs.softiwarp.startup;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.panamaverbs.softiwarp.fixtures.Chopped;
import org.panamaverbs.softiwarp.mpa.Handshake;
import org.panamaverbs.softiwarp.mpa.InitiatorHandshake;
import org.panamaverbs.softiwarp.mpa.ResponderHandshake;
import org.panamaverbs.softiwarp.mpa.Terms;
import org.panamaverbs.testing.conformance.Requirement;

/** MPA's start if the responder's program rejects the connection: what each side sends and learns. */
class RejectHandshakeTest {
    private static final byte[] ASKING = HandshakeTest.ASKING;
    private static final byte[] ANSWER = HandshakeTest.ANSWER;
    private static final Terms INITIATOR = HandshakeTest.INITIATOR;
    private static final Terms REFUSAL = HandshakeTest.REFUSAL;

    private static byte[] rejecting(byte[] request) {
        ResponderHandshake responder = HandshakeTest.requested(request);
        responder.reject(REFUSAL);
        return Chopped.drain(responder);
    }

    @Test
    @Requirement("RFC5044-7.1.2-d,l")
    void shouldRejectAtAnyChopping() {
        for (int most = 1; most <= 26; most++) {
            int piece = most;
            InitiatorHandshake initiator = HandshakeTest.waiting(INITIATOR);
            ResponderHandshake responder = HandshakeTest.requested();
            responder.reject(REFUSAL);
            byte[] reply = Chopped.drain(responder, () -> piece);
            assertEquals(Handshake.State.REJECTED, responder.state());
            assertEquals(reply.length, Chopped.feed(initiator, reply, () -> piece));
            assertEquals(Handshake.State.REJECTED, initiator.state());
            assertArrayEquals(ANSWER, initiator.rejection());
        }
    }

    /** Flags and revision of the Request, and flags of the Reply that rejects. */
    @ParameterizedTest
    @CsvSource({ "00, 1, 20", "40, 1, 60", "00, 2, 20" })
    @Requirement({ "RFC5044-7.1.2-l", "RFC6581-10-b,f" })
    void shouldRejectAPlainRequestPlainly(String flags, int revision, String replied) {
        assertArrayEquals(Chopped.frame(false, Integer.parseInt(replied, 16), revision, ANSWER),
                rejecting(Chopped.frame(true, Integer.parseInt(flags, 16), revision, ASKING)));
    }

    /** RFC 6581, 9.1 and 9.2: a Reply that rejects repeats A and the depths that are not negotiated, as one that accepts does. */
    @ParameterizedTest
    @CsvSource({ "0010 0010, 0000 0000", "3fff 0002, 0000 3fff", "0004 3fff, 3fff 0000", "3fff 3fff, 3fff 3fff", "8004 8002, 8000 8000",
            "c004 0002, c000 8000", "8004 4002, 8000 8000", "bfff bfff, bfff bfff", "4004 c002, 0000 0000" })
    @Requirement({ "RFC6581-9.1-i,k", "RFC6581-9.2-d,f,g,l,m", "RFC6581-10-e" })
    void shouldReject(String request, String reply) {
        assertArrayEquals(Chopped.frame(false, 0x30, 2, HandshakeTest.words(reply), ANSWER),
                rejecting(Chopped.frame(true, 0x10, 2, HandshakeTest.words(request), ASKING)));
    }

    /** RFC 6581, 9.1: a Reply that rejects may name the ORD that the Request's IRD is too small for, and the IRD that this side has. */
    @ParameterizedTest
    @CsvSource({ "0002 0010, 0007 0009", "3fff 0010, 0007 3fff", "0002 3fff, 3fff 0009", "8004 8002, 8007 c009" })
    @Requirement("RFC6581-9.1-d")
    void shouldSayWithWhichDepthsItWouldAccept(String request, String reply) {
        ResponderHandshake responder = HandshakeTest.requested(Chopped.frame(true, 0x10, 2, HandshakeTest.words(request), ASKING));
        responder.reject(new Terms(2, true, 7, 9, ANSWER));
        assertArrayEquals(Chopped.frame(false, 0x30, 2, HandshakeTest.words(reply), ANSWER), Chopped.drain(responder));
    }

    @ParameterizedTest
    @CsvSource({ "30, 2, 0007 0009, 7, 9", "30, 2, c007 8000, 7, 0", "30, 2, 3fff 3ffe, -1, 16382", "30, 2, 0001 ffff, 1, -1" })
    @Requirement("RFC6581-9.1-h")
    void shouldShowTheDepthsOfARejection(String flags, int revision, String words, int ird, int ord) {
        InitiatorHandshake initiator = HandshakeTest.answered(INITIATOR,
                Chopped.frame(false, Integer.parseInt(flags, 16), revision, HandshakeTest.words(words), ANSWER));
        assertEquals(ird, initiator.rejectedIrd().orElse(-1));
        assertEquals(ord, initiator.rejectedOrd().orElse(-1));
    }

    /** Revision 1, a Reply without S, and one that is too short to have them. */
    @ParameterizedTest
    @CsvSource({ "30, 1, 8", "20, 2, 8", "30, 2, 3", "30, 2, 0" })
    void shouldShowNoDepthsOfARejectionThatHasNone(String flags, int revision, int length) {
        InitiatorHandshake initiator = HandshakeTest.answered(INITIATOR,
                Chopped.frame(false, Integer.parseInt(flags, 16), revision, new byte[length]));
        assertEquals(Handshake.State.REJECTED, initiator.state());
        assertTrue(initiator.rejectedIrd().isEmpty());
        assertTrue(initiator.rejectedOrd().isEmpty());
    }

    @ParameterizedTest
    @CsvSource({ "70, 2, 8005 8003", "30, 2, 0000 0000", "b0, 3, 3fff 3fff" })
    void shouldShowARejectionWhateverElseIsInIt(String flags, int revision, String words) {
        InitiatorHandshake initiator = HandshakeTest.answered(INITIATOR,
                Chopped.frame(false, Integer.parseInt(flags, 16), revision, HandshakeTest.words(words), ANSWER));
        assertEquals(Handshake.State.REJECTED, initiator.state());
        assertArrayEquals(ANSWER, initiator.rejection());
    }

    /** Whether this side asks for CRCs, the flags of the Reply, and whether the Reply may refuse the CRCs. */
    @ParameterizedTest
    @CsvSource({ "true, 20, true", "true, 60, false", "false, 20, false", "false, 60, false" })
    void shouldSayThatTheReplyLacksTheCrcsThatThisSideAsksFor(boolean crc, String flags, boolean refused) {
        InitiatorHandshake initiator = HandshakeTest.answered(new Terms(1, crc, 1, 1, ASKING),
                Chopped.frame(false, Integer.parseInt(flags, 16), 1));
        assertEquals(refused, initiator.isRejectedWithoutCrc());
    }

    @Test
    void shouldNotReadReservedBitsOfARequestInRevision1() {
        assertArrayEquals(Chopped.frame(false, 0x20, 1, ANSWER), rejecting(Chopped.frame(true, 0x3F, 1)));
    }

    @Test
    void shouldTakeARejectionThatLacksItsDepths() {
        assertArrayEquals(HandshakeTest.NOTHING, HandshakeTest.answered(INITIATOR, Chopped.frame(false, 0x30, 2, new byte[3])).rejection());
    }
}
