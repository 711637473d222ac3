package org.panamaverbs.ddp.sctp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.panamaverbs.ddp.sctp.Chunks.control;
import static org.panamaverbs.ddp.sctp.Chunks.segment;
import static org.panamaverbs.ddp.sctp.Chunks.sent;
import static org.panamaverbs.ddp.sctp.Chunks.tagged;

import java.lang.foreign.Arena;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.ddp.sctp.Session.State;
import org.panamaverbs.softiwarp.ddp.DdpReceiver;
import org.panamaverbs.softiwarp.wire.TerminateCode;
import org.panamaverbs.testing.conformance.Requirement;

/**
 * Every state of a session times every message, and the sequences of RFC 5043, 6.
 *
 * <table>
 * <caption>RFC 5043 and its tests; those without a class are here</caption>
 * <tr><th>Section</th><th>Rule</th><th>Test, or reason</th></tr>
 * <tr><td>5.1, 11.1</td><td>Adaptation Indication in INIT or INIT-ACK; MUST verify it</td><td>not met: the JDK's channels have no option (docs/conformance/departures.md)</td></tr>
 * <tr><td>5.2.1</td><td>DDP-SSN MUST have the value of the SSN</td><td>{@code SctpSegmentsTest.shouldNumberMessagesWithoutGapsAcrossTheWrap}</td></tr>
 * <tr><td>5.2.3</td><td>MUST include Private Data, MAY be empty</td><td>{@code shouldStartAndEndInOrder}, {@code shouldAcceptRejectAndRefuseAtThePassiveSide}</td></tr>
 * <tr><td>5.2.3</td><td>Private Data MUST NOT exceed 512</td><td>sent: {@code shouldRefuseCommandsThatDoNotFit}; received: {@code MessageReaderTest.shouldRefuseTooMuchPrivateData}</td></tr>
 * <tr><td>5.2.3</td><td>no Private Data in a Terminate</td><td>{@code shouldStartAndEndInOrder}, {@code MessageReaderTest.shouldRefuseTooMuchPrivateData}</td></tr>
 * <tr><td>5.2.3</td><td>SHOULD report control messages, with their data</td><td>{@code SctpSocketTest.shouldExchangePrivateData}, {@code shouldRejectAPeerThatTheListenerDoesNotAdmit}</td></tr>
 * <tr><td>5.2.3, 6.4</td><td>beyond a finite limit MUST answer with Terminate</td><td>the admission answers each Initiate at once, so none is pending; {@code refuse} in {@code shouldAcceptRejectAndRefuseAtThePassiveSide}</td></tr>
 * <tr><td>6</td><td>DDP-SSNs MUST NOT have gaps</td><td>{@code shouldSendAPendingMessageBeforeTheTerminateOfAFailure}, {@code SctpSegmentsTest.shouldTakeNoDdpSsnForMemoryThatIsGone}</td></tr>
 * <tr><td>6.1</td><td>MUST conform to a pattern; any other MUST be terminated</td><td>{@code shouldAnswerEachMessage...}, {@code shouldTerminateOnAnyMessageBeforeTheAnswer}, {@code shouldFailOnAnyMessageAfterThePeersTerminate}</td></tr>
 * <tr><td>6.2</td><td>at least one side MUST send a Terminate</td><td>{@code shouldStartAndEndInOrder}, {@code shouldEndWithTheAssociationIfEitherSideHasTerminated}</td></tr>
 * <tr><td>6.3</td><td>MUST NOT Reject but for the ULP</td><td>{@code PassiveSession.reject} is called for the program's admission only; an illegal message is answered with Terminate</td></tr>
 * <tr><td>6.4</td><td>SHOULD be under control of the ULP</td><td>{@code SctpSocketTest.shouldRejectAPeerThatTheListenerDoesNotAdmit}</td></tr>
 * <tr><td>6.5</td><td>MUST NOT add sequences unless the ULP asks</td><td>there are none</td></tr>
 * <tr><td>6.6</td><td>control MUST NOT overtake control</td><td>{@code shouldHoldThePassiveTerminateUntilTheAcceptWasReceived}, {@code shouldAnswerEachMessageWhileInitiating}</td></tr>
 * <tr><td>6.6</td><td>no segment before the Initiate may be received</td><td>{@code SctpSegmentsTest.shouldHaveRoomForOneSegmentOfAnOpenSession}</td></tr>
 * <tr><td>6.6</td><td>a stream MUST NOT be reused too early</td><td>a stream carries one session</td></tr>
 * <tr><td>7.1</td><td>MUST allow the ULP to specify the indication</td><td>not met, as 5.1</td></tr>
 * <tr><td>7.2</td><td>SHOULD bind one IP address by default</td><td>{@code SctpTransportTest.shouldBindOneAddressAndAgreeOnStreams}</td></tr>
 * <tr><td>8</td><td>MUST have as many streams in as out</td><td>the same test; the lab checks the INITs of the capture</td></tr>
 * <tr><td>9</td><td>MUST inform DDP of the maximum; not less than 516</td><td>{@code SctpSegmentsTest.shouldFillAPacketAndNoMore}</td></tr>
 * <tr><td>9</td><td>MUST NOT fragment by SCTP unless IP would</td><td>the same test: a segment fits into the interface's MTU; on a path with a lesser one IP would</td></tr>
 * <tr><td>9</td><td>SHOULD leave room for Control Chunks</td><td>the same test: 24 bytes</td></tr>
 * <tr><td>9</td><td>MUST reject longer segments</td><td>{@code SctpSegmentsTest.shouldRejectASegmentThatIsTooLong}</td></tr>
 * <tr><td>10</td><td>MUST use unordered</td><td>{@code SctpTransportTest.shouldKeepMessagesApart}, {@code MessageReaderTest.shouldRefuseOrderedChunks}, the capture in the lab</td></tr>
 * <tr><td>10</td><td>MUST NOT rely on the TSN</td><td>no TSN is known; {@code ShuffledPipeTest}</td></tr>
 * <tr><td>10</td><td>at most 32,767 chunks in flight, not by the ULP</td><td>the send buffer of 2 MiB holds fewer, since Linux counts 500 bytes and more for each</td></tr>
 * <tr><td>10</td><td>SHOULD NOT allocate for a DDP-SSN before it is checked</td><td>{@code MessageReaderTest.shouldRefuseADdpSsnThatWasUsedOrIsTooFarAhead}, {@code shouldBoundTheMemoryOfWhatWaits}</td></tr>
 * <tr><td>11.2</td><td>SHOULD NOT delay untagged segments for bundling</td><td>the option SCTP_NODELAY is set</td></tr>
 * <tr><td>11.3</td><td>SHOULD notify all consumers when the stream ends</td><td>{@code SctpSocketTest.shouldEndInGoodOrder}, {@code SctpTransportTest.shouldReportAnAbort}</td></tr>
 * <tr><td>11.3</td><td>RDMAP's Terminates MUST be generated</td><td>there is no RDMAP over SCTP; {@code MessageReader} leaves room for them before {@code Session.fail}</td></tr>
 * <tr><td>13</td><td>MUST support IPsec</td><td>the system's matter</td></tr>
 * </table>
 */
