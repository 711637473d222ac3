package org.panamaverbs.softiwarp.startup;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.softiwarp.fixtures.Chopped;
import org.panamaverbs.softiwarp.fixtures.Forge;
import org.panamaverbs.softiwarp.fixtures.MarkedStream;
import org.panamaverbs.softiwarp.memory.IoVector;
import org.panamaverbs.softiwarp.mpa.Agreement;
import org.panamaverbs.softiwarp.mpa.Handshake;
import org.panamaverbs.softiwarp.mpa.InitiatorHandshake;
import org.panamaverbs.softiwarp.mpa.ReadyIndication;
import org.panamaverbs.softiwarp.mpa.ResponderHandshake;
import org.panamaverbs.softiwarp.mpa.Terms;
import org.panamaverbs.testing.conformance.Requirement;

/** Both machines of MPA's start: what they send, what they agree on, each outcome, and calls out of order. */
class HandshakeTest {
    static final byte[] ASKING = { 1, 2, 3 };
    static final byte[] ANSWER = { 4, 5 };
    static final byte[] NOTHING = {};
    static final Terms INITIATOR = new Terms(2, true, 10, 20, ASKING);
    private static final Terms RESPONDER = new Terms(2, true, 5, 30, ANSWER);
    static final Terms REFUSAL = new Terms(2, true, 0, 0, ANSWER);

    private static InitiatorHandshake initiator(Terms terms) {
        return new InitiatorHandshake(terms);
    }

    /** One that has sent its Request. */
    static InitiatorHandshake waiting(Terms terms) {
        InitiatorHandshake initiator = initiator(terms);
        Chopped.drain(initiator);
        return initiator;
    }

    static InitiatorHandshake answered(Terms terms, byte[] reply) {
        InitiatorHandshake initiator = waiting(terms);
        assertEquals(reply.length, Chopped.feed(initiator, reply));
        return initiator;
    }

    private static ResponderHandshake responder() {
        return new ResponderHandshake();
    }

    static ResponderHandshake requested(byte[] request) {
        ResponderHandshake responder = responder();
        assertEquals(request.length, Chopped.feed(responder, request));
        return responder;
    }

    static ResponderHandshake requested() {
        return requested(Forge.start(true, true, 16, 16));
    }

    private static byte[] accepting(byte[] request, Terms terms) {
        ResponderHandshake responder = requested(request);
        responder.accept(terms);
        return Chopped.drain(responder);
    }

    // The two together.

    @Test
    @Requirement({ "RFC5044-7.1.1-c", "RFC5044-7.1.2-e,f,i" })
    void shouldAgreeAtAnyChopping() {
        for (int most = 1; most <= 27; most++) {
            int piece = most;
            InitiatorHandshake initiator = initiator(INITIATOR);
            ResponderHandshake responder = responder();
            byte[] request = Chopped.drain(initiator, () -> piece);
            assertEquals(Handshake.State.RECEIVING, initiator.state());
            assertEquals(request.length, Chopped.feed(responder, request, () -> piece));
            assertEquals(Handshake.State.REQUESTED, responder.state());
            assertArrayEquals(ASKING, responder.privateData());
            assertEquals(10, responder.remoteIrd());
            assertEquals(20, responder.remoteOrd());
            responder.accept(RESPONDER);
            byte[] reply = Chopped.drain(responder, () -> piece);
            assertEquals(reply.length, Chopped.feed(initiator, reply, () -> piece));
            assertAgreement(true, 5, 10, ReadyIndication.AWAITED_SEND, ASKING, responder);
            assertAgreement(true, 10, 5, ReadyIndication.WRITE, ANSWER, initiator);
        }
    }

    private static void assertAgreement(boolean crc, int ird, int ord, ReadyIndication ready, byte[] privateData, Handshake machine) {
        assertEquals(Handshake.State.AGREED, machine.state());
        Agreement agreement = machine.agreement();
        assertEquals(crc, agreement.crc(), "CRC");
        assertEquals(ird, agreement.ird(), "IRD");
        assertEquals(ord, agreement.ord(), "ORD");
        assertEquals(ready, agreement.ready(), "ready-to-receive indication");
        assertFalse(agreement.markers(), "Markers");
        assertArrayEquals(privateData, agreement.privateData());
    }

