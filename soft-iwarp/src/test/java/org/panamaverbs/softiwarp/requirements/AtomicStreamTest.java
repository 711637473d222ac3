package org.panamaverbs.softiwarp.requirements;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.panamaverbs.softiwarp.fixtures.Forge.ATOMIC_REQUEST;
import static org.panamaverbs.softiwarp.fixtures.Forge.ATOMIC_RESPONSE;
import static org.panamaverbs.softiwarp.fixtures.Forge.LAST_TAGGED;
import static org.panamaverbs.softiwarp.fixtures.Forge.LAST_UNTAGGED;
import static org.panamaverbs.softiwarp.fixtures.Forge.READ_RESPONSE;
import static org.panamaverbs.softiwarp.fixtures.Forge.TERMINATE;

import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.Access;
import org.panamaverbs.CompletionOpcode;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.softiwarp.fixtures.Forge;
import org.panamaverbs.softiwarp.fixtures.Rig;
import org.panamaverbs.softiwarp.fixtures.Segment;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;
import org.panamaverbs.softiwarp.qp.StreamState;
import org.panamaverbs.softiwarp.queue.SendQueue.Operation;
import org.panamaverbs.softiwarp.wire.Rdmap;
import org.panamaverbs.softiwarp.wire.Terminate;
import org.panamaverbs.softiwarp.wire.TerminateCode;
import org.panamaverbs.testing.conformance.Requirement;

/** Atomics of a stream, byte by byte (RFC 7306, 5 and 8), and what a peer must not send. */
class AtomicStreamTest {
    private static final long VALUE = 0x0102_0304_0506_0708L;
    private static final long ADDRESS = 0x1112_1314_1516_1718L;
    private static final int KEY = 0x0A0B_0C0D;
    private static final int IDENTIFIER = 0xCAFE_F00D;
    /** Layer 0, type 2, "Catastrophic error, localized to RDMAP Stream". */
    private static final int STREAM_CATASTROPHIC = 0x0207;

    private final Rig rig = new Rig(Rig.Options.of(true), 4096);
    private final RegisteredMemory target = rig.region(24, Access.LOCAL_WRITE, Access.REMOTE_ATOMIC, Access.REMOTE_READ);
    private final RegisteredMemory sink = rig.region(8, Access.LOCAL_WRITE);

    private static byte[] request(int sequence, int operation, int stag, long offset, long data, long mask, long compareData,
            long compareMask) {
        return Forge.fpdu(Forge.untagged(LAST_UNTAGGED, ATOMIC_REQUEST, 0, 1, sequence, 0,
                Forge.atomicRequest(operation, IDENTIFIER + sequence, stag, offset, data, mask, compareData, compareMask)), true);
    }

    private byte[] addition(int sequence, long offset) {
        return request(sequence, 0, target.stag(), target.base() + offset, 1, 0, 0, -1);
    }

    private static byte[] response(int sequence, int identifier, long value) {
        return Forge.fpdu(Forge.untagged(LAST_UNTAGGED, ATOMIC_RESPONSE, 0, 3, sequence, 0, Forge.atomicResponse(identifier, value)), true);
    }

    private static long get(RegisteredMemory memory, long offset) {
        return memory.segment().get(ValueLayout.JAVA_LONG, offset);
    }

    private void set(long offset, long value) {
        target.segment().set(ValueLayout.JAVA_LONG, offset, value);
    }

    private static void assertSegment(Segment segment, int ulp, int queue, int sequence, byte[] payload) {
        assertEquals(LAST_UNTAGGED, segment.control());
        assertEquals(ulp, segment.ulp());
        assertEquals(0, segment.word());
        assertEquals(queue, segment.queue());
        assertEquals(sequence, segment.messageSequence());
        assertEquals(0, segment.messageOffset());
        assertArrayEquals(payload, segment.payload());
        assertEquals(segment.computedCrc(), segment.crc());
    }