class SessionTest {
    private static final int INITIATE = 1;
    private static final int ACCEPT = 2;
    private static final int REJECT = 3;
    private static final int TERMINATE = 4;
    private static final byte[] NOTHING = {};

    private final Arena arena = Arena.ofShared();
    private Outbound out;
    private MessageReader reader;

    @BeforeEach
    void open() {
        out = new Outbound(arena);
    }

    @AfterEach
    void close() {
        arena.close();
    }

    private <S extends Session> S reading(S session) {
        reader = new MessageReader(session, arena);
        reader.bind(new DdpReceiver(new Recorder(arena, 64, 64), 1));
        return session;
    }

    private ActiveSession active() {
        return reading(new ActiveSession(out, new byte[] { 1, 2 }));
    }

    private PassiveSession passive() {
        return reading(new PassiveSession(out));
    }

    private PassiveSession requested() {
        PassiveSession session = passive();
        control(reader, 0, INITIATE, 9);
        return session;
    }

    /** A session that is established, with all that it had to send sent; the peer's next DDP-SSN is 1. */
    private Session established(boolean active) {
        if (active) {
            ActiveSession session = active();
            sent(session);
            control(reader, 0, ACCEPT);
            return session;
        }
        PassiveSession session = requested();
        session.accept(NOTHING);
        sent(session);
        return session;
    }

    private int message(String message, int ssn) {
        return switch (message) {
            case "initiate" -> control(reader, ssn, INITIATE);
            case "accept" -> control(reader, ssn, ACCEPT);
            case "reject" -> control(reader, ssn, REJECT);
            case "terminate" -> control(reader, ssn, TERMINATE);
            default -> segment(reader, tagged(ssn, true, 0, Recorder.STAG, 0, (byte) 1));
        };
    }

