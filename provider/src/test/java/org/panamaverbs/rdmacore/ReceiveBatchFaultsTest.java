package org.panamaverbs.rdmacore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.panamaverbs.Access;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.Completions;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.ReceiveQueue;
import org.panamaverbs.ReceiveRequest;
import org.panamaverbs.SharedReceiveQueue;
import org.panamaverbs.SystemException;
import org.panamaverbs.Verbs;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.cm.Connection;

/** Batches of receives of which the device takes some, or none. */
class ReceiveBatchFaultsTest extends OnStubDevice {
    private static final int DEPTH = 5;

    private Arena arena;
    private Verbs verbs;
    private CoreProtectionDomain domain;
    private MemoryRegion region;
    private CompletionQueue queue;

    @BeforeEach
    void openDevice() {
        arena = Arena.ofShared();
        verbs = open();
        CoreDevice device = (CoreDevice) verbs.device("stub0");
        domain = (CoreProtectionDomain) device.allocateProtectionDomain();
        queue = device.createCompletionQueue(16);
        region = domain.register(arena.allocate(64), Access.LOCAL_WRITE);
    }

    @AfterEach
    void closeAll() {
        verbs.close();
        arena.close();
    }

    private Connection connect() {
        return connect(domain, QueuePairAttributes.of(queue).withDepths(1, DEPTH));
    }

    /** Posts receives with one doorbell; gives what the last of them met. */
    private boolean post(ReceiveQueue receives, long... ids) {
        ReceiveRequest request = new ReceiveRequest();
        boolean posted = true;
        for (int i = 0; i < ids.length; i++) {
            posted = receives.tryPost(request.receive(ids[i]).local(region, 0, 64).more(i < ids.length - 1));
        }
        return posted;
    }

    /** Ends a connection; gives what was flushed. */
    private List<Long> flushed(Connection connection) {
        connection.disconnect();
        assertTrue(connection.awaitDisconnected(LIMIT));
        List<Long> ids = new ArrayList<>();
        Completions completions = Completions.allocate(16);
        while (queue.poll(completions) > 0) {
            while (completions.next()) {
                assertEquals(CompletionStatus.FLUSHED, completions.status());
                ids.add(completions.id());
            }
        }
        return ids;
    }

    /** The device takes three of five (bad_wr is the fourth, with ENOMEM): the fourth waits, and the last was not posted. */
    private void takesThree(ReceiveQueue receives) {
        StubDevice.limitReceives(3);
        assertFalse(post(receives, 1, 2, 3, 4, 5));
        assertFalse(post(receives, 5), "the device is still full");
        StubDevice.limitReceives(DEPTH);
        assertTrue(post(receives, 5));
        assertFalse(post(receives, 6), "the queue is full");
    }

    @Test
    void shouldPostWhatTheDeviceHasRoomFor() {
        Connection connection = connect();
        takesThree(connection.queuePair());
        assertEquals(List.of(1L, 2L, 3L, 4L, 5L), flushed(connection), "each once");
    }

    @Test
    void shouldPostWhatTheDeviceHasRoomForInASharedReceiveQueue() {
        try (SharedReceiveQueue shared = domain.createSharedReceiveQueue(DEPTH, 1)) {
            takesThree(shared);
        }
    }

    /** The device takes none, for another reason than lack of room. */
    private void takesNone(ReceiveQueue receives, String call) {
        StubDevice.fail(call, Libc.EINVAL(), 0);
        SystemException refused = assertThrows(SystemException.class, () -> post(receives, 1, 2, 3));
        assertEquals(Libc.EINVAL(), refused.errorNumber());
        assertTrue(refused.getMessage().contains("the last 3 receives") && refused.getMessage().contains(call), refused::getMessage);
        StubDevice.heal();
        assertTrue(post(receives, 11, 12, 13, 14, 15), "nothing of the first batch is kept");
    }

    @Test
    void shouldKeepNothingThatTheDeviceRefuses() {
        Connection connection = connect();
        takesNone(connection.queuePair(), "ibv_post_recv");
        assertEquals(List.of(11L, 12L, 13L, 14L, 15L), flushed(connection));
    }

    @Test
    void shouldKeepNothingThatTheDeviceRefusesInASharedReceiveQueue() {
        try (SharedReceiveQueue shared = domain.createSharedReceiveQueue(DEPTH, 1)) {
            takesNone(shared, "ibv_post_srq_recv");
        }
    }

    /** If the device takes some, the reason comes with the next doorbell. */
    private void takesTwo(ReceiveQueue receives, String call) {
        StubDevice.limitReceives(2);
        assertFalse(post(receives, 1, 2, 3));
        StubDevice.limitReceives(DEPTH);
        StubDevice.fail(call, Libc.EINVAL(), 0);
        assertThrows(SystemException.class, () -> post(receives, 3));
        StubDevice.heal();
        assertTrue(post(receives, 3, 4));
        receives.ringDoorbell();
        assertTrue(post(receives, 5));
    }

    /** What waits for a doorbell when the device is full starts with the doorbell. */
    private void waits(ReceiveQueue receives) {
        StubDevice.limitReceives(1);
        assertFalse(post(receives, 1, 2, 3));
        receives.ringDoorbell();
        StubDevice.limitReceives(DEPTH);
        receives.ringDoorbell();
        assertTrue(post(receives, 3, 4, 5));
        assertFalse(post(receives, 6), "the queue is full");
    }

    @Test
    void shouldStartByTheDoorbellWhatTheDeviceHadNoRoomFor() {
        Connection connection = connect();
        waits(connection.queuePair());
        assertEquals(List.of(1L, 2L, 3L, 4L, 5L), flushed(connection));
    }

    @Test
    void shouldStartByTheDoorbellWhatTheDeviceHadNoRoomForInASharedReceiveQueue() {
        try (SharedReceiveQueue shared = domain.createSharedReceiveQueue(DEPTH, 1)) {
            waits(shared);
        }
    }

    @Test
    void shouldFlushWhatWaitsForADoorbell() {
        Connection connection = connect();
        connection.queuePair().post(new ReceiveRequest().receive(1).local(region, 0, 64).more());
        assertEquals(List.of(1L), flushed(connection));
    }

    @Test
    void shouldSayWhyWhenTheRestIsTriedAgain() {
        Connection connection = connect();
        takesTwo(connection.queuePair(), "ibv_post_recv");
        assertEquals(List.of(1L, 2L, 3L, 4L, 5L), flushed(connection));
    }

    @Test
    void shouldSayWhyWhenTheRestIsTriedAgainInASharedReceiveQueue() {
        try (SharedReceiveQueue shared = domain.createSharedReceiveQueue(DEPTH, 1)) {
            takesTwo(shared, "ibv_post_srq_recv");
        }
    }
}
