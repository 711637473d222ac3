package org.panamaverbs.softiwarp.ddp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.panamaverbs.softiwarp.fixtures.Forge.IMMEDIATE;
import static org.panamaverbs.softiwarp.fixtures.Forge.LAST_TAGGED;
import static org.panamaverbs.softiwarp.fixtures.Forge.LAST_UNTAGGED;
import static org.panamaverbs.softiwarp.fixtures.Forge.READ_RESPONSE;
import static org.panamaverbs.softiwarp.fixtures.Forge.SEND;
import static org.panamaverbs.softiwarp.fixtures.Forge.SEND_INVALIDATE;
import static org.panamaverbs.softiwarp.fixtures.Forge.WRITE;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.panamaverbs.softiwarp.fixtures.Forge;
import org.panamaverbs.softiwarp.fixtures.PlainLayer;
import org.panamaverbs.softiwarp.wire.TerminateCode;

/** Headers alone, as a layer below hands them over: the place of each segment, its error, and the moment of delivery. */
class DdpReceiverTest {
    private static final int MORE_TAGGED = 0x81;
    private static final int MORE_UNTAGGED = 0x01;
    private static final int LENGTH = 1000;

    private final PlainLayer layer = new PlainLayer(Arena.ofAuto(), LENGTH);
    private final DdpReceiver receiver = new DdpReceiver(layer, 2);

    /** The header after one byte of something else. */
    private static MemorySegment header(byte[] ulpdu) {
        return MemorySegment.ofArray(Forge.join(new byte[1], ulpdu));
    }

    private static MemorySegment tagged(int control, int ulp, int stag, long offset) {
        return header(Forge.tagged(control, ulp, stag, offset, new byte[0]));
    }

    private static MemorySegment write(int control, long at) {
        return tagged(control, WRITE, PlainLayer.STAG, 0x1000 + at);
    }

    private static MemorySegment untagged(int control, int ulp, int queue, int sequence, int offset) {
        return header(Forge.untagged(control, ulp, 7, queue, sequence, offset, new byte[0]));
    }

    private int take(MemorySegment header, int length) {
        int error = receiver.onHeader(header, 1, length);
        if (error != TerminateCode.NONE) {
            return error;
        }
        receiver.target().advance(length);
        return receiver.onVerified();
    }

    private void assertTaken(MemorySegment header, int length) {
        assertEquals(TerminateCode.NONE, take(header, length));
    }

    @Test
    void shouldDeliverAnUntaggedMessageOnceItIsWhole() {
        assertTaken(untagged(MORE_UNTAGGED, SEND, 0, 1, 0), 300);
        assertTrue(receiver.isInMessage());
        assertTaken(untagged(MORE_UNTAGGED, SEND, 0, 1, 300), 0);
        assertEquals(List.of("receive 0"), layer.events);
        assertTaken(untagged(LAST_UNTAGGED, SEND, 0, 1, 300), 700);
        assertFalse(receiver.isInMessage());
        assertEquals(List.of("receive 0", "untagged 0 1000"), layer.events);
    }

    /** Queues number their messages apart, and a message of one may lie between two segments of another. */
    @Test
    void shouldKeepQueuesAndTaggedMessagesApart() {
        assertTaken(untagged(MORE_UNTAGGED, SEND, 0, 1, 0), 10);
        assertTaken(write(LAST_TAGGED, 0), 20);
        assertTaken(untagged(LAST_UNTAGGED, SEND, 1, 1, 0), 30);
        assertTaken(untagged(LAST_UNTAGGED, SEND, 1, 2, 0), 40);
        assertTaken(untagged(LAST_UNTAGGED, SEND, 0, 1, 10), 50);
        assertEquals(List.of("receive 0", "tagged 20 last", "receive 1", "untagged 1 30", "receive 1", "untagged 1 40", "untagged 0 60"),
                layer.events);
    }

    @Test
    void shouldNumberMessagesAcrossTheEndOfTheNumbers() {
        DdpReceiver late = new DdpReceiver(layer, 1, -1);
        for (int sequence = -1; sequence <= 1; sequence++) {
            assertEquals(TerminateCode.NONE, late.onHeader(untagged(LAST_UNTAGGED, SEND, 0, sequence, 0), 1, 0));
            assertEquals(TerminateCode.NONE, late.onVerified());
        }
    }