    @ParameterizedTest
    @CsvSource({ "initiate, FAILED", "accept, ESTABLISHED", "reject, REJECTED", "terminate, REFUSED", "segment, FAILED" })
    void shouldAnswerEachMessageWhileInitiating(String message, State next) {
        ActiveSession session = active();
        sent(session);
        assertEquals(next == State.FAILED ? MessageReader.SESSION_FAILED : TerminateCode.NONE, message(message, 0));
        assertEquals(next, session.state());
        assertEquals(0, sent(session).length);
        assertEquals(next == State.FAILED, session.isAbortive(), "the Initiate may be on its way: a Terminate could overtake it (6.6)");
    }

    @ParameterizedTest
    @CsvSource({ "initiate, REQUESTED", "accept, FAILED", "reject, FAILED", "terminate, FAILED", "segment, FAILED" })
    void shouldAnswerEachMessageWhileAwaiting(String message, State next) {
        PassiveSession session = passive();
        message(message, 0);
        assertEquals(next, session.state());
        assertArrayEquals(next == State.FAILED ? control(0, TERMINATE) : NOTHING, sent(session));
        assertFalse(session.isAbortive());
    }

    @ParameterizedTest
    @ValueSource(strings = { "initiate", "accept", "reject", "terminate", "segment" })
    void shouldTerminateOnAnyMessageBeforeTheAnswer(String message) {
        PassiveSession session = requested();
        assertEquals(MessageReader.SESSION_FAILED, message(message, 1));
        assertEquals(State.FAILED, session.state());
        assertTrue(session.failure().contains("REQUESTED") && session.failure().contains("6"), session::failure);
        assertArrayEquals(control(0, TERMINATE), sent(session));
    }

