package org.panamaverbs.rdmacore.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.bindings.rdma.ibv_recv_wr;
import org.panamaverbs.bindings.rdma.ibv_send_wr;
import org.panamaverbs.bindings.rdma.ibv_sge;
import org.panamaverbs.rdmacore.ffi.NativeMemory;
import org.panamaverbs.rdmacore.ffi.NeedsLibraries;

class WorkRingTest implements NeedsLibraries {
    private static final int REQUEST_SIZE = 128;

    private final WorkRing ring = ring(4);

    private static WorkRing ring(int depth) {
        return new WorkRing(Arena.ofAuto(), depth, 0, 2, REQUEST_SIZE);
    }

    private int post(WorkRing to, long id, boolean visible, boolean reported) {
        int sequence = to.begin(id, visible, reported);
        to.publish(sequence);
        return sequence;
    }

    private int post(boolean reported) {
        int sequence = post(ring, 0, true, reported);
        ring.submittedThrough(sequence + 1);
        return sequence;
    }

    @ParameterizedTest
    @CsvSource({ "1, 1", "2, 2", "3, 4", "5, 8" })
    void shouldTakeAsManyRequestsAsItsDepth(int depth, int slots) {
        WorkRing each = ring(depth);
        assertEquals(slots, each.slots());
        assertTrue(each.isEmpty());
        for (int i = 0; i < depth; i++) {
            assertTrue(each.hasRoom());
            post(each, i, true, true);
        }
        assertFalse(each.hasRoom());
        assertEquals(depth, each.outstanding());
        each.retireThrough(0);
        assertTrue(each.hasRoom());
    }

    @Test
    void shouldShowARequestOnceItIsPublished() {
        int sequence = ring.begin(77, true, false);
        assertFalse(ring.isOutstanding(sequence));
        ring.publish(sequence);
        assertTrue(ring.isOutstanding(sequence));
        assertEquals(77, ring.id(sequence));
        assertTrue(ring.isVisible(sequence));
    }

    @Test
    void shouldTakeTheNewestRequestBack() {
        post(ring, 1, true, true);
        post(ring, 2, true, true);
        ring.abandon();
        assertEquals(1, ring.posted());
        assertEquals(1, post(ring, 3, true, true));
        assertEquals(3, ring.id(1));
    }

    /** The counts wrap around, and slots are used again. */
    @Test
    void shouldGoRound() {
        for (int i = 0; i < 100; i++) {
            int sequence = post(ring, i, i % 2 == 0, true);
            ring.submittedThrough(sequence + 1);
            assertEquals(i, ring.id(sequence));
            assertEquals(i % 2 == 0, ring.isVisible(sequence));
            assertTrue(ring.isDoneInOrder(sequence));
            ring.retireThrough(sequence);
            assertFalse(ring.isOutstanding(sequence), "it is done");
            assertTrue(ring.isEmpty());
        }
    }

    /** A device that reports a Send at once, and the Read before it with its answer. */
    @Test
    void shouldCountBeyondTheSequences() {
        // As if so many requests had been posted and done; half the range is the longest step.
        for (int last : new int[] { Integer.MAX_VALUE - 1, -3 }) {
            ring.publish(last);
            ring.retireThrough(last);
        }
        for (int sequence = -2; sequence < 2; sequence++) {
            assertEquals(sequence, post(true));
        }
        assertFalse(ring.hasRoom());
        assertEquals((1L << Integer.SIZE) + 2, ring.postedCount());
        ring.retireThrough(0);
        assertEquals((1L << Integer.SIZE) + 1, ring.retiredCount());
        assertTrue(ring.isOutstanding(1));
    }

