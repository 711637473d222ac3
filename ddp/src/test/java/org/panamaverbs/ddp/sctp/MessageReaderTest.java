package org.panamaverbs.ddp.sctp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.panamaverbs.ddp.sctp.Chunks.control;
import static org.panamaverbs.ddp.sctp.Chunks.feed;
import static org.panamaverbs.ddp.sctp.Chunks.segment;
import static org.panamaverbs.ddp.sctp.Chunks.sent;
import static org.panamaverbs.ddp.sctp.Chunks.tagged;
import static org.panamaverbs.ddp.sctp.Chunks.untagged;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.softiwarp.ddp.DdpReceiver;
import org.panamaverbs.softiwarp.wire.TerminateCode;
import org.panamaverbs.testing.conformance.Requirement;

/** Order and placement (RFC 5043, 6.1 and 10), and messages that no peer may send. */
class MessageReaderTest {
    private static final int WINDOW = 64;
    private static final int[] PROTOCOLS = { 16, 16, 16, 16, 16, 16, 16, 16, 17, 18 };
    private static final long MOST_BYTES = 16 * Waiting.BLOCK;

    private final Arena arena = Arena.ofShared();
    private Recorder recorder;
    private PassiveSession session;
    private MessageReader reader;

    /** An established session; the peer's next DDP-SSN is 1. */
    @BeforeEach
    void establish() {
        establish(arena);
    }

    private void establish(Arena memory) {
        recorder = new Recorder(memory, 1 << 16, 1 << 14);
        session = new PassiveSession(new Outbound(memory));
        reader = new MessageReader(session, WINDOW, MOST_BYTES, memory);
        reader.bind(new DdpReceiver(recorder, Recorder.QUEUES));
        control(reader, 0, 1);
        session.accept(new byte[0]);
        sent(session);
    }

    @AfterEach
    void close() {
        arena.close();
    }

    private byte at(long offset) {
        return recorder.region().get(ValueLayout.JAVA_BYTE, offset);
    }

    private void fails(int result, String words) {
        assertEquals(MessageReader.SESSION_FAILED, result);
        assertEquals(Session.State.FAILED, session.state());
        assertTrue(session.failure().contains(words), session::failure);
    }

    @Test
    void shouldPlaceTaggedSegmentsAtOnceAndDeliverThemInTheirOrder() {
        assertEquals(TerminateCode.NONE, segment(reader, tagged(3, true, 3, Recorder.STAG, 30, (byte) 33)));
        assertEquals(TerminateCode.NONE, segment(reader, tagged(2, false, 2, Recorder.STAG, 20, (byte) 22)));
        assertEquals(33, at(30));
        assertEquals(22, at(20));
        assertEquals(List.of(), recorder.delivered);
        assertFalse(reader.isAtBoundary());
        assertEquals(TerminateCode.NONE, segment(reader, tagged(1, true, 1, Recorder.STAG, 10, (byte) 11)));
        assertEquals(List.of(Recorder.tagged(1, true, 1), Recorder.tagged(2, false, 1), Recorder.tagged(3, true, 1)), recorder.delivered);
        assertEquals(2, reader.placedAhead());
        assertEquals(0, reader.waited());
        assertTrue(reader.isAtBoundary());
    }

    @Test
    void shouldKeepUntaggedSegmentsUntilTheirTurn() {
        byte[] head = new byte[3000];
        Arrays.fill(head, (byte) 4);
        byte[] whole = Arrays.copyOf(head, 3001);
        whole[3000] = 5;
        segment(reader, untagged(3, true, 8, 77, 1, 1, 0, (byte) 6));
        segment(reader, untagged(2, true, 9, 66, 0, 1, 3000, (byte) 5));
        assertEquals(List.of(), recorder.delivered);
        segment(reader, untagged(1, false, 9, 66, 0, 1, 0, head));
        assertEquals(List.of(Recorder.untagged(0, 9, 66, whole), Recorder.untagged(1, 8, 77, new byte[] { 6 })), recorder.delivered);
        assertEquals(2, reader.waited());
    }

    /** Its place follows from what came before, so it cannot be placed ahead. */
    @Test
    void shouldKeepTaggedSegmentsOfWhichOnlyLocalStateKnowsThePlace() {
        recorder.localUlp = 5;
        segment(reader, tagged(2, true, 5, Recorder.STAG, 20, (byte) 22));
        assertEquals(0, at(20));
        segment(reader, tagged(1, true, 1, Recorder.STAG, 10, (byte) 11));
        assertEquals(22, at(20));
        assertEquals(1, reader.waited());
    }