    @Test
    @Requirement({ "RFC5044-7.1-a", "RFC5044-7.1.2-p" })
    void shouldNeverAskForWhatFollowsTheFrame() {
        byte[] stream = Forge.join(Chopped.frame(false, 0x50, 2, Chopped.words(0x8005, 0x8003), ANSWER), Forge.ready(true));
        for (int most = 1; most <= stream.length; most++) {
            int piece = most;
            InitiatorHandshake initiator = waiting(INITIATOR);
            assertEquals(26, Chopped.feed(initiator, stream, () -> piece));
            assertEquals(Handshake.State.AGREED, initiator.state());
        }
    }

    @Test
    @Requirement({ "RFC5044-7.1.1-q,s", "RFC5044-7.1.2-p" })
    void shouldTakeAsMuchPrivateDataAsThereMayBe() {
        byte[] most = Forge.payload(508);
        InitiatorHandshake initiator = initiator(new Terms(2, true, 1, 1, most));
        ResponderHandshake responder = requested(Chopped.drain(initiator));
        assertArrayEquals(most, responder.privateData());
        responder.accept(new Terms(2, true, 1, 1, most));
        Chopped.feed(initiator, Chopped.drain(responder));
        assertArrayEquals(most, initiator.agreement().privateData());
    }

    // The Request.

    @Test
    @Requirement({ "RFC5044-7.1.1-a,e,m,q", "RFC5044-7.1.2-a", "RFC6581-6-b,d", "RFC6581-9-a", "RFC6581-9.2-a,b" })
    void shouldAskForThePeerToPeerModel() {
        assertArrayEquals(Chopped.frame(true, 0x50, 2, Chopped.words(0xC000 | 10, 0xC000 | 20), ASKING),
                Chopped.drain(initiator(INITIATOR)));
    }

    @Test
    @Requirement({ "RFC5044-7.1.1-a,m,n", "RFC5044-7.1.2-a", "RFC6581-6-a", "RFC6581-10-c" })
    void shouldSayNothingOfDepthsInRevision1() {
        assertArrayEquals(Chopped.frame(true, 0, 1, ASKING), Chopped.drain(initiator(new Terms(1, false, 10, 20, ASKING))));
    }

    // The Reply.

    /** Words of a Request, our IRD and ORD, and the words of the Reply. */
    @ParameterizedTest
    @CsvSource({ "0010 0010, 16, 16, 0010 0010", "0004 0002, 16, 16, 0010 0004", "0004 0002, 1, 3, 0001 0003",
            "0000 0000, 16, 16, 0010 0000", "3fff 0002, 7, 9, 0007 3fff", "0004 3fff, 7, 9, 3fff 0004", "3fff 3fff, 7, 9, 3fff 3fff",
            "8004 8002, 7, 9, 8007 c004", "c004 0002, 7, 9, c007 c004", "c004 8002, 7, 9, c007 c004", "8004 4002, 7, 9, 8007 c004",
            "bfff bfff, 7, 9, bfff ffff", "ffff 0002, 7, 9, c007 ffff", "4004 c002, 7, 9, 0007 0004" })
    @Requirement({ "RFC6581-6-d", "RFC6581-9-a", "RFC6581-9.1-b,c,i,k", "RFC6581-9.2-d..g,l..n", "RFC6581-10-a,e" })
    void shouldAccept(String request, int ird, int ord, String reply) {
        Terms terms = new Terms(2, false, ird, ord, ANSWER);
        assertArrayEquals(Chopped.frame(false, 0x10, 2, words(reply), ANSWER),
                accepting(Chopped.frame(true, 0x10, 2, words(request), ASKING), terms));
    }