    @ParameterizedTest
    @CsvSource({ "true, initiate, FAILED", "true, accept, FAILED", "true, reject, FAILED", "true, terminate, ESTABLISHED",
            "true, segment, ESTABLISHED", "false, initiate, FAILED", "false, accept, FAILED", "false, reject, FAILED",
            "false, terminate, ESTABLISHED", "false, segment, ESTABLISHED" })
    void shouldAnswerEachMessageOnceEstablished(boolean active, String message, State next) {
        Session session = established(active);
        message(message, 1);
        assertEquals(next, session.state());
        if (next == State.FAILED) {
            // The passive side does not know that its Accept has come.
            assertArrayEquals(active ? control(1, TERMINATE) : NOTHING, sent(session));
            assertEquals(!active, session.isAbortive());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { "initiate", "accept", "reject", "terminate", "segment" })
    void shouldFailOnAnyMessageAfterThePeersTerminate(String message) {
        Session session = established(true);
        message("terminate", 1);
        assertTrue(session.isInputEnded() && session.isOpen());
        assertEquals(MessageReader.SESSION_FAILED, message(message, 2));
        assertEquals(State.FAILED, session.state());
        assertTrue(session.failure().contains("after its DDP Session Terminate"), session::failure);
        assertArrayEquals(control(1, TERMINATE), sent(session));
    }

    @ParameterizedTest
    @ValueSource(strings = { "initiate", "accept", "reject", "terminate", "segment" })
    void shouldNotChangeAfterAnOutcome(String message) {
        PassiveSession rejected = requested();
        rejected.reject(NOTHING);
        assertEquals(TerminateCode.NONE, message(message, 1));
        assertEquals(State.REJECTED, rejected.state());
        out = new Outbound(arena);
        Session ended = established(true);
        ended.terminate();
        sent(ended);
        message("terminate", 1);
        assertEquals(State.ENDED, ended.state());
        assertEquals(TerminateCode.NONE, message(message, 2));
        assertEquals(State.ENDED, ended.state());
        assertEquals(0, sent(ended).length);
    }

    @Test
    @Requirement("RFC6581-7-d")
    void shouldStartAndEndInOrder() {
        ActiveSession session = active();
        assertArrayEquals(control(0, INITIATE, 1, 2), sent(session));
        assertFalse(session.isOpen());
        control(reader, 0, ACCEPT, 7, 8);
        assertArrayEquals(new byte[] { 7, 8 }, session.peerData());
        assertTrue(session.isOpen());
        session.terminate();
        assertFalse(session.isOpen());
        assertArrayEquals(control(1, TERMINATE), sent(session));
        session.terminate();
        assertEquals(0, sent(session).length, "one Terminate");
        segment(reader, tagged(1, true, 0, Recorder.STAG, 0, (byte) 1));
        assertEquals(State.ESTABLISHED, session.state(), "the peer may go on");
        control(reader, 2, TERMINATE);
        assertEquals(State.ENDED, session.state());
    }

    @Test
    void shouldAcceptRejectAndRefuseAtThePassiveSide() {
        PassiveSession accepting = requested();
        assertArrayEquals(new byte[] { 9 }, accepting.peerData());
        accepting.accept(new byte[] { 5 });
        assertArrayEquals(control(0, ACCEPT, 5), sent(accepting));
        out = new Outbound(arena);
        PassiveSession rejecting = requested();
        rejecting.reject(new byte[] { 6 });
        assertArrayEquals(control(0, REJECT, 6), sent(rejecting));
        assertEquals(State.REJECTED, rejecting.state());
        out = new Outbound(arena);
        PassiveSession refusing = requested();
        refusing.refuse();
        assertArrayEquals(control(0, TERMINATE), sent(refusing));
        assertEquals(State.REFUSED, refusing.state());
    }

    /** The Terminate would be a second control message, which may overtake the Accept (6.6). */
    @Test
    void shouldHoldThePassiveTerminateUntilTheAcceptWasReceived() {
        Session session = established(false);
        session.terminate();
        assertEquals(0, sent(session).length);
        segment(reader, tagged(1, true, 0, Recorder.STAG, 0, (byte) 1));
        assertArrayEquals(control(1, TERMINATE), sent(session));
        out = new Outbound(arena);
        Session silent = established(false);
        silent.terminate();
        assertEquals(0, sent(silent).length);
        silent.onAcknowledged();
        assertArrayEquals(control(1, TERMINATE), sent(silent));
    }

    @Test
    void shouldNotTakeAnUnsentAcceptForAcknowledged() {
        PassiveSession session = requested();
        session.accept(NOTHING);
        session.terminate();
        session.onAcknowledged();
        assertArrayEquals(control(0, ACCEPT), sent(session));
        assertEquals(0, sent(session).length);
    }

    @Test
    void shouldEndWithTheAssociationIfEitherSideHasTerminated() {
        Session ours = established(true);
        ours.terminate();
        sent(ours);
        ours.onEndOfAssociation();
        assertEquals(State.ENDED, ours.state());
        out = new Outbound(arena);
        Session theirs = established(false);
        message("terminate", 1);
        theirs.onEndOfAssociation();
        assertEquals(State.ENDED, theirs.state());
        out = new Outbound(arena);
        Session neither = established(true);
        neither.terminate();
        neither.onEndOfAssociation();
        assertEquals(State.FAILED, neither.state());
        assertTrue(neither.failure().contains("neither side"), neither::failure);
        assertEquals(0, sent(neither).length);
    }

    @Test
    void shouldSayHowFarItCameWhenTheAssociationEnds() {
        ActiveSession initiating = active();
        initiating.onEndOfAssociation();
        assertTrue(initiating.failure().contains("without an answer"), initiating::failure);
        assertEquals(0, sent(initiating).length);
        out = new Outbound(arena);
        PassiveSession awaiting = passive();
        awaiting.onEndOfAssociation();
        assertTrue(awaiting.failure().contains("before it sent"), awaiting::failure);
        out = new Outbound(arena);
        PassiveSession late = passive();
        late.onTimeout();
        assertTrue(late.failure().contains("in time"), late::failure);
        out = new Outbound(arena);
        PassiveSession asked = requested();
        asked.onTimeout();
        assertEquals(State.REQUESTED, asked.state());
        asked.onEndOfAssociation();
        assertTrue(asked.failure().contains("was answered"), asked::failure);
    }

    @Test
    void shouldSendAPendingMessageBeforeTheTerminateOfAFailure() {
        Session session = established(true);
        out.begin(40);
        out.end(40, 16);
        session.fail("a reason");
        assertEquals("a reason", session.failure());
        assertEquals(40, sent(session).length, "its DDP-SSN is taken: without it there would be a gap");
        assertArrayEquals(control(2, TERMINATE), sent(session));
        session.fail("another");
        assertEquals("a reason", session.failure());
    }

    @Test
    void shouldRefuseCommandsThatDoNotFit() {
        ActiveSession active = active();
        assertThrows(IllegalStateException.class, active::terminate);
        assertThrows(IllegalStateException.class, active::failure);
        assertThrows(IllegalStateException.class, active::peerData);
        out = new Outbound(arena);
        PassiveSession passive = passive();
        assertThrows(IllegalStateException.class, () -> passive.accept(NOTHING));
        assertThrows(IllegalStateException.class, () -> passive.reject(NOTHING));
        assertThrows(IllegalStateException.class, passive::refuse);
        assertThrows(IllegalStateException.class, () -> new Outbound(arena).onSent());
        PassiveSession asked = requested();
        assertThrows(IllegalArgumentException.class, () -> asked.accept(new byte[513]));
        assertEquals(State.REQUESTED, asked.state());
        asked.accept(new byte[512]);
        assertEquals(516, sent(asked).length);
        assertThrows(IllegalArgumentException.class, () -> new ActiveSession(new Outbound(arena), new byte[513]));
    }
}