    @Test
    void shouldReportAnErrorWhenItsTurnComes() {
        assertEquals(TerminateCode.NONE, segment(reader, tagged(2, true, 2, 0xBAD, 20, (byte) 22)));
        assertEquals(Session.State.ESTABLISHED, session.state());
        assertEquals(TerminateCode.TAGGED_INVALID_STAG, segment(reader, tagged(1, true, 1, Recorder.STAG, 10, (byte) 11)));
        assertEquals(List.of(Recorder.tagged(1, true, 1)), recorder.delivered);
    }

    @Test
    void shouldReportMemoryThatIsGoneWhenItsTurnComes() throws Exception {
        recorder.registered().retire();
        assertEquals(TerminateCode.NONE, segment(reader, tagged(2, true, 2, Recorder.STAG, 20, (byte) 22)));
        assertEquals(TerminateCode.NONE, segment(reader, tagged(3, true, 2, Recorder.STAG, 20)));
        assertEquals(TerminateCode.TAGGED_INVALID_STAG, segment(reader, tagged(1, true, 1, Recorder.STAG, 10)));
    }

    @ParameterizedTest
    @CsvSource({ "1201, 1, 2, 1, 0", "1203, 1, 0, 2, 0", "1204, 1, 0, 1, 1" })
    void shouldReportTheErrorsOfDdp(String code, int ssn, int queue, int msn, int offset) {
        assertEquals(Integer.parseInt(code, 16), segment(reader, untagged(ssn, true, 0, 0, queue, msn, offset, (byte) 1)));
    }

    @ParameterizedTest
    @ValueSource(ints = { 0, 65_535, 65, 40_000, 32_769 })
    @Requirement("RFC5041-3-m")
    void shouldRefuseADdpSsnThatWasUsedOrIsTooFarAhead(int ssn) {
        fails(segment(reader, tagged(ssn, true, 0, Recorder.STAG, 0, (byte) 1)), "DDP-SSN " + ssn);
        assertEquals(0, at(0));
    }

    @Test
    void shouldTakeTheLastDdpSsnOfTheWindow() {
        assertEquals(TerminateCode.NONE, segment(reader, tagged(WINDOW, true, 0, Recorder.STAG, 0, (byte) 1)));
        assertEquals(1, at(0));
    }

    @ParameterizedTest
    @ValueSource(booleans = { true, false })
    void shouldRefuseADdpSsnThatWaits(boolean isTagged) {
        byte[] message = isTagged ? tagged(2, true, 0, Recorder.STAG, 0, (byte) 1) : untagged(2, true, 0, 0, 0, 1, 0, (byte) 1);
        assertEquals(TerminateCode.NONE, segment(reader, message));
        fails(segment(reader, message), "DDP-SSN 2 twice");
    }

    @Test
    void shouldBoundTheMemoryOfWhatWaits() {
        byte[] payload = new byte[2 * Waiting.BLOCK - 20];
        for (int i = 0; i < 8; i++) {
            assertEquals(TerminateCode.NONE, segment(reader, untagged(2 + i, true, 0, 0, 0, 2 + i, 0, payload)));
        }
        fails(segment(reader, untagged(10, true, 0, 0, 0, 10, 0)), "more memory");
    }

    @Test
    void shouldUseTheMemoryOfWhatWaitedAgain() {
        byte[] payload = new byte[2 * Waiting.BLOCK - 20];
        int ssn = 1;
        for (int round = 0; round < 1000; round++) {
            for (int i = 7; i >= 0; i--) {
                assertEquals(TerminateCode.NONE, segment(reader, untagged(ssn + i, true, 0, 0, 0, ssn + i, 0, payload)));
            }
            ssn += 8;
        }
        assertEquals(8000, recorder.delivered.size());
    }

    @Test
    void shouldTerminateInTurn() {
        control(reader, 3, 4);
        segment(reader, tagged(2, true, 2, Recorder.STAG, 0, (byte) 1));
        assertFalse(session.isInputEnded());
        segment(reader, tagged(1, true, 1, Recorder.STAG, 0, (byte) 1));
        assertTrue(session.isInputEnded() && reader.isAtBoundary());
        assertEquals(2, recorder.delivered.size());
    }

    @Test
    void shouldRefuseWhatIsBehindATerminate() {
        segment(reader, tagged(3, true, 2, Recorder.STAG, 0, (byte) 1));
        control(reader, 2, 4);
        fails(segment(reader, tagged(1, true, 1, Recorder.STAG, 0)), "after its DDP Session Terminate");
        assertEquals(1, recorder.delivered.size());
    }

    @Test
    void shouldRefuseWhatIsAheadOnceTheInputHasEnded() {
        control(reader, 1, 4);
        fails(segment(reader, tagged(4, true, 2, Recorder.STAG, 0, (byte) 1)), "after its DDP Session Terminate");
        assertEquals(0, at(0));
    }