    /** With an IRD of 0 not even a Read of no bytes is served: it cannot be the ready-to-receive indication. */
    @ParameterizedTest
    @CsvSource({ "8004 8002, 8000 8004", "8004 c002, 8000 8004", "c004 4002, c000 8004", "8004 bfff, bfff 8004", "8004 7fff, bfff 8004",
            "0004 0002, 0000 0004" })
    @Requirement("RFC6581-9.2-d,g")
    void shouldNotOfferAReadAsIndicationIfItServesNone(String request, String reply) {
        Terms terms = new Terms(2, false, 0, 9, ANSWER);
        assertArrayEquals(Chopped.frame(false, 0x10, 2, words(reply), ANSWER),
                accepting(Chopped.frame(true, 0x10, 2, words(request), ASKING), terms));
    }

    /** RFC 6581, 9.1: an initiator that offers a Read alone gets an IRD of 1, so that it can send its indication. */
    @ParameterizedTest
    @CsvSource({ "8004 4002, 8001 c004", "8004 4000, 8001 c004" })
    @Requirement("RFC6581-9.2-c")
    void shouldServeOneReadIfTheIndicationNeedsIt(String request, String reply) {
        ResponderHandshake responder = requested(Chopped.frame(true, 0x10, 2, words(request), ASKING));
        responder.accept(new Terms(2, false, 0, 9, ANSWER));
        assertArrayEquals(Chopped.frame(false, 0x10, 2, words(reply), ANSWER), Chopped.drain(responder));
        assertEquals(1, responder.agreement().ird());
    }

    /** Flags of a frame, its revision, and whether we put Markers into our FPDUs: M has the same meaning in both revisions. */
    @ParameterizedTest
    @CsvSource({ "80, 1, true", "c0, 1, true", "90, 2, true", "d0, 2, true", "80, 2, true", "50, 2, false", "40, 1, false" })
    @Requirement({ "RFC5044-4.3-a", "RFC5044-7.1.1-e..i" })
    void shouldSendMarkersIfThePeerAsksAndAskForNone(String flags, int revision, boolean markers) {
        int bits = Integer.parseInt(flags, 16);
        byte[] words = (bits & 0x10) == 0 ? NOTHING : Chopped.words(5, 3);
        ResponderHandshake responder = requested(Chopped.frame(true, bits, revision, words));
        responder.accept(new Terms(2, true, 5, 5, ANSWER));
        assertEquals(0x40, Chopped.drain(responder)[16] & 0xC0, "M and C of the Reply");
        assertEquals(markers, responder.agreement().markers());
        InitiatorHandshake initiator = initiator(new Terms(revision, true, 10, 20, ASKING));
        assertEquals(0x40, Chopped.drain(initiator)[16] & 0xC0, "M and C of the Request");
        Chopped.feed(initiator, Chopped.frame(false, bits, revision, words));
        assertEquals(markers, initiator.agreement().markers());
    }

    /** The words of a Request, of a Reply, and the depths of the peer that each program learns; -1 for none. */
    @ParameterizedTest
    @CsvSource({ "0005 0003, 5, 3", "3fff 0003, -1, 3", "0005 3fff, 5, -1", "c000 c000, 0, 0" })
    @Requirement("RFC6581-9.1-a,h")
    void shouldPassThePeersDepthsOn(String words, int ird, int ord) {
        ResponderHandshake responder = requested(Chopped.frame(true, 0x10, 2, words(words)));
        responder.accept(RESPONDER);
        Chopped.drain(responder);
        InitiatorHandshake initiator = answered(INITIATOR, Chopped.frame(false, 0x10, 2, words(words)));
        for (Handshake machine : new Handshake[] { responder, initiator }) {
            assertEquals(ird, machine.agreement().remoteIrd().orElse(-1));
            assertEquals(ord, machine.agreement().remoteOrd().orElse(-1));
        }
    }

    static byte[] words(String hexadecimal) {
        return Chopped.words(Integer.parseInt(hexadecimal.substring(0, 4), 16), Integer.parseInt(hexadecimal.substring(5), 16));
    }