    @ParameterizedTest
    @CsvSource({ "0x40, 0, 1, 0, 1, UNTAGGED_VERSION", "0x42, 0, 1, 0, 1, UNTAGGED_VERSION", "0x41, 2, 1, 0, 1, UNTAGGED_QUEUE",
            "0x41, -1, 1, 0, 1, UNTAGGED_QUEUE", "0x41, 0, 2, 0, 1, UNTAGGED_MSN", "0x41, 0, 0, 0, 1, UNTAGGED_MSN",
            "0x41, 0, 1, 1, 1, UNTAGGED_OFFSET", "0x41, 0, 1, -1, 1, UNTAGGED_OFFSET", "0x41, 0, 1, 0, 1001, UNTAGGED_TOO_LONG" })
    void shouldRefuseEachFieldOfAnUntaggedHeader(int control, int queue, int sequence, int offset, int length, String error)
            throws ReflectiveOperationException {
        assertEquals(TerminateCode.class.getField(error).getInt(null), take(untagged(control, SEND, queue, sequence, offset), length));
    }

    @Test
    void shouldRefuseAnotherVersionOfATaggedHeader() {
        assertEquals(TerminateCode.TAGGED_VERSION, take(write(0xC0, 0), 1));
        assertEquals(TerminateCode.TAGGED_VERSION, take(write(0xC3, 0), 1));
    }

    @Test
    void shouldPassTheErrorsOfTheLayerAboveOn() {
        assertEquals(TerminateCode.TAGGED_INVALID_STAG, take(tagged(LAST_TAGGED, WRITE, 0xDEAD, 0), 1));
        layer.answer = TerminateCode.UNTAGGED_NO_BUFFER;
        assertEquals(TerminateCode.UNTAGGED_NO_BUFFER, take(untagged(LAST_UNTAGGED, SEND, 0, 1, 0), 1));
        assertFalse(receiver.isInMessage());
    }

    @Test
    void shouldRefuseASecondSegmentThatIsNotTheNext() {
        assertTaken(untagged(MORE_UNTAGGED, SEND, 0, 1, 0), 10);
        assertEquals(TerminateCode.UNTAGGED_OFFSET, take(untagged(LAST_UNTAGGED, SEND, 0, 1, 9), 1));
        assertEquals(TerminateCode.UNTAGGED_OFFSET, take(untagged(LAST_UNTAGGED, SEND, 0, 1, 11), 1));
        assertEquals(TerminateCode.UNTAGGED_TOO_LONG, take(untagged(LAST_UNTAGGED, SEND, 0, 1, 10), 991));
        assertEquals(TerminateCode.RDMA_UNSPECIFIED, take(untagged(LAST_UNTAGGED, SEND_INVALIDATE, 0, 1, 10), 1));
    }

    @Test
    void shouldTellOfAMessageThatIsTooLongOnceItsChecksumIsRight() {
        assertEquals(TerminateCode.UNTAGGED_TOO_LONG, take(untagged(LAST_UNTAGGED, SEND, 1, 1, 0), LENGTH + 1));
        assertEquals(List.of("receive 1"), layer.events);
        receiver.onRefused(TerminateCode.UNTAGGED_TOO_LONG);
        receiver.onRefused(TerminateCode.UNTAGGED_MSN);
        assertEquals(List.of("receive 1", "too long 1"), layer.events);
    }

    /** Only a whole message without payload may go without a buffer. */
    @Test
    void shouldTakeNoBufferForAMessageThatNeedsNone() {
        assertTaken(untagged(LAST_UNTAGGED, IMMEDIATE, 0, 1, 0), 0);
        assertEquals(List.of("untagged 0 0"), layer.events);
        assertTaken(untagged(LAST_UNTAGGED, IMMEDIATE, 0, 2, 0), 8);
        assertEquals(List.of("untagged 0 0", "receive 0", "untagged 0 8"), layer.events);
    }