    /** The answer may be overtaken by the segments behind it: none is placed before it has come. */
    @Test
    void shouldPlaceNothingBeforeTheAccept() {
        ActiveSession active = new ActiveSession(new Outbound(arena), new byte[0]);
        reader = new MessageReader(active, arena);
        reader.bind(new DdpReceiver(recorder, Recorder.QUEUES));
        sent(active);
        assertEquals(TerminateCode.NONE, segment(reader, tagged(1, true, 1, Recorder.STAG, 10, (byte) 11)));
        assertEquals(0, at(10));
        assertEquals(TerminateCode.NONE, control(reader, 0, 2, 3));
        assertEquals(11, at(10));
        assertEquals(List.of(Recorder.tagged(1, true, 1)), recorder.delivered);
    }

    @ParameterizedTest
    @ValueSource(ints = { 0, 1, 3, 14, 15, 18, 0x10000010, -1 })
    void shouldRefuseOtherProtocols(int protocol) {
        fails(feed(reader, control(1, 4), protocol), "payload protocol identifier " + Integer.toUnsignedString(protocol));
    }

    @Test
    void shouldRefuseOrderedChunks() {
        MemorySegment message = MemorySegment.ofArray(tagged(1, true, 1, Recorder.STAG, 0, (byte) 1));
        fails(reader.onMessage(message, (int) message.byteSize(), 16, false), "ordered");
    }

    @ParameterizedTest
    @ValueSource(ints = { 0, 5, 6, 256, 1024, 65_535 })
    @Requirement("RFC6581-7-e")
    void shouldRefuseUnknownFunctions(int function) {
        fails(control(reader, 2, function), "function code " + function);
    }

    @ParameterizedTest
    @ValueSource(ints = { 1, 2, 3 })
    void shouldRefuseAControlMessageWithoutItsFunction(int length) {
        fails(feed(reader, new byte[length], 17), "of " + length + " bytes");
    }

    @ParameterizedTest
    @CsvSource({ "1, 513", "2, 513", "3, 513", "4, 1", "4, 512", "2, 60000" })
    @Requirement("RFC6581-7-c,d")
    void shouldRefuseTooMuchPrivateData(int function, int length) {
        fails(control(reader, 1, function, new int[length]), length + " bytes of private data");
    }

    @ParameterizedTest
    @ValueSource(ints = { 1, 2, 3, 15 })
    void shouldRefuseASegmentWithoutItsHeader(int length) {
        fails(segment(reader, Arrays.copyOf(tagged(1, true, 0, 0, 0), length)), "no room for the DDP header");
        assertEquals(19, Arrays.copyOf(untagged(1, true, 0, 0, 0, 1, 0), 19).length);
    }

    @Test
    void shouldRefuseAnUntaggedSegmentWithoutItsHeader() {
        fails(segment(reader, Arrays.copyOf(untagged(1, true, 0, 0, 0, 1, 0), 19)), "no room for the DDP header");
    }

    @Test
    void shouldFailOnAMessageThatIsTooLong() {
        fails(reader.onTooLong(), "65536");
    }

    /** Messages at random, most with a likely DDP-SSN and header: there is an outcome, no exception, and no byte outside the buffers. */
    @Test
    void shouldSurviveRandomMessages() {
        long seed = System.nanoTime();
        int established = 0;
        for (int round = 0; round < 5000; round++) {
            Random random = new Random(seed + round);
            try (Arena memory = Arena.ofConfined()) {
                establish(memory);
                int error = TerminateCode.NONE;
                for (int i = 0; i < 20 && error == TerminateCode.NONE; i++) {
                    error = feed(reader, random(random, 1 + i), PROTOCOLS[random.nextInt(PROTOCOLS.length)]);
                    established += session.state() == Session.State.ESTABLISHED ? 1 : 0;
                }
            } catch (RuntimeException | Error e) {
                throw new AssertionError("round of seed " + (seed + round), e);
            }
        }
        assertTrue(established > 5000, "most rounds go on for some messages: " + established);
    }

    private static byte[] random(Random random, int ssn) {
        byte[] bytes = new byte[random.nextInt(1, random.nextInt(2, 5000))];
        random.nextBytes(bytes);
        if (bytes.length > 10 && random.nextInt(10) > 0) {
            int number = ssn + (random.nextInt(10) == 0 ? random.nextInt(9) : 0);
            byte[] likely = random.nextInt(4) > 0 ? tagged(number, random.nextBoolean(), 0, Recorder.STAG, random.nextInt(9999))
                    : untagged(number, random.nextBoolean(), 0, 0, random.nextInt(3), 1 + random.nextInt(2), 0);
            System.arraycopy(likely, 0, bytes, 0, Math.min(likely.length, bytes.length));
        }
        return bytes;
    }
}