    /** The flags of a Request, whether we ask for CRCs, and the flags of the Reply. */
    @ParameterizedTest
    @CsvSource({ "00, false, 00", "40, false, 40", "00, true, 40", "40, true, 40", "20, false, 00" })
    @Requirement({ "RFC5044-4.4-a", "RFC5044-7.1.1-j,k" })
    void shouldTurnCrcsOnIfEitherSideAsks(String flags, boolean crc, String replied) {
        ResponderHandshake responder = requested(Chopped.frame(true, Integer.parseInt(flags, 16), 1, ASKING));
        responder.accept(new Terms(2, crc, 1, 1, ANSWER));
        assertArrayEquals(Chopped.frame(false, Integer.parseInt(replied, 16), 1, ANSWER), Chopped.drain(responder));
        assertEquals(!replied.equals("00"), responder.agreement().crc());
    }

    @ParameterizedTest
    @ValueSource(ints = { 1, 2 })
    @Requirement({ "RFC6581-6-c", "RFC6581-10-b,d,f" })
    void shouldAnswerAPlainRequestPlainly(int revision) {
        ResponderHandshake responder = requested(Chopped.frame(true, 0, revision, ASKING));
        assertArrayEquals(ASKING, responder.privateData());
        assertEquals(0x3FFF, responder.remoteIrd());
        assertEquals(0x3FFF, responder.remoteOrd());
        responder.accept(new Terms(2, false, 3, 4, ANSWER));
        assertArrayEquals(Chopped.frame(false, 0, revision, ANSWER), Chopped.drain(responder));
        assertAgreement(false, 3, 4, ReadyIndication.NONE, ASKING, responder);
    }

    /** Words of a Request: only the peer-to-peer model has an indication, and a Send is one only if the Request offers it. */
    @ParameterizedTest
    @CsvSource({ "0005 0003, NONE", "4005 c003, NONE", "8005 8003, AWAITED", "8005 4003, AWAITED", "c005 0003, AWAITED_SEND",
            "c005 c003, AWAITED_SEND" })
    void shouldAwaitTheIndicationThatTheRequestOffers(String words, ReadyIndication awaited) {
        int first = Integer.parseInt(words.substring(0, 4), 16);
        int second = Integer.parseInt(words.substring(5), 16);
        ResponderHandshake responder = requested(Chopped.frame(true, 0x50, 2, Chopped.words(first, second), ASKING));
        responder.accept(RESPONDER);
        Chopped.drain(responder);
        assertEquals(awaited, responder.agreement().ready());
    }

    // The results of a Reply.

    /** Words of a Reply, the ORD and the ready-to-receive indication; we have an IRD of 10 and want an ORD of 20. */
    @ParameterizedTest
    @CsvSource({ "0005 0003, 5, NONE", "0030 000a, 20, NONE", "3fff 0003, 20, NONE", "0005 3fff, 5, NONE", "8005 8003, 5, WRITE",
            "8005 c003, 5, WRITE", "c000 c000, 0, WRITE", "8005 4003, 5, READ", "c005 4003, 5, READ", "c005 0003, 5, SEND",
            "0005 c003, 5, NONE", "4005 0003, 5, NONE" })
    @Requirement({ "RFC6581-9.1-e,j,l", "RFC6581-9.2-n" })
    void shouldAgreeToAReply(String words, int ord, ReadyIndication ready) {
        assertAgreement(true, 10, ord, ready, ANSWER, answered(INITIATOR, Chopped.frame(false, 0x50, 2, words(words), ANSWER)));
    }

    @ParameterizedTest
    @ValueSource(ints = { 1, 2 })
    void shouldAgreeToAPlainReply(int revision) {
        assertAgreement(true, 10, 20, ReadyIndication.NONE, ANSWER, answered(INITIATOR, Chopped.frame(false, 0x40, revision, ANSWER)));
    }

    /** S and the reserved bits count from revision 2 on: before it, the words are private data (RFC 5044, 7.1.1; RFC 6581, 6). */
    @Test
    @Requirement({ "RFC5044-7.1.1-m", "RFC6581-6-a" })
    void shouldNotReadReservedBitsOfAReplyInRevision1() {
        byte[] data = Forge.join(Chopped.words(0x8005, 0x4003), ANSWER);
        assertAgreement(true, 10, 20, ReadyIndication.NONE, data, answered(INITIATOR, Chopped.frame(false, 0x5F, 1, data)));
        assertAgreement(true, 10, 20, ReadyIndication.NONE, NOTHING, answered(INITIATOR, Chopped.frame(false, 0x5F, 1)));
        assertArrayEquals(data, answered(INITIATOR, Chopped.frame(false, 0x7F, 1, data)).rejection());
    }

