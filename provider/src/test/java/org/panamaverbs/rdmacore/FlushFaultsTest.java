package org.panamaverbs.rdmacore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.panamaverbs.Access;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.Completions;
import org.panamaverbs.DatagramQueuePair;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.ReceiveRequest;
import org.panamaverbs.Verbs;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.bindings.rdma.Rdma;
import org.panamaverbs.cm.Connection;

/**
 * A queue pair that the device does not put into error: its requests may still be under way, so none of them is flushed while the device has
 * the queue pair.
 */
class FlushFaultsTest extends OnStubDevice {
    private final Completions completions = Completions.allocate(8);
    private Arena arena;
    private Verbs verbs;
    private CoreProtectionDomain domain;
    private CompletionQueue queue;
    private MemoryRegion region;

    @BeforeEach
    void openDevice() {
        arena = Arena.ofShared();
        verbs = open();
        CoreDevice device = (CoreDevice) verbs.device("stub0");
        domain = (CoreProtectionDomain) device.allocateProtectionDomain();
        queue = device.createCompletionQueue(8);
        region = domain.register(arena.allocate(64), Access.LOCAL_WRITE);
    }

    @AfterEach
    void closeAll() {
        verbs.close();
        arena.close();
        assertEquals(0, StubDevice.live("qp"));
        assertEquals(0, StubDevice.live("id"));
    }

    private Connection connectWithRequests() {
        Connection connection = connect(domain, QueuePairAttributes.of(queue));
        postWithheld(connection, region);
        assertEquals(0, queue.poll(completions));
        return connection;
    }

    private void assertFlushed(int count) {
        int seen = 0;
        while (seen < count) {
            int polled = queue.await(completions, LIMIT);
            assertTrue(polled > 0, "a completion is missing");
            assertEquals(0, StubDevice.live("qp"), "flushed, and the device still has it");
            while (completions.next()) {
                assertEquals(CompletionStatus.FLUSHED, completions.status());
                seen++;
            }
        }
    }

    @Test
    void shouldDestroyAQueuePairThatThePeerDisconnectsBeforeItFlushes() {
        Connection connection = connectWithRequests();
        StubDevice.fail("ibv_modify_qp", Libc.EIO(), 0);
        StubDevice.raiseConnection(StubDevice.identifier(), Rdma.RDMA_CM_EVENT_DISCONNECTED(), 0);
        assertFlushed(2);
        assertTrue(connection.awaitDisconnected(LIMIT));
        connection.close();
        assertEquals(0, StubDevice.live("id"));
    }

    @Test
    void shouldDestroyAQueuePairThatIsClosedBeforeItFlushes() {
        Connection connection = connectWithRequests();
        StubDevice.fail("ibv_modify_qp", Libc.EIO(), 0);
        Thread closer = Thread.ofPlatform().start(connection::close);
        assertFlushed(2);
        await("it is closed", () -> !closer.isAlive());
    }

    /** The device takes the queue pair into error, and reports nothing of its requests: they may still be under way. */
    @Test
    void shouldDestroyAQueuePairWhoseReportsAreMissingBeforeItFlushes() {
        Connection connection = connectWithRequests();
        StubDevice.silence();
        StubDevice.raiseConnection(StubDevice.identifier(), Rdma.RDMA_CM_EVENT_DISCONNECTED(), 0);
        assertFlushed(2);
        assertTrue(connection.awaitDisconnected(LIMIT));
        connection.close();
    }

    @Test
    void shouldFlushAfterASuccessAsBefore() {
        Connection connection = connectWithRequests();
        connection.disconnect();
        int seen = 0;
        while (seen < 2) {
            seen += queue.await(completions, LIMIT);
            completions.clear();
        }
        assertEquals(1, StubDevice.live("qp"), "until it is closed");
        connection.close();
        assertEquals(0, StubDevice.live("qp"));
    }

    @Test
    void shouldDestroyADatagramQueuePairBeforeItFlushes() {
        DatagramQueuePair datagrams = domain.createDatagramQueuePair(QueuePairAttributes.of(queue), 1, 0);
        datagrams.post(new ReceiveRequest().receive(1).local(region, 0, 64));
        StubDevice.fail("ibv_modify_qp", Libc.EIO(), 0);
        Thread closer = Thread.ofPlatform().start(datagrams::close);
        assertFlushed(1);
        await("it is closed", () -> !closer.isAlive());
    }

    @Test
    void shouldDestroyADatagramQueuePairThatFailsBeforeItFlushes() {
        DatagramQueuePair datagrams = domain.createDatagramQueuePair(QueuePairAttributes.of(queue), 1, 0);
        datagrams.post(new ReceiveRequest().receive(1).local(region, 0, 64));
        StubDevice.fail("ibv_modify_qp", Libc.EIO(), 0);
        StubDevice.raiseAsynchronous(Rdma.IBV_EVENT_QP_FATAL(), StubDevice.queuePair().address());
        assertFlushed(1);
        datagrams.close();
    }
}