    @Test
    void shouldTrustAnAddressBehindAVerifiedSegmentAlone() {
        assertFalse(receiver.isTrusted(write(MORE_TAGGED, 0), 1));
        assertTaken(write(MORE_TAGGED, 0), 100);
        assertTrue(receiver.isTrusted(write(MORE_TAGGED, 100), 1));
        assertFalse(receiver.isTrusted(write(MORE_TAGGED, 99), 1));
        assertFalse(receiver.isTrusted(tagged(LAST_TAGGED, WRITE, PlainLayer.STAG + 1, 0x1000 + 100), 1));
        assertTaken(write(LAST_TAGGED, 100), 100);
        assertFalse(receiver.isTrusted(write(MORE_TAGGED, 200), 1), "the message has ended");
    }

    @Test
    void shouldNotTrustBehindASegmentThatIsNotVerified() {
        assertEquals(TerminateCode.NONE, receiver.onHeader(write(MORE_TAGGED, 0), 1, 100));
        assertFalse(receiver.isTrusted(write(MORE_TAGGED, 100), 1));
    }

    @Test
    void shouldTrustLocalPlacesAndBuffersOfThisStream() {
        assertTrue(receiver.isTrusted(tagged(LAST_TAGGED, READ_RESPONSE, 0xDEAD, 0), 1));
        assertTrue(receiver.isTrusted(untagged(LAST_UNTAGGED, SEND, 1, 1, 0), 1));
        assertFalse(receiver.isTrusted(untagged(LAST_UNTAGGED, SEND, 2, 1, 0), 1), "no such queue");
        assertFalse(receiver.isTrusted(untagged(MORE_UNTAGGED, SEND, 0, 1, 0), 1), "streams share the buffers of this queue");
        assertTaken(untagged(MORE_UNTAGGED, SEND, 0, 1, 0), 10);
        assertTrue(receiver.isTrusted(untagged(LAST_UNTAGGED, SEND, 0, 1, 10), 1), "it has taken one");
    }

    /** An answer to a Read between two segments of a Write does not end the trust in the Write. */
    @Test
    void shouldGoOnTrustingAfterAnAnswer() {
        assertTaken(write(MORE_TAGGED, 0), 100);
        assertTaken(tagged(LAST_TAGGED, READ_RESPONSE, PlainLayer.STAG, 0x1000), 50);
        assertTrue(receiver.isTrusted(write(LAST_TAGGED, 100), 1));
        assertTrue(receiver.isInMessage());
    }

    @Test
    void shouldWatchTheEndOfAWriteAlone() {
        receiver.onHeader(write(MORE_TAGGED, 0), 1, 1);
        assertFalse(receiver.isEndWatched());
        receiver.onHeader(write(LAST_TAGGED, 0), 1, 1);
        assertTrue(receiver.isEndWatched());
        receiver.onHeader(tagged(LAST_TAGGED, READ_RESPONSE, PlainLayer.STAG, 0x1000), 1, 1);
        assertFalse(receiver.isEndWatched());
        receiver.onHeader(untagged(LAST_UNTAGGED, SEND, 0, 1, 0), 1, 1);
        assertFalse(receiver.isEndWatched());
    }

    @Test
    void shouldDeliverWhatWasPlacedAheadIfItsPlaceIsStillValid() {
        assertTrue(receiver.isPlacedAlone(write(LAST_TAGGED, 0), 1));
        assertFalse(receiver.isPlacedAlone(tagged(LAST_TAGGED, READ_RESPONSE, PlainLayer.STAG, 0), 1));
        assertFalse(receiver.isPlacedAlone(untagged(LAST_UNTAGGED, SEND, 0, 1, 0), 1));
        assertEquals(TerminateCode.NONE, receiver.onPlaced(LAST_TAGGED, WRITE, PlainLayer.STAG, 0x1000, 60));
        assertEquals(List.of("tagged 60 last"), layer.events);
        assertEquals(TerminateCode.TAGGED_INVALID_STAG, receiver.onPlaced(LAST_TAGGED, WRITE, 0xDEAD, 0x1000, 60));
        assertEquals(List.of("tagged 60 last"), layer.events);
    }

    @Test
    void shouldAskTheLayerAboveForTheErrorOfBadMemory() {
        receiver.onHeader(write(LAST_TAGGED, 0), 1, 1);
        assertEquals(PlainLayer.BAD_MEMORY, receiver.onBadMemory());
        receiver.onHeader(untagged(LAST_UNTAGGED, SEND, 1, 1, 0), 1, 1);
        assertEquals(PlainLayer.BAD_MEMORY, receiver.onBadMemory());
    }
}