    @Test
    @Requirement({ "RFC5044-7.1.1-m", "RFC6581-6-a,c", "RFC6581-10-d" })
    void shouldNotReadReservedBitsOfARequestInRevision1() {
        byte[] data = Forge.join(Chopped.words(0x8005, 0x4003), ASKING);
        ResponderHandshake responder = requested(Chopped.frame(true, 0x3F, 1, data));
        assertArrayEquals(data, responder.privateData());
        assertEquals(0x3FFF, responder.remoteIrd());
        assertEquals(0x3FFF, responder.remoteOrd());
        responder.accept(new Terms(2, false, 1, 1, ANSWER));
        assertArrayEquals(Chopped.frame(false, 0, 1, ANSWER), Chopped.drain(responder));
    }

    @Test
    @Requirement("RFC5044-7.1.1-m")
    void shouldNotReadReservedBitsInRevision2() {
        assertAgreement(true, 10, 5, ReadyIndication.WRITE, ANSWER,
                answered(INITIATOR, Chopped.frame(false, 0x5F, 2, Chopped.words(0x8005, 0x8003), ANSWER)));
        assertArrayEquals(Chopped.frame(false, 0, 2, ANSWER), accepting(Chopped.frame(true, 0x0F, 2), new Terms(2, false, 1, 1, ANSWER)));
    }

    /** RFC 5044, 7.1.1: CRCs are used if either frame asks for them. */
    @ParameterizedTest
    @CsvSource({ "true, 10", "true, 50", "false, 10", "false, 50", "true, 00", "false, 40" })
    @Requirement({ "RFC5044-4.4-a", "RFC5044-7.1.1-k", "RFC5044-C.1-b" })
    void shouldUseCrcsIfEitherSideAsks(boolean crc, String flags) {
        Terms terms = new Terms(2, crc, 10, 20, ASKING);
        byte[] reply = Chopped.frame(false, Integer.parseInt(flags, 16), 2, Chopped.words(5, 3));
        InitiatorHandshake initiator = answered(terms, reply);
        assertEquals(Handshake.State.AGREED, initiator.state());
        assertEquals(crc || !flags.endsWith("10") && !flags.equals("00"), initiator.agreement().crc());
    }

    /** Flags and words of a Reply, the code of layer 2 and type 0 (RFC 6581, 8), and what the failure says. */
    @ParameterizedTest
    @CsvSource({ "50, 8005 0003, 7, no ready-to-receive indication", "10, 8005 0003, 7, no ready-to-receive indication",
            "50, 0005 000b, 6, wants 11 outstanding Reads", "50, c005 c00b, 6, wants 11 outstanding Reads",
            "50, 8005 000b, 6, wants 11 outstanding Reads", "50, 3fff 3ffe, 6, wants 16382 outstanding Reads" })
    @Requirement({ "RFC6581-9.1-e..g", "RFC6581-9.2-i,j" })
    void shouldRefuseTheWordsOfAReplyByATerminate(String flags, String words, int code, String says) {
        byte[] expected = Forge
                .fpdu(Forge.untagged(Forge.LAST_UNTAGGED, Forge.TERMINATE, 0, 2, 1, 0, new byte[] { 0x20, (byte) code, 0, 0 }), true);
        for (int most = 1; most <= expected.length; most++) {
            int piece = most;
            InitiatorHandshake initiator = answered(INITIATOR, Chopped.frame(false, Integer.parseInt(flags, 16), 2, words(words), ANSWER));
            assertEquals(Handshake.State.SENDING, initiator.state());
            assertTrue(initiator.waitsFor().contains(says), initiator.waitsFor());
            assertArrayEquals(expected, Chopped.drain(initiator, () -> piece));
            assertEquals(Handshake.State.FAILED, initiator.state());
            assertTrue(initiator.failure().contains(says), initiator.failure());
        }
    }