    /** Asserts that the stream ended with a Terminate that repeats the DDP header of a request or response, and no RDMA header. */
    private byte[] assertTerminated(int code, int ulp) {
        assertEquals(TerminateCode.describe(code), TerminateCode.describe(rig.errorCode()));
        Segment last = rig.sent().getLast();
        assertEquals(Rdmap.TERMINATE, last.opcode());
        byte[] payload = last.payload();
        assertEquals(code, Terminate.error(last.stream(), last.payloadAt()));
        assertEquals(0xC0, payload[2] & 0xFF, "M and D, and not R");
        assertEquals(Terminate.SIZE_WITH_DDP_HEADER, payload.length);
        assertEquals(ulp, payload[7] & 0xFF, "the opcode of the message that the Terminate is about");
        return payload;
    }

    @Test
    @Requirement({ "RFC7306-4.1-a", "RFC7306-5.2-a", "RFC7306-5.2.1-c..e,i..k", "RFC7306-5.2.2-g", "RFC7306-5.4-e" })
    void shouldAskAsFigure4Says() {
        rig.atomic(1, Operation.FETCH_AND_ADD, sink, ADDRESS, KEY, 5, 0x8000, 0, -1);
        rig.atomic(2, Operation.COMPARE_AND_SWAP, sink, ADDRESS, KEY, 6, -1, 7, -1);
        rig.transmit();
        assertSegment(rig.sent().get(0), ATOMIC_REQUEST, 1, 1, Forge.atomicRequest(0, 0, KEY, ADDRESS, 5, 0x8000, 0, -1));
        assertSegment(rig.sent().get(1), ATOMIC_REQUEST, 1, 2, Forge.atomicRequest(2, 1, KEY, ADDRESS, 6, -1, 7, -1));
        rig.feed(response(1, 0, VALUE));
        assertEquals(List.of(new Rig.Done(1, CompletionStatus.SUCCESS, CompletionOpcode.FETCH_AND_ADD, 0, 8, false, 0)), rig.completions());
        assertEquals(VALUE, get(sink, 0));
        rig.feed(response(2, 1, VALUE + 1));
        assertEquals(CompletionOpcode.COMPARE_AND_SWAP, rig.completions().getFirst().opcode());
        assertEquals(VALUE + 1, get(sink, 0));
        rig.assertGuards();
    }

    @Test
    @Requirement({ "RFC7306-4.1-a", "RFC7306-5-d", "RFC7306-5.2-b", "RFC7306-5.2.1-f,m", "RFC7306-5.2.2-b..d", "RFC7306-5.4-c,d" })
    void shouldAnswerAsFigure6SaysWhereverTheRequestIsCut() {
        byte[] request = addition(1, 8);
        for (int cut = 1; cut < request.length; cut++) {
            Rig other = new Rig(Rig.Options.of(true), 4096);
            RegisteredMemory number = other.region(24, Access.LOCAL_WRITE, Access.REMOTE_ATOMIC);
            number.segment().set(ValueLayout.JAVA_LONG, 8, VALUE);
            byte[] own = request(1, 0, number.stag(), number.base() + 8, 1, 0, 0, -1);
            other.feed(own, 0, cut);
            assertEquals(VALUE, get(number, 8));
            other.feed(own, cut, own.length);
            assertEquals(1, other.sent().size());
            assertSegment(other.sent().getFirst(), ATOMIC_RESPONSE, 3, 1, Forge.atomicResponse(IDENTIFIER + 1, VALUE));
            assertEquals(VALUE + 1, get(number, 8));
            other.assertGuards();
        }
    }

    @Test
    @Requirement({ "RFC7306-5-b", "RFC7306-5.1.2-a", "RFC7306-5.2.1-a,l,m" })
    void shouldSwapAndAddAsAsked() {
        set(0, VALUE);
        rig.feed(request(1, 2, target.stag(), target.base(), 0xFFL, 0x0FL, 0x0700L, 0xFF00L));
        assertEquals(VALUE | 0x0F, get(target, 0));
        rig.feed(request(2, 2, target.stag(), target.base(), 1, -1, 2, -1));
        assertEquals(VALUE | 0x0F, get(target, 0), "what is compared differs");
        set(0, 0x0000_FFFF_0000_FFFFL);
        rig.feed(request(3, 0, target.stag(), target.base(), 0x0001_0001_0001_0001L, 0x8000_8000_8000_8000L, 0, 0));
        assertEquals(0x0001_0000_0001_0000L, get(target, 0));
        assertSegment(rig.sent().get(2), ATOMIC_RESPONSE, 3, 3, Forge.atomicResponse(IDENTIFIER + 3, 0x0000_FFFF_0000_FFFFL));
        assertEquals(StreamState.RTS, rig.stream().state());
    }

