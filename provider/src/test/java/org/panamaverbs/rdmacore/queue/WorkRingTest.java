package org.panamaverbs.rdmacore.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.panamaverbs.bindings.rdma.ibv_sge;
import org.panamaverbs.rdmacore.ffi.NativeMemory;
import org.panamaverbs.rdmacore.ffi.NeedsLibraries;

class WorkRingTest implements NeedsLibraries {
    private static final int REQUEST_SIZE = 128;

    private final WorkRing ring = ring(4);

    private static WorkRing ring(int depth) {
        return new WorkRing(Arena.ofAuto(), depth, 2, REQUEST_SIZE);
    }

    private int post(WorkRing to, long id, boolean visible, boolean reported) {
        int sequence = to.begin(id, visible, reported);
        to.publish(sequence, 0);
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
        ring.publish(sequence, 0);
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
            assertFalse(ring.isOutstanding(sequence), "it is done");
            ring.retireThrough(sequence);
            assertTrue(ring.isEmpty());
        }
    }

    /** A device that reports a Send at once, and the Read before it with its answer. */
    @Test
    void shouldCountBeyondTheSequences() {
        // As if so many requests had been posted and done; half the range is the longest step.
        for (int last : new int[] { Integer.MAX_VALUE - 1, -3 }) {
            ring.publish(last, 0);
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
        ring.isDoneInOrder(reported);
        assertFalse(ring.awaitsReport());
        assertTrue(ring.isOutstanding(silent));
    }

    @Test
    void shouldReleaseUpToTheFirstThatIsStillToBeReported() {
        post(false);
        int first = post(true);
        assertEquals(ring.posted(), ring.nextReleasable(ring.posted()));
        ring.isDoneInOrder(first);
        assertEquals(first, ring.nextReleasable(ring.posted()));
    }

    @Test
    void shouldReleaseNoneThatIsPostedMeanwhile() {
        int first = post(true);
        int end = ring.posted();
        ring.isDoneInOrder(first);
        ring.retireThrough(first);
        post(true);
        assertEquals(end, ring.nextReleasable(end));
    }

    @Test
    void shouldFindTheRequestAtAnAddress() {
        for (int i = 0; i < 6; i++) {
            int sequence = post(true);
            ring.isDoneInOrder(sequence);
            ring.retireThrough(sequence);
        }
        for (int i = 0; i < 4; i++) {
            int sequence = post(true);
            assertEquals(sequence, ring.sequenceAt(ring.address(sequence), 6));
            assertEquals(ring.address(sequence), ring.request(sequence).address());
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
        ring.publish(sequence, 2);
        int other = ring.begin(2, true, true);
        ring.element(other, 0, 0x3000, 5, 9);
        ring.publish(other, 1);
        assertElement(0x1000, 40, 7, ring.elementsAddress(sequence));
        assertElement(0x2000, 0xFFFF_FFFF, 8, ring.elementsAddress(sequence) + 16);
        assertElement(0x3000, 5, 9, ring.elementsAddress(other));
        assertEquals(2 * 16, ring.elementsAddress(other) - ring.elementsAddress(sequence));
        assertTrue(ring.hasLiveRegions(sequence, key -> key == 7 || key == 8));
        assertFalse(ring.hasLiveRegions(sequence, key -> key == 7));
    }
}