    @Test
    void shouldSendItsTerminateWithoutCrcIfThereAreNone() {
        Terms terms = new Terms(2, false, 1, 1, ASKING);
        byte[] terminate = Chopped.drain(answered(terms, Chopped.frame(false, 0x10, 2, words("0001 0002"))));
        assertArrayEquals(Forge.fpdu(Forge.untagged(Forge.LAST_UNTAGGED, Forge.TERMINATE, 0, 2, 1, 0, new byte[] { 0x20, 6, 0, 0 }), false),
                terminate);
    }

    /** Its first bytes are the Marker that is before every first FPDU (RFC 5044, 7.1.2 (7)), and the CRC covers that Marker. */
    @Test
    void shouldSendItsTerminateBehindAMarkerIfThePeerAsksForThem() {
        byte[] terminate = Chopped.drain(answered(INITIATOR, Chopped.frame(false, 0x90, 2, words("0001 000b"))));
        MarkedStream stream = new MarkedStream(true);
        stream.add(terminate);
        assertEquals(1, stream.markers());
        assertArrayEquals(Forge.fpdu(Forge.untagged(Forge.LAST_UNTAGGED, Forge.TERMINATE, 0, 2, 1, 0, new byte[] { 0x20, 6, 0, 0 }), true),
                stream.plain());
    }

    @Test
    void shouldKeepTheReasonOfItsTerminateIfThePeerEndsTheStreamFirst() {
        InitiatorHandshake initiator = answered(INITIATOR, Chopped.frame(false, 0x50, 2, words("0005 000b")));
        initiator.onEndOfStream();
        assertTrue(initiator.failure().contains("wants 11 outstanding Reads"), initiator.failure());
    }

    // The end of the stream, and of the time.

    @Test
    void shouldSayAfterHowManyBytesTheStreamEnded() {
        byte[] reply = Forge.start(false, true, 1, 1);
        for (int come = 0; come < reply.length; come++) {
            InitiatorHandshake initiator = waiting(INITIATOR);
            Chopped.feed(initiator, Arrays.copyOf(reply, come));
            initiator.onEndOfStream();
            assertEquals("not an MPA peer, or one that gave up: it closed the connection after " + come
                    + " bytes of its MPA Reply; is a program that speaks iWARP at that address?", initiator.failure());
        }
    }

    @Test
    void shouldSayHowMuchOfTheRequestCameInTime() {
        byte[] request = Forge.start(true, true, 1, 1);
        for (int come = 0; come < request.length; come++) {
            ResponderHandshake responder = responder();
            Chopped.feed(responder, Arrays.copyOf(request, come));
            responder.onTimeout();
            assertEquals("not an MPA peer: it connected, and sent only " + come + " bytes of an MPA Request in time", responder.failure());
        }
    }

    @Test
    void shouldSayWhatTheInitiatorWaitsFor() {
        InitiatorHandshake initiator = initiator(INITIATOR);
        assertTrue(initiator.waitsFor().contains("took no MPA Request"), initiator.waitsFor());
        Chopped.drain(initiator);
        assertTrue(initiator.waitsFor().contains("no MPA Reply came"), initiator.waitsFor());
        Chopped.feed(initiator, Arrays.copyOf(Forge.start(false, true, 1, 1), 7));
        assertTrue(initiator.waitsFor().contains("only 7 bytes of an MPA Reply"), initiator.waitsFor());
    }

    // Calls out of order.

    private static final Map<Handshake.State, Supplier<InitiatorHandshake>> INITIATORS = new LinkedHashMap<>();
    private static final Map<Handshake.State, Supplier<ResponderHandshake>> RESPONDERS = new LinkedHashMap<>();
    private static final Map<String, Consumer<InitiatorHandshake>> INITIATOR_CALLS = new LinkedHashMap<>();
    private static final Map<String, Consumer<ResponderHandshake>> RESPONDER_CALLS = new LinkedHashMap<>();