    /** RFC 7306, 7: an atomic is processed after the answers to the Reads before it, and before the answers to those behind it. */
    @Test
    @Requirement({ "RFC7306-5.2-a", "RFC7306-5.2.1-l", "RFC7306-5.2.2-a,h", "RFC7306-5.4-f,g" })
    void shouldKeepTheOrderOfReadsAndAtomics() {
        set(0, VALUE);
        rig.silence();
        rig.feed(Forge.read(1, 8, target.stag(), target.base(), true));
        rig.feed(addition(2, 0));
        rig.feed(Forge.read(3, 8, target.stag(), target.base(), true));
        rig.feed(addition(4, 0));
        assertEquals(VALUE, get(target, 0), "nothing is performed before its turn");
        rig.transmit();
        List<Segment> sent = rig.sent();
        assertEquals(List.of(Rdmap.READ_RESPONSE, Rdmap.ATOMIC_RESPONSE, Rdmap.READ_RESPONSE, Rdmap.ATOMIC_RESPONSE),
                sent.stream().map(Segment::opcode).toList());
        assertEquals(VALUE, number(sent.get(0)));
        assertSegment(sent.get(1), ATOMIC_RESPONSE, 3, 1, Forge.atomicResponse(IDENTIFIER + 2, VALUE));
        assertEquals(VALUE + 1, number(sent.get(2)));
        assertSegment(sent.get(3), ATOMIC_RESPONSE, 3, 2, Forge.atomicResponse(IDENTIFIER + 4, VALUE + 1));
    }

    /** Without CRCs a long answer is not copied: the atomic waits until it is sent, even if the network takes it in parts. */
    @ParameterizedTest
    @CsvSource({ "false, 100", "false, 2000", "true, 100" })
    void shouldNotShowAnAtomicInTheAnswerToAReadBeforeIt(boolean crc, int firstPart) {
        Rig other = new Rig(Rig.Options.of(crc), Rig.room(1024));
        RegisteredMemory memory = other.region(1024, Access.LOCAL_WRITE, Access.REMOTE_ATOMIC, Access.REMOTE_READ);
        memory.segment().set(ValueLayout.JAVA_LONG, 512, VALUE);
        other.silence();
        other.feed(Forge.join(Forge.read(1, 1024, memory.stag(), memory.base(), crc),
                request(2, 0, memory.stag(), memory.base() + 512, 1, 0, 0, -1)));
        other.transmit(firstPart);
        other.transmit();
        List<Segment> sent = other.sent();
        assertEquals(List.of(Rdmap.READ_RESPONSE, Rdmap.ATOMIC_RESPONSE), sent.stream().map(Segment::opcode).toList());
        assertEquals(VALUE, ByteBuffer.wrap(sent.getFirst().payload()).order(ByteOrder.nativeOrder()).getLong(512));
        assertArrayEquals(Forge.atomicResponse(IDENTIFIER + 2, VALUE), sent.getLast().payload());
        assertEquals(VALUE + 1, get(memory, 512));
        assertEquals(1024, other.stream().counters().bytesReadByPeer(), "the answer to an atomic is no payload");
    }

    /** The atomic waits for the answer before it, and not for our own requests behind that, which may never end. */
    @Test
    void shouldPerformAnAtomicThoughRequestsKeepComing() {
        Rig other = new Rig(Rig.Options.of(false), 2 * Rig.room(1024));
        RegisteredMemory memory = other.region(1024, Access.LOCAL_WRITE, Access.REMOTE_ATOMIC, Access.REMOTE_READ);
        memory.segment().set(ValueLayout.JAVA_LONG, 0, VALUE);
        RegisteredMemory source = other.region(1024);
        other.silence();
        other.feed(Forge.join(Forge.read(1, 1024, memory.stag(), memory.base(), false),
                request(2, 0, memory.stag(), memory.base(), 1, 0, 0, -1)));
        for (int i = 0; i < 8; i++) {
            other.write(i, source, ADDRESS, KEY);
            other.transmit(1024);
        }
        assertEquals(VALUE + 1, get(memory, 0));
    }

