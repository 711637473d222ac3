package org.panamaverbs.softiwarp.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.panamaverbs.CompletionOpcode;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.Completions;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;
import org.panamaverbs.softiwarp.memory.SgeCursor;
import org.panamaverbs.softiwarp.queue.SendQueue.Operation;
import org.panamaverbs.spi.Described;
import org.panamaverbs.spi.SendWorkRequest;

class SendQueueTest {
    private static final int DEPTH = 3;
    private static final int INLINE = 16;

    private final Arena arena = Arena.ofAuto();
    private final Completions polled = Completions.allocate(8);
    private final CompletionRing ring = new CompletionRing(8, () -> {
    });
    private final RegisteredMemory memory = new RegisteredMemory(arena.allocate(64), this, 0);

    private SendQueue queue(boolean signalAll) {
        return new SendQueue(DEPTH, 2, INLINE, arena, signalAll, ring, new Origin(7, this));
    }

    private long post(SendQueue queue, long id, Operation operation, int flags) {
        long sequence = queue.claim(id);
        queue.describe(sequence, operation, 5, 0x1000, 0x77, flags);
        queue.element(sequence, memory, 8, 5);
        queue.publish(sequence);
        return sequence;
    }

    private List<Long> completed() {
        List<Long> ids = new ArrayList<>();
        ring.poll(Described.of(polled));
        while (polled.next()) {
            ids.add(polled.id());
        }
        return ids;
    }

    @Test
    void shouldKeepWhatWasPosted() {
        SendQueue queue = queue(true);
        assertEquals(0, post(queue, 100, Operation.READ, SendWorkRequest.SIGNALED | SendWorkRequest.FENCE));
        assertEquals(100, queue.id(0));
        assertEquals(Operation.READ, queue.operation(0));
        assertEquals(5, queue.total(0));
        assertEquals(0x1000, queue.remoteAddress(0));
        assertEquals(0x77, queue.remoteKey(0));
        assertSame(memory, queue.sink(0));
        assertEquals(8, queue.sinkOffset(0));
        assertTrue(queue.has(0, SendWorkRequest.SIGNALED | SendWorkRequest.FENCE));
        assertFalse(queue.has(0, SendWorkRequest.SOLICITED));
    }

    @Test
    void shouldTakeAsManyRequestsAsItsDepth() {
        SendQueue queue = queue(true);
        for (int i = 0; i < DEPTH; i++) {
            post(queue, i, Operation.SEND, 0);
        }
        assertEquals(-1, queue.claim(3));
        assertTrue(queue.done(0, CompletionStatus.SUCCESS, 0));
        assertEquals(-1, queue.claim(3), "a slot is free once its request has completed");
        queue.retireDone();
        assertEquals(DEPTH, post(queue, 3, Operation.SEND, 0));
    }

    @Test
    void shouldCompleteInOrderWhateverIsDoneFirst() {
        SendQueue queue = queue(true);
        for (int i = 0; i < DEPTH; i++) {
            post(queue, 100 + i, Operation.SEND, 0);
        }
        queue.done(2, CompletionStatus.SUCCESS, 0);
        queue.done(1, CompletionStatus.SUCCESS, 0);
        assertTrue(queue.retireDone());
        assertEquals(List.of(), completed());
        assertTrue(queue.isOldest(0));
        queue.done(0, CompletionStatus.SUCCESS, 0);
        assertTrue(queue.retireDone());
        assertEquals(List.of(100L, 101L, 102L), completed());
        assertTrue(queue.isOldest(3));
    }

    @Test
    void shouldCountTheFirstOutcomeOfARequest() {
        SendQueue queue = queue(true);
        post(queue, 100, Operation.WRITE, 0);
        assertTrue(queue.done(0, CompletionStatus.REMOTE_ACCESS_ERROR, 0x1234));
        assertFalse(queue.done(0, CompletionStatus.SUCCESS, 0));
        queue.retireDone();
        ring.poll(Described.of(polled));
        assertTrue(polled.next());
        assertEquals(CompletionStatus.REMOTE_ACCESS_ERROR, polled.status());
        assertEquals(CompletionOpcode.WRITE, polled.opcode());
        assertEquals(0x1234, polled.vendorError());
        assertEquals(7, polled.queuePairNumber());
        assertSame(this, polled.attachment());
    }

    @Test
    void shouldNotTakeALateOutcomeForThatOfTheNextRequestInTheSlot() {
        SendQueue queue = queue(true);
        for (int i = 0; i < 5; i++) {
            post(queue, i, Operation.SEND, 0);
            queue.done(i, CompletionStatus.SUCCESS, 0);
            queue.retireDone();
        }
        assertEquals(5, completed().size());
        assertFalse(queue.done(1, CompletionStatus.FLUSHED, 0));
        assertFalse(queue.done(0, CompletionStatus.FLUSHED, 0), "sequence 4 had the slot of 0");
    }