    static {
        INITIATORS.put(Handshake.State.SENDING, () -> initiator(INITIATOR));
        INITIATORS.put(Handshake.State.RECEIVING, () -> waiting(INITIATOR));
        INITIATORS.put(Handshake.State.AGREED, () -> answered(INITIATOR, Forge.start(false, true, 1, 1)));
        INITIATORS.put(Handshake.State.REJECTED, () -> answered(INITIATOR, Chopped.frame(false, 0x20, 2, ANSWER)));
        INITIATORS.put(Handshake.State.FAILED, () -> answered(INITIATOR, Chopped.frame(false, 0x40, 0)));
        RESPONDERS.put(Handshake.State.RECEIVING, HandshakeTest::responder);
        RESPONDERS.put(Handshake.State.REQUESTED, HandshakeTest::requested);
        RESPONDERS.put(Handshake.State.SENDING, () -> {
            ResponderHandshake responder = requested();
            responder.accept(RESPONDER);
            return responder;
        });
        RESPONDERS.put(Handshake.State.AGREED, () -> {
            ResponderHandshake responder = requested();
            responder.accept(RESPONDER);
            Chopped.drain(responder);
            return responder;
        });
        RESPONDERS.put(Handshake.State.REJECTED, () -> {
            ResponderHandshake responder = requested();
            responder.reject(REFUSAL);
            Chopped.drain(responder);
            return responder;
        });
        RESPONDERS.put(Handshake.State.FAILED, () -> requested(Chopped.frame(true, 0x40, 0)));
        INITIATOR_CALLS.put("onSent", machine -> machine.onSent(1));
        INITIATOR_CALLS.put("onReceived", machine -> Chopped.put(machine, 'M'));
        INITIATOR_CALLS.put("onEndOfStream", Handshake::onEndOfStream);
        INITIATOR_CALLS.put("agreement", Handshake::agreement);
        INITIATOR_CALLS.put("failure", Handshake::failure);
        INITIATOR_CALLS.put("rejection", InitiatorHandshake::rejection);
        INITIATOR_CALLS.put("rejectedIrd", InitiatorHandshake::rejectedIrd);
        INITIATOR_CALLS.put("rejectedOrd", InitiatorHandshake::rejectedOrd);
        INITIATOR_CALLS.put("waitsFor", InitiatorHandshake::waitsFor);
        RESPONDER_CALLS.put("onSent", machine -> machine.onSent(1));
        RESPONDER_CALLS.put("onReceived", machine -> Chopped.put(machine, 'M'));
        RESPONDER_CALLS.put("onEndOfStream", Handshake::onEndOfStream);
        RESPONDER_CALLS.put("onTimeout", ResponderHandshake::onTimeout);
        RESPONDER_CALLS.put("accept", machine -> machine.accept(RESPONDER));
        RESPONDER_CALLS.put("reject", machine -> machine.reject(REFUSAL));
        RESPONDER_CALLS.put("agreement", Handshake::agreement);
        RESPONDER_CALLS.put("failure", Handshake::failure);
        RESPONDER_CALLS.put("privateData", ResponderHandshake::privateData);
        RESPONDER_CALLS.put("remoteIrd", ResponderHandshake::remoteIrd);
        RESPONDER_CALLS.put("remoteOrd", ResponderHandshake::remoteOrd);
    }