    @Test
    void shouldKeepACompletionUntilAllBeforeItAreDone() {
        int read = post(true);
        int send = post(true);
        assertFalse(ring.isDoneInOrder(send));
        KeptCompletion kept = KeptCompletion.flushed(1, true, 2, null);
        ring.hold(send, kept);
        assertTrue(ring.holds());
        assertTrue(ring.isDone(send));
        assertEquals(ring.posted(), ring.nextReleasable(ring.posted()));
        assertTrue(ring.isDoneInOrder(read));
        ring.retireThrough(read);
        assertEquals(send, ring.nextReleasable(ring.posted()));
        assertEquals(kept, ring.release(send));
        assertFalse(ring.holds());
    }

    /** The device reports only failures of the requests between: a later report says that they are done. */
    @Test
    void shouldNotWaitForRequestsThatAreNotReported() {
        int silent = post(false);
        int reported = post(true);
        assertTrue(ring.isSilentlyDone(silent));
        assertFalse(ring.isSilentlyDone(reported));
        assertTrue(ring.isDoneInOrder(reported));
    }

    @Test
    void shouldNotCallARequestDoneThatTheDeviceDoesNotHave() {
        int sequence = post(ring, 1, true, false);
        assertFalse(ring.isSilentlyDone(sequence));
        ring.submittedThrough(sequence + 1);
        assertTrue(ring.isSilentlyDone(sequence));
    }

    @Test
    void shouldAwaitReportsOfWhatWasSubmittedAlone() {
        int silent = post(false);
        assertFalse(ring.awaitsReport());
        int reported = post(ring, 1, true, true);
        assertFalse(ring.awaitsReport(), "the device does not have it");
        ring.submittedThrough(reported + 1);
        assertTrue(ring.awaitsReport());
        assertTrue(ring.isOutstanding(silent));
        assertTrue(ring.isDoneInOrder(reported));
        ring.retireThrough(reported);
        assertFalse(ring.awaitsReport());
        assertFalse(ring.isOutstanding(silent));
    }

    @Test
    void shouldReleaseUpToTheFirstThatIsStillToBeReported() {
        post(false);
        int first = post(true);
        assertEquals(ring.posted(), ring.nextReleasable(ring.posted()));
        ring.hold(first, null);
        assertEquals(first, ring.nextReleasable(ring.posted()));
    }

    @Test
    void shouldReleaseNoneThatIsPostedMeanwhile() {
        int first = post(true);
        int end = ring.posted();
        ring.retireThrough(first);
        post(true);
        assertEquals(end, ring.nextReleasable(end));
    }

    @Test
    void shouldFindTheRequestAtAnAddress() {
        for (int i = 0; i < 6; i++) {
            ring.retireThrough(post(true));
        }
        for (int i = 0; i < 4; i++) {
            int sequence = post(true);
            assertEquals(sequence, ring.sequenceAt(ring.address(sequence), 6));
            assertEquals(ring.memory().address(0) + ring.slot(sequence) * REQUEST_SIZE, ring.address(sequence));
        }
    }

    private static void assertElement(long address, int length, int key, long place) {
        assertEquals(address, NativeMemory.getLong(place + ibv_sge.addr$offset()));
        assertEquals(length, NativeMemory.getInt(place + ibv_sge.length$offset()));
        assertEquals(key, NativeMemory.getInt(place + ibv_sge.lkey$offset()));
    }

    @Test
    void shouldKeepTheElementsOfEachRequest() {
        int sequence = ring.begin(1, true, true);
        ring.element(sequence, 0, 0x1000, 40, 7);
        ring.element(sequence, 1, 0x2000, 0xFFFF_FFFFL, 8);
        ring.memory().elements(ring.slot(sequence), 2);
        ring.publish(sequence);
        int other = ring.begin(2, true, true);
        ring.element(other, 0, 0x3000, 5, 9);
        ring.memory().elements(ring.slot(other), 1);
        ring.publish(other);
        assertElement(0x1000, 40, 7, ring.elementsAddress(sequence));
        assertElement(0x2000, 0xFFFF_FFFF, 8, ring.elementsAddress(sequence) + 16);
        assertElement(0x3000, 5, 9, ring.elementsAddress(other));
        assertEquals(2 * 16, ring.elementsAddress(other) - ring.elementsAddress(sequence));
        assertTrue(ring.memory().hasLiveRegions(ring.slot(sequence), key -> key == 7 || key == 8));
        assertFalse(ring.memory().hasLiveRegions(ring.slot(sequence), key -> key == 7));
    }