    @Test
    void shouldCompleteWhatIsSentInOrder() {
        SendQueue queue = queue(true);
        for (int i = 0; i < DEPTH; i++) {
            queue.described(post(queue, 100 + i, Operation.WRITE, 0), 10 * (i + 1));
        }
        assertTrue(queue.sent(9));
        assertEquals(List.of(), completed());
        assertTrue(queue.sent(20));
        assertEquals(List.of(100L, 101L), completed());
        assertTrue(queue.sent(30));
        assertEquals(List.of(102L), completed());
    }

    @Test
    void shouldWaitForAnAnswerBetweenRequestsThatAreSent() {
        SendQueue queue = queue(true);
        queue.described(post(queue, 100, Operation.SEND, 0), 10);
        long read = post(queue, 101, Operation.READ, 0);
        queue.described(post(queue, 102, Operation.SEND, 0), 30);
        assertTrue(queue.sent(30));
        assertEquals(List.of(100L), completed());
        assertTrue(queue.done(read, CompletionStatus.SUCCESS, 0), "sending does not complete a Read");
        assertTrue(queue.retireDone());
        assertEquals(List.of(101L, 102L), completed());
    }

    /** The last request has the slot of the Read, which was never described. */
    @Test
    void shouldCompleteTheFirstAfterARead() {
        int depth = 4;
        SendQueue queue = new SendQueue(depth, 1, 0, null, true, ring, Origin.of(1));
        long read = post(queue, 100, Operation.READ, 0);
        queue.done(read, CompletionStatus.SUCCESS, 0);
        assertTrue(queue.retireDone());
        for (int i = 1; i <= depth; i++) {
            queue.described(post(queue, 100 + i, Operation.SEND, 0), 10 * i);
        }
        completed();
        assertTrue(queue.sent(10));
        assertEquals(List.of(101L), completed());
    }

    @Test
    void shouldNotFailWhatIsSent() {
        SendQueue queue = queue(true);
        long read = post(queue, 100, Operation.READ, 0);
        long write = post(queue, 101, Operation.WRITE, 0);
        queue.described(write, 20);
        assertTrue(queue.sent(20));
        assertFalse(queue.done(write, CompletionStatus.FLUSHED, 0));
        assertTrue(queue.done(read, CompletionStatus.FLUSHED, 0));
        assertTrue(queue.retireDone());
        ring.poll(Described.of(polled));
        assertTrue(polled.next());
        assertEquals(CompletionStatus.FLUSHED, polled.status());
        assertTrue(polled.next());
        assertEquals(CompletionStatus.SUCCESS, polled.status());
    }

    @Test
    void shouldFlushWhatIsDescribedAndNotSent() {
        SendQueue queue = queue(true);
        long write = post(queue, 100, Operation.WRITE, 0);
        queue.described(write, 10);
        queue.forgetDescribed();
        assertTrue(queue.sent(10));
        assertEquals(List.of(), completed());
        assertTrue(queue.done(write, CompletionStatus.FLUSHED, 0));
        assertTrue(queue.retireDone());
        assertEquals(List.of(100L), completed());
    }

    @ParameterizedTest
    @EnumSource(names = { "SUCCESS", "FLUSHED" })
    void shouldShowUnsignalledRequestsThatFailAlone(CompletionStatus status) {
        SendQueue queue = queue(false);
        post(queue, 100, Operation.SEND, 0);
        post(queue, 101, Operation.SEND, SendWorkRequest.SIGNALED);
        queue.done(0, status, 0);
        queue.done(1, status, 0);
        queue.retireDone();
        assertEquals(status == CompletionStatus.SUCCESS ? List.of(101L) : List.of(100L, 101L), completed());
        assertEquals(2, queue.retired());
    }

    @Test
    void shouldSayThatTheCompletionQueueOverran() {
        SendQueue queue = queue(true);
        for (int i = 0; i < 8; i++) {
            ring.add(i, 0, 0, 0, 0, 0, 0, Origin.of(1), false);
        }
        post(queue, 100, Operation.SEND, 0);
        queue.done(0, CompletionStatus.SUCCESS, 0);
        assertFalse(queue.retireDone());
        assertTrue(ring.isOverrun());
        assertEquals(1, queue.retired(), "the slot is free nevertheless");
    }

    @Test
    void shouldLetRequestsStartAtTheDoorbell() {
        SendQueue queue = queue(true);
        post(queue, 1, Operation.SEND, SendWorkRequest.MORE);
        assertEquals(0, queue.doorbell());
        assertEquals(1, queue.posted());
        post(queue, 2, Operation.SEND, 0);
        assertEquals(2, queue.doorbell());
        post(queue, 3, Operation.SEND, SendWorkRequest.MORE);
        assertEquals(2, queue.doorbell());
        queue.ringDoorbell();
        assertEquals(3, queue.doorbell());
    }

    @Test
    void shouldForgetARequestThatIsNotPublished() {
        SendQueue queue = queue(true);
        queue.claim(1);
        queue.abandon();
        assertEquals(0, queue.posted());
        assertEquals(0, post(queue, 2, Operation.SEND, 0));
        assertEquals(2, queue.id(0));
    }

