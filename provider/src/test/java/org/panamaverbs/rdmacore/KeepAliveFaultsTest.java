package org.panamaverbs.rdmacore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.panamaverbs.Access;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.Completions;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.RemoteMemory;
import org.panamaverbs.SendRequest;
import org.panamaverbs.Verbs;
import org.panamaverbs.bindings.rdma.Rdma;
import org.panamaverbs.bindings.rdma.ibv_wc;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.ConnectionEnd;
import org.panamaverbs.rdmacore.queue.WrIdTable;

/** Keep-alive: an idle connection is probed, and the program sees nothing of that but the loss of a peer. */
class KeepAliveFaultsTest extends OnStubDevice {
    private static final int DEPTH = 4;
    private static final int MILLIS = 20;

    private final Completions completions = Completions.allocate(16);
    private Arena arena;
    private Verbs verbs;
    private CoreCompletionQueue queue;
    private MemoryRegion region;
    private Connection connection;
    private CoreQueuePair queuePair;

    @BeforeEach
    void connect() {
        arena = Arena.ofShared();
        verbs = Verbs.open(configuration().set("panamaverbs.rdmacore.keepalive", Integer.toString(MILLIS)).build());
        CoreDevice device = (CoreDevice) verbs.device("stub0");
        CoreProtectionDomain domain = (CoreProtectionDomain) device.allocateProtectionDomain();
        queue = (CoreCompletionQueue) device.createCompletionQueue(DEPTH + 1);
        region = domain.register(arena.allocate(64), Access.LOCAL_WRITE);
        connection = connect(domain, QueuePairAttributes.of(queue).withDepths(DEPTH, 1));
        queuePair = (CoreQueuePair) connection.queuePair();
    }

    @AfterEach
    void closeAll() {
        verbs.close();
        arena.close();
        assertEquals(0, StubDevice.live("qp"));
    }

    private long posted() {
        return queuePair.statistics().requestsPosted().orElseThrow();
    }

    private SendRequest write(long id) {
        return new SendRequest().write(id).local(region, 0, 64).remote(new RemoteMemory(0, 0, Long.MAX_VALUE), 0).signaled();
    }

    private void awaitProbe() {
        long before = posted();
        await("a probe", () -> posted() > before);
    }

    /** {@return the sequence of a probe that the device has, and does not report} */
    private long awaitWithheldProbe() {
        StubDevice.withhold();
        await("a probe", () -> StubDevice.withheldRequests() == 1);
        return posted() - 1;
    }

    private void report(long sequence, CompletionStatus status) {
        MemorySegment completion = ibv_wc.allocate(arena).fill((byte) 0);
        ibv_wc.wr_id(completion, queuePair.tag() | WrIdTable.SEND | sequence);
        ibv_wc.status(completion, status.value());
        ibv_wc.qp_num(completion, queuePair.number());
        StubDevice.complete(queue.address(), completion);
    }

    /** No thread of the program polls. */
    @Test
    void shouldProbeAnIdleConnectionAgainAndAgain() {
        awaitProbe();
        assertEquals(0, StubDevice.lastSendElements(), "a Write of 0 bytes");
        awaitProbe();
        awaitProbe();
        assertEquals(0, queue.poll(completions), "no probe is for the program");
        assertTrue(connection.isConnected());
    }

    @Test
    void shouldEndAConnectionWhosePeerAnswersNoProbe() {
        report(awaitWithheldProbe(), CompletionStatus.RETRY_EXCEEDED);
        assertTrue(connection.awaitDisconnected(LIMIT));
        ConnectionEnd end = connection.end().orElseThrow();
        assertEquals(ConnectionEnd.Cause.LOST, end.cause());
        assertEquals("the peer answered nothing on an idle connection: " + CompletionStatus.RETRY_EXCEEDED.text()
                + " (setting panamaverbs.rdmacore.keepalive)", end.failure().orElseThrow().getMessage());
        assertEquals(0, queue.poll(completions), "no probe is for the program");
    }

    @Test
    void shouldLeaveTheProgramItsDepthAndItsCompletions() {
        assertTrue(queue.capacity() > DEPTH, "a receive and all requests fit");
        awaitWithheldProbe();
        assertEquals(DEPTH, queuePair.sendRoom());
        for (int i = 0; i < DEPTH; i++) {
            assertTrue(queuePair.tryPost(write(i)), "request " + i);
        }
        assertFalse(queuePair.tryPost(write(DEPTH)), "one too many");
        connection.close();
        int flushed = 0;
        while (queue.poll(completions) > 0) {
            while (completions.next()) {
                assertEquals(CompletionStatus.FLUSHED, completions.status());
                assertEquals(flushed++, completions.id());
            }
        }
        assertEquals(DEPTH, flushed);
    }

    @Test
    void shouldNotProbeWhileARequestIsUnderWay() throws InterruptedException {
        StubDevice.withhold();
        queuePair.post(write(1));
        long before = posted();
        Thread.sleep(10 * MILLIS);
        assertEquals(before, posted());
    }

    @Test
    void shouldNotProbeAfterTheEnd() throws InterruptedException {
        StubDevice.raiseConnection(StubDevice.identifier(), Rdma.RDMA_CM_EVENT_DISCONNECTED(), 0);
        assertTrue(connection.awaitDisconnected(LIMIT));
        long before = posted();
        Thread.sleep(10 * MILLIS);
        assertEquals(before, posted());
    }
}