    /** libirdma takes the first element, and libcxgb4 reads its length, whatever the number of elements says. */
    @Test
    void shouldLeaveNoElementOfAnEarlierRequestToOneThatHasNone() {
        ring.element(0, 0, 0x1000, 40, 7);
        ring.memory().elements(0, 1);
        ring.memory().elements(0, 0);
        assertElement(0, 0, 0, ring.elementsAddress(0));
        assertEquals(0, NativeMemory.getInt(ring.address(0) + ibv_send_wr.num_sge$offset()));
    }

    @Test
    void shouldNameTheElementsOfEachRequestOnce() {
        for (int sequence = 0; sequence < 4; sequence++) {
            assertEquals(ring.elementsAddress(sequence), NativeMemory.getLong(ring.address(sequence) + ibv_send_wr.sg_list$offset()));
        }
        assertThrows(IndexOutOfBoundsException.class, () -> ring.element(0, 2, 0, 0, 0));
    }

    /** The slots write these fields of both. */
    @Test
    void shouldFindTheStructsOfSendsAndOfReceivesToBeginAlike() {
        assertEquals(ibv_send_wr.wr_id$offset(), ibv_recv_wr.wr_id$offset());
        assertEquals(ibv_send_wr.next$offset(), ibv_recv_wr.next$offset());
        assertEquals(ibv_send_wr.sg_list$offset(), ibv_recv_wr.sg_list$offset());
        assertEquals(ibv_send_wr.num_sge$offset(), ibv_recv_wr.num_sge$offset());
    }

    /** The byte of a request counts up to 31 requests before it that are not reported. */
    @ParameterizedTest
    @ValueSource(ints = { 0, 1, 30, 31, 32, 33, 100 })
    void shouldNoticeASkippedReportAcrossAnyNumberOfSilentRequests(int silent) {
        WorkRing each = ring(128);
        int first = post(each, 1, true, true);
        for (int i = 0; i < silent; i++) {
            post(each, 2, false, false);
        }
        int last = post(each, 3, true, true);
        each.submittedThrough(last + 1);
        assertFalse(each.isDoneInOrder(last), "the first was not reported");
        assertTrue(each.isDoneInOrder(first));
        each.retireThrough(first);
        assertTrue(each.isDoneInOrder(last));
        each.retireThrough(last);
        assertTrue(each.isEmpty());
    }

    /** A silent request that fails is reported. */
    @Test
    void shouldFindAFailedSilentRequestInOrder() {
        int first = post(true);
        int silent = post(false);
        int last = post(true);
        assertFalse(ring.isDoneInOrder(silent), "the first was not reported");
        ring.retireThrough(first);
        assertTrue(ring.isDoneInOrder(silent));
        ring.retireThrough(silent);
        assertTrue(ring.isDoneInOrder(last));
    }

    /** A request that was begun and not published, since it threw, does not count. */
    @Test
    void shouldNotCountASilentRequestThatWasNeverPublished() {
        int first = post(true);
        ring.begin(1, false, false);
        assertEquals(0, ring.silent());
        int last = post(true);
        assertEquals(first + 1, last);
        assertFalse(ring.isDoneInOrder(last), "the first was not reported");
    }

    @Test
    void shouldNotCallAHeldRequestOutstanding() {
        post(true);
        int send = post(true);
        ring.hold(send, null);
        assertFalse(ring.isOutstanding(send), "a second report of it counts no more");
        ring.retireThrough(0);
        ring.release(send);
        ring.retireThrough(send);
        for (int i = 0; i < 3; i++) {
            assertTrue(ring.isOutstanding(post(true)), "its slot is used again");
        }
    }
}