    @Test
    void shouldKeepInlineBytesWhateverTheProgramDoesToItsOwn() {
        SendQueue queue = queue(true);
        MemorySegment bytes = arena.allocateFrom("inline");
        for (int slot = 0; slot < 2; slot++) {
            long sequence = queue.claim(slot);
            queue.describe(sequence, Operation.SEND, 6, 0, 0, SendWorkRequest.INLINE);
            queue.copyInline(sequence, bytes, 0, 0, 2);
            queue.copyInline(sequence, bytes, 2, 2, 4);
            queue.copyInline(sequence, bytes, 0, 6, 0);
            queue.publish(sequence);
        }
        bytes.fill((byte) 0);
        SgeCursor source = new SgeCursor();
        MemorySegment read = arena.allocate(7);
        queue.source(1, source);
        assertTrue(source.get(read, 0, 6));
        assertEquals("inline", read.getString(0));
        assertFalse(source.isRegistered());
    }

    @Test
    void shouldGatherTheParts() {
        SendQueue queue = queue(true);
        memory.segment().setString(0, "gathered");
        long sequence = queue.claim(1);
        queue.describe(sequence, Operation.SEND, 8, 0, 0, 0);
        queue.element(sequence, memory, 4, 4);
        queue.element(sequence, memory, 1, 0);
        queue.element(sequence, memory, 0, 4);
        queue.publish(sequence);
        SgeCursor source = new SgeCursor();
        queue.source(sequence, source);
        assertEquals(8, source.remaining());
        MemorySegment read = arena.allocate(9);
        assertTrue(source.get(read, 0, 8));
        assertEquals("eredgath", read.getString(0));
    }

    @Test
    void shouldDropTheMemoryOfARequestThatHasCompleted() {
        SendQueue queue = queue(true);
        long sequence = post(queue, 1, Operation.READ, 0);
        queue.done(sequence, CompletionStatus.SUCCESS, 0);
        queue.retireDone();
        assertNull(queue.sink(sequence));
    }

    @Test
    void shouldKeepOperandsForEachSlot() {
        SendQueue queue = queue(true);
        for (int i = 0; i < 2; i++) {
            long sequence = queue.claim(i);
            queue.describe(sequence, Operation.COMPARE_AND_SWAP, 8, 0, 0, 0);
            queue.operands(sequence, 10 + i, 20 + i, 30 + i, 40 + i);
            queue.publish(sequence);
        }
        long third = queue.claim(3);
        queue.describe(third, Operation.IMMEDIATE, 0, 0, 0, 0);
        queue.immediate(third, 99);
        queue.publish(third);
        assertEquals(List.of(11L, 21L, 31L, 41L),
                List.of(queue.operand(1, 0), queue.operand(1, 1), queue.operand(1, 2), queue.operand(1, 3)));
        assertEquals(99, queue.operand(third, 0));
    }

    @Test
    void shouldTellAListenerOfEachRequestThatCompletes() {
        SendQueue queue = queue(false);
        List<String> heard = new ArrayList<>();
        post(queue, 1, Operation.SEND, 0);
        long sequence = queue.claim(2);
        queue.describe(sequence, Operation.WRITE, 5, 0, 0, 0);
        queue.listen((number, operation, length) -> heard.add(number + " " + operation + " " + length));
        queue.publish(sequence);
        queue.done(1, CompletionStatus.SUCCESS, 0);
        queue.done(0, CompletionStatus.SUCCESS, 0);
        queue.retireDone();
        assertEquals(List.of("0 SEND 5", "1 WRITE 5"), heard);
    }

    /** If memory runs out in a post, the lock of the queue is free afterwards. */
    @Test
    void shouldTakeTheNextRequestAfterMemoryRanOut() {
        boolean[] out = { true };
        SegmentAllocator scarce = (size, alignment) -> {
            if (out[0]) {
                throw new OutOfMemoryError("of the test");
            }
            return arena.allocate(size, alignment);
        };
        SendQueue queue = new SendQueue(DEPTH, 1, INLINE, scarce, true, ring, Origin.of(1));
        MemorySegment bytes = arena.allocateFrom(ValueLayout.JAVA_BYTE, (byte) 9);
        long sequence = queue.claim(1);
        assertThrows(OutOfMemoryError.class, () -> queue.copyInline(sequence, bytes, 0, 0, 1));
        out[0] = false;
        assertEquals(sequence, queue.claim(2));
        queue.copyInline(sequence, bytes, 0, 0, 1);
        queue.publish(sequence);
        assertEquals(1, queue.posted());
    }

    @ParameterizedTest
    @EnumSource
    void shouldSayWhatKindAnOperationIs(Operation operation) {
        boolean atomic = operation == Operation.COMPARE_AND_SWAP || operation == Operation.FETCH_AND_ADD;
        assertEquals(atomic, operation.isAtomic());
        assertEquals(atomic || operation == Operation.READ, operation.isAnswered());
        assertEquals(operation == Operation.LOCAL_INVALIDATE || operation == Operation.BIND, operation.isLocal());
        assertEquals(!operation.isAnswered() && !operation.isLocal(), operation.isCompletedBySending());
    }
}