    /** The result of each call in each state; a call that is not listed throws, and changes nothing. */
    private static final String INITIATOR_TABLE = """
            SENDING onSent SENDING
            SENDING onEndOfStream FAILED
            SENDING waitsFor SENDING
            RECEIVING onReceived RECEIVING
            RECEIVING onEndOfStream FAILED
            RECEIVING waitsFor RECEIVING
            AGREED agreement AGREED
            AGREED waitsFor AGREED
            REJECTED rejection REJECTED
            REJECTED rejectedIrd REJECTED
            REJECTED rejectedOrd REJECTED
            REJECTED waitsFor REJECTED
            FAILED failure FAILED
            FAILED waitsFor FAILED
            """;
    private static final String RESPONDER_TABLE = """
            RECEIVING onReceived RECEIVING
            RECEIVING onEndOfStream FAILED
            RECEIVING onTimeout FAILED
            REQUESTED onEndOfStream FAILED
            REQUESTED onTimeout REQUESTED
            REQUESTED accept SENDING
            REQUESTED reject SENDING
            REQUESTED privateData REQUESTED
            REQUESTED remoteIrd REQUESTED
            REQUESTED remoteOrd REQUESTED
            SENDING onSent SENDING
            SENDING onEndOfStream FAILED
            SENDING onTimeout SENDING
            SENDING privateData SENDING
            SENDING remoteIrd SENDING
            SENDING remoteOrd SENDING
            AGREED onTimeout AGREED
            AGREED agreement AGREED
            AGREED privateData AGREED
            AGREED remoteIrd AGREED
            AGREED remoteOrd AGREED
            REJECTED onTimeout REJECTED
            REJECTED privateData REJECTED
            REJECTED remoteIrd REJECTED
            REJECTED remoteOrd REJECTED
            FAILED onTimeout FAILED
            FAILED failure FAILED
            """;

    private static <T extends Handshake> String table(Map<Handshake.State, Supplier<T>> machines, Map<String, Consumer<T>> calls) {
        StringBuilder table = new StringBuilder();
        machines.forEach((state, make) -> calls.forEach((name, call) -> {
            T machine = make.get();
            assertEquals(state, machine.state());
            long asked = asked(machine);
            long offered = machine.pollTransmit().bytes();
            try {
                call.accept(machine);
                table.append(state).append(' ').append(name).append(' ').append(machine.state()).append('\n');
            } catch (IllegalStateException e) {
                assertEquals(name + " in state " + state, e.getMessage());
                assertEquals(state, machine.state());
                assertEquals(asked, asked(machine));
                assertEquals(offered, machine.pollTransmit().bytes());
            }
        }));
        return table.toString();
    }

    private static long asked(Handshake machine) {
        IoVector in = new IoVector(1);
        machine.pollReceive(in);
        return in.bytes();
    }

    @Test
    void shouldRefuseWhatIsOutOfOrderToTheInitiator() {
        assertEquals(INITIATOR_TABLE, table(INITIATORS, INITIATOR_CALLS));
    }

    @Test
    @Requirement("RFC5044-7.1.2-b")
    void shouldRefuseWhatIsOutOfOrderToTheResponder() {
        assertEquals(RESPONDER_TABLE, table(RESPONDERS, RESPONDER_CALLS));
    }

    @Test
    void shouldAskForNothingAndSendNothingAfterAnOutcome() {
        INITIATORS.forEach((state, make) -> assertQuiet(state, make.get()));
        RESPONDERS.forEach((state, make) -> assertQuiet(state, make.get()));
        InitiatorHandshake cutOff = initiator(INITIATOR);
        cutOff.onEndOfStream();
        assertQuiet(Handshake.State.FAILED, cutOff);
    }

    private static void assertQuiet(Handshake.State state, Handshake machine) {
        boolean sends = state == Handshake.State.SENDING;
        boolean receives = state == Handshake.State.RECEIVING;
        assertEquals(sends, machine.pollTransmit().size() > 0, () -> "sends in " + state);
        assertEquals(receives, asked(machine) > 0, () -> "asks in " + state);
    }

    @ParameterizedTest
    @ValueSource(longs = { 0, -1, 28, Long.MAX_VALUE, Long.MIN_VALUE, 1L << 32 | 1 })
    void shouldRefuseCountsThatWereNotAskedFor(long count) {
        InitiatorHandshake sending = initiator(INITIATOR);
        assertThrows(IllegalArgumentException.class, () -> sending.onSent(count));
        assertEquals(27, sending.pollTransmit().bytes());
        ResponderHandshake receiving = responder();
        assertThrows(IllegalArgumentException.class, () -> receiving.onReceived(count));
        assertEquals(20, asked(receiving));
        assertFalse(receiving.pollTransmit().size() > 0);
    }
}