    private static long number(Segment segment) {
        return ByteBuffer.wrap(segment.payload()).order(ByteOrder.nativeOrder()).getLong();
    }

    /** An atomic addition, and a swap. The code is that of RFC 5040, figure 9. */
    @ParameterizedTest
    @CsvSource({ "0, 1", "0, 2", "0, 3", "0, 4", "0, 5", "0, 6", "0, 7", "2, 1", "2, 2", "2, 3", "2, 4", "2, 5", "2, 6", "2, 7" })
    @Requirement({ "RFC7306-5.1.1-b,c", "RFC7306-5.1.2-c", "RFC7306-8.1-a", "RFC7306-8.2-e..g" })
    void shouldRefuseAnAddressThatIsNotAligned(int operation, int offset) {
        set(0, VALUE);
        set(8, VALUE);
        // A compare mask of 0: the swap would take place whatever is there.
        rig.feed(request(1, operation, target.stag(), target.base() + offset, 1, operation == 0 ? 0 : -1, 0, 0));
        assertTerminated(STREAM_CATASTROPHIC, ATOMIC_REQUEST);
        assertEquals(VALUE, get(target, 0));
        assertEquals(VALUE, get(target, 8));
    }

    @ParameterizedTest
    @CsvSource({ "-8, 0x0101", "24, 0x0101", "20, 0x0101" })
    void shouldRefuseBytesOutsideOfTheRegion(long offset, String code) {
        rig.feed(addition(1, offset));
        assertTerminated(Integer.decode(code), ATOMIC_REQUEST);
        rig.assertGuards();
    }

    @Test
    void shouldRefuseAnOffsetThatWraps() {
        rig.feed(request(1, 0, target.stag(), -4, 1, 0, 0, -1));
        assertTerminated(TerminateCode.RDMA_TO_WRAP, ATOMIC_REQUEST);
    }

    /** Reads and atomics count together (RFC 7306, 5.2). */
    @Test
    @Requirement({ "RFC7306-5.2.1-e", "RFC7306-5.2.2-e" })
    void shouldRefuseMoreThanTheIrd() {
        Rig small = new Rig(new Rig.Options(true, false, 2, 0), 4096);
        RegisteredMemory number = small.region(8, Access.LOCAL_WRITE, Access.REMOTE_ATOMIC, Access.REMOTE_READ);
        number.segment().set(ValueLayout.JAVA_LONG, 0, VALUE);
        small.silence();
        small.feed(request(1, 0, number.stag(), number.base(), 1, 0, 0, -1));
        small.feed(Forge.read(2, 8, number.stag(), number.base(), true));
        assertEquals(StreamState.RTS, small.stream().state());
        small.feed(request(3, 0, number.stag(), number.base(), 1, 0, 0, -1));
        small.transmit();
        assertEquals(TerminateCode.UNTAGGED_NO_BUFFER, small.errorCode());
        assertEquals(VALUE, get(number, 0), "nothing is performed after the end");
    }

    /** The IRD comes before all that is wrong with the request: DDP's checks precede those of RDMAP (RFC 5041, 7.1; RFC 5040, 7.2). */
    @ParameterizedTest
    @CsvSource({ "1, 0, 0", "0, 1, 0", "0, 0, 64" })
    @Requirement("RFC5041-7.1-a")
    void shouldRefuseMoreThanTheIrdWhateverElseIsWrong(int ofStag, int ofOffset, int ofRead) {
        Rig small = new Rig(new Rig.Options(true, false, 1, 0), 4096);
        RegisteredMemory number = small.region(16, Access.LOCAL_WRITE, Access.REMOTE_ATOMIC, Access.REMOTE_READ);
        small.silence();
        small.feed(request(1, 0, number.stag(), number.base(), 1, 0, 0, -1));
        small.feed(ofRead > 0 ? Forge.read(2, ofRead, number.stag(), number.base(), true)
                : request(2, 0, number.stag() + ofStag, number.base() + ofOffset, 1, 0, 0, -1));
        assertEquals(TerminateCode.UNTAGGED_NO_BUFFER, small.errorCode());
    }

    /** The peer may change memory while this side sends it. Then it gets some of the old bytes or the new ones, under a good CRC. */
    @Test
    @Requirement("RFC5044-4.4-j")
    void shouldSendAGoodCrcThoughAnAtomicChangesTheSource() {
        Rig exposed = new Rig(Rig.Options.of(true), 4096);
        RegisteredMemory source = exposed.region(1024, Access.LOCAL_WRITE, Access.REMOTE_ATOMIC);
        exposed.silence();
        exposed.feed(request(1, 0, source.stag(), source.base() + 512, 1, 0, 0, -1));
        exposed.write(7, source, ADDRESS, KEY);
        exposed.transmit();
        List<Segment> sent = exposed.sent();
        assertEquals(1024, sent.stream().filter(Segment::isTagged).mapToInt(Segment::payloadLength).sum());
        sent.forEach(each -> assertEquals(each.computedCrc(), each.crc(), each::toString));
    }

    @Test
    @Requirement("RFC5044-4.4-j")
    void shouldSendAGoodCrcThoughAWriteChangesTheSource() {
        Rig exposed = new Rig(Rig.Options.of(true), 4096);
        RegisteredMemory source = exposed.region(1024, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
        exposed.silence();
        exposed.write(7, source, ADDRESS, KEY);
        // The network takes one byte, and the FPDU stays as it is described.
        exposed.transmit(1);
        exposed.feed(Forge.fpdu(Forge.tagged(LAST_TAGGED, Forge.WRITE, source.stag(), source.base() + 512, new byte[8]), true));
        exposed.transmit();
        exposed.sent().forEach(each -> assertEquals(each.computedCrc(), each.crc(), each::toString));
        assertEquals(0, source.segment().get(ValueLayout.JAVA_BYTE, 512), "the Write was not placed");
    }

    @Test
    void shouldKeepToTheOrd() {
        Rig small = new Rig(new Rig.Options(true, false, 0, 1), 4096);
        RegisteredMemory number = small.region(8, Access.LOCAL_WRITE);
        small.atomic(1, Operation.FETCH_AND_ADD, number, ADDRESS, KEY, 1, 0, 0, -1);
        small.atomic(2, Operation.FETCH_AND_ADD, number, ADDRESS, KEY, 1, 0, 0, -1);
        small.transmit();
        assertEquals(1, small.sent().size());
        small.feed(response(1, 0, 5));
        assertEquals(2, small.sent().size());
        assertEquals(1, small.completions().size());
    }

    @Test
    void shouldRefuseAnAnswerToAnAtomicWhereAReadIsOlder() {
        rig.read(1, sink, ADDRESS, KEY);
        rig.atomic(2, Operation.FETCH_AND_ADD, sink, ADDRESS, KEY, 1, 0, 0, -1);
        rig.transmit();
        rig.feed(response(1, 1, VALUE));
        assertTerminated(TerminateCode.RDMA_OPCODE, ATOMIC_RESPONSE);
        Rig.assertFilled(sink.segment());
    }

    @Test
    void shouldRefuseAnAnswerToAReadWhereAnAtomicIsOlder() {
        rig.atomic(1, Operation.FETCH_AND_ADD, sink, ADDRESS, KEY, 1, 0, 0, -1);
        rig.read(2, sink, ADDRESS, KEY);
        rig.feed(Forge.fpdu(Forge.tagged(LAST_TAGGED, READ_RESPONSE, sink.stag(), sink.base(), Forge.payload(8)), true));
        assertEquals(TerminateCode.RDMA_OPCODE, rig.errorCode());
        Rig.assertFilled(sink.segment());
    }

    @Test
    @Requirement({ "RFC7306-8.1-a", "RFC7306-8.2-a" })
    void shouldRefuseAnAnswerToAnotherRequest() {
        rig.atomic(1, Operation.FETCH_AND_ADD, sink, ADDRESS, KEY, 1, 0, 0, -1);
        rig.transmit();
        rig.feed(response(1, 1, VALUE));
        assertTerminated(TerminateCode.RDMA_UNSPECIFIED, ATOMIC_RESPONSE);
        Rig.assertFilled(sink.segment());
    }

    @ParameterizedTest
    @ValueSource(ints = { 11, 13 })
    @Requirement("RFC7306-8.1-a")
    void shouldRefuseAnAnswerOfAnotherLength(int length) {
        rig.atomic(1, Operation.FETCH_AND_ADD, sink, ADDRESS, KEY, 1, 0, 0, -1);
        rig.transmit();
        rig.feed(Forge.fpdu(Forge.untagged(LAST_UNTAGGED, ATOMIC_RESPONSE, 0, 3, 1, 0, new byte[length]), true));
        assertTerminated(length < 12 ? TerminateCode.RDMA_UNSPECIFIED : TerminateCode.UNTAGGED_TOO_LONG, ATOMIC_RESPONSE);
        Rig.assertFilled(sink.segment());
    }

    @Test
    void shouldFailIfItsOwnMemoryIsGoneWhenTheAnswerComes() {
        rig.atomic(1, Operation.FETCH_AND_ADD, sink, ADDRESS, KEY, 1, 0, 0, -1);
        rig.transmit();
        rig.deregister(sink);
        rig.feed(response(1, 0, VALUE));
        assertEquals(TerminateCode.DDP_LOCAL_CATASTROPHIC, rig.errorCode());
        rig.end();
        assertEquals(CompletionStatus.LOCAL_PROTECTION_ERROR, rig.completions().getFirst().status());
        Rig.assertFilled(sink.segment());
    }

    /** The error is that of the second request, so the Terminate repeats the DDP header of that (RFC 7306, 8.1, rule 2). */
    @Test
    @Requirement("RFC7306-8.1-a")
    void shouldTerminateIfTheMemoryIsGoneWhenItsTurnComes() {
        RegisteredMemory other = rig.region(8, Access.LOCAL_WRITE, Access.REMOTE_ATOMIC);
        set(0, VALUE);
        rig.silence();
        rig.feed(request(1, 0, other.stag(), other.base(), 1, 0, 0, -1));
        rig.feed(addition(2, 0));
        rig.deregister(target);
        rig.transmit();
        byte[] terminate = assertTerminated(TerminateCode.RDMA_INVALID_STAG, ATOMIC_REQUEST);
        assertEquals(18 + 52, ByteBuffer.wrap(terminate).getShort(4), "the length of the segment");
        assertEquals(2, ByteBuffer.wrap(terminate).getInt(6 + 10), "the message sequence number");
        assertEquals(2, rig.sent().size(), "the answer to the first, and the Terminate");
        assertEquals(VALUE, get(target, 0));
    }

    /** The peer refuses our second atomic. */
    @ParameterizedTest
    @CsvSource({ "0x0102, REMOTE_ACCESS_ERROR", "0x0207, REMOTE_INVALID_REQUEST_ERROR", "0x0206, REMOTE_INVALID_REQUEST_ERROR" })
    void shouldFailTheRequestThatATerminateNames(String text, CompletionStatus status) {
        int code = Integer.decode(text);
        for (int i = 1; i <= 3; i++) {
            rig.atomic(i, Operation.FETCH_AND_ADD, sink, ADDRESS, KEY, 1, 0, 0, -1);
        }
        rig.transmit();
        rig.feed(response(1, 0, VALUE));
        rig.feed(terminate(code, 2));
        assertTrue(rig.isErrorFromPeer());
        rig.end();
        List<Rig.Done> done = rig.completions();
        assertEquals(List.of(CompletionStatus.SUCCESS, status, CompletionStatus.FLUSHED), done.stream().map(Rig.Done::status).toList());
        assertEquals(code, done.get(1).vendorError());
    }

    /** A Terminate that names one of our atomics. */
    private static byte[] terminate(int code, int sequence) {
        byte[] header = Forge.untagged(LAST_UNTAGGED, ATOMIC_REQUEST, 0, 1, sequence, 0, new byte[0]);
        byte[] terminate = ByteBuffer.allocate(24).put((byte) (code >>> 8)).put((byte) code).put((byte) 0xC0).put((byte) 0)
                .putShort((short) 70).put(header).array();
        return Forge.fpdu(Forge.untagged(LAST_UNTAGGED, TERMINATE, 0, 2, 1, 0, terminate), true);
    }

    /** After these short frames, one read takes many. */
    private void feedShortFrames() {
        for (int i = 0; i < 8; i++) {
            rig.feed(Forge.ready(true));
        }
    }

    private void assertEndedByThePeer(int code) {
        assertEquals(StreamState.ERROR, rig.stream().state());
        assertTrue(rig.isErrorFromPeer());
        assertEquals(TerminateCode.describe(code), TerminateCode.describe(rig.errorCode()));
        rig.end();
        assertFalse(rig.sent().stream().anyMatch(segment -> segment.opcode() == Rdmap.TERMINATE), "an answer to a Terminate");
        rig.assertGuards();
    }

    @Test
    void shouldTakeNoAnswerBehindATerminate() {
        rig.atomic(1, Operation.FETCH_AND_ADD, sink, ADDRESS, KEY, 1, 0, 0, -1);
        rig.atomic(2, Operation.FETCH_AND_ADD, sink, ADDRESS, KEY, 1, 0, 0, -1);
        rig.transmit();
        feedShortFrames();
        rig.feed(Forge.join(terminate(TerminateCode.RDMA_ACCESS, 2), response(1, 0, VALUE), response(2, 1, VALUE)));
        assertEndedByThePeer(TerminateCode.RDMA_ACCESS);
        assertEquals(List.of(CompletionStatus.FLUSHED, CompletionStatus.REMOTE_ACCESS_ERROR),
                rig.completions().stream().map(Rig.Done::status).toList());
        Rig.assertFilled(sink.segment());
    }

    /** A Terminate of each length: one that names a request, one that names none, and one without its Terminate Control field. */
    @ParameterizedTest
    @ValueSource(ints = { 24, 4, 3 })
    void shouldTakeNoMessageBehindATerminate(int length) {
        rig.receive(7, rig.region(8, Access.LOCAL_WRITE));
        feedShortFrames();
        byte[] payload = ByteBuffer.allocate(length).put((byte) 0x02).put((byte) 0x06).array();
        rig.feed(Forge.join(Forge.fpdu(Forge.untagged(LAST_UNTAGGED, TERMINATE, 0, 2, 1, 0, payload), true),
                Forge.fpdu(Forge.untagged(LAST_UNTAGGED, Forge.SEND, 0, 0, 1, 0, new byte[8]), true)));
        assertEndedByThePeer(length < 4 ? TerminateCode.RDMA_UNSPECIFIED : TerminateCode.RDMA_OPCODE);
        assertEquals(List.of(CompletionStatus.FLUSHED), rig.completions().stream().map(Rig.Done::status).toList());
    }

    @Test
    @Requirement("RFC7306-5.4-a")
    void shouldFlushWhatIsNotAnswered() {
        rig.atomic(1, Operation.FETCH_AND_ADD, sink, ADDRESS, KEY, 1, 0, 0, -1);
        rig.transmit();
        rig.end();
        assertEquals(CompletionStatus.FLUSHED, rig.completions().getFirst().status());
    }

    /** A stream with RFC 5040 alone. */
    @Test
    void shouldRefuseAllOfItWithoutTheExtensions() {
        assertRefused(addition(1, 0), TerminateCode.RDMA_OPCODE);
        assertRefused(response(1, 0, 5), TerminateCode.UNTAGGED_QUEUE);
        assertRefused(Forge.fpdu(Forge.untagged(LAST_UNTAGGED, Forge.IMMEDIATE, 0, 0, 1, 0, new byte[8]), true), TerminateCode.RDMA_OPCODE);
    }

    private static void assertRefused(byte[] bytes, int code) {
        Rig plain = new Rig(Rig.Options.of(true).withoutExtensions(), 4096);
        plain.receive(1, plain.region(64, Access.LOCAL_WRITE));
        plain.feed(bytes);
        assertEquals(code, plain.errorCode());
        plain.end();
        assertFalse(plain.completions().stream().anyMatch(done -> done.status() == CompletionStatus.SUCCESS));
    }
}
