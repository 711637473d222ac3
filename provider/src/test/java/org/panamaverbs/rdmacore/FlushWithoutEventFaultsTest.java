package org.panamaverbs.rdmacore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.foreign.Arena;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.panamaverbs.Access;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.Completions;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.Verbs;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.bindings.rdma.Rdma;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.ConnectionEnd;

/** A device that flushes requests, and says only later why, or not at all: rxe (Linux 7.2) does the latter if it refuses a request itself. */
class FlushWithoutEventFaultsTest extends OnStubDevice {
    /** Shorter than the wait for the event. */
    private static final long PROMPT_NANOS = 300_000_000;

    private final Completions completions = Completions.allocate(8);
    private Arena arena;
    private Verbs verbs;
    private CompletionQueue sends;
    private CompletionQueue receives;
    private Connection connection;

    @BeforeEach
    void connectWithRequests() {
        arena = Arena.ofShared();
        verbs = open();
        CoreDevice device = (CoreDevice) verbs.device("stub0");
        CoreProtectionDomain domain = (CoreProtectionDomain) device.allocateProtectionDomain();
        sends = device.createCompletionQueue(8);
        receives = device.createCompletionQueue(8);
        MemoryRegion region = domain.register(arena.allocate(64), Access.LOCAL_WRITE);
        connection = connect(domain, QueuePairAttributes.of(sends, receives));
        postWithheld(connection, region);
        StubDevice.breakQueuePair(StubDevice.queuePair(), Rdma.IBV_QPS_ERR());
    }

    @AfterEach
    void closeAll() {
        verbs.close();
        arena.close();
        assertEquals(0, StubDevice.live("qp"));
        assertEquals(0, StubDevice.live("id"));
    }

    private ConnectionEnd end() {
        assertTrue(connection.awaitDisconnected(LIMIT));
        return connection.end().orElseThrow();
    }

    @Test
    void shouldEndTheConnection() {
        assertEquals(1, sends.poll(completions));
        ConnectionEnd end = end();
        assertEquals(ConnectionEnd.Cause.LOCAL_ERROR, end.cause());
        assertTrue(end.failure().orElseThrow().getMessage().contains("flushed or refused requests without an event"), end::toString);
    }

    @Test
    void shouldAwaitTheEvent() {
        long begin = System.nanoTime();
        assertEquals(1, sends.poll(completions));
        StubDevice.raiseConnection(StubDevice.identifier(), Rdma.RDMA_CM_EVENT_DISCONNECTED(), -Libc.ECONNRESET());
        assumeTrue(System.nanoTime() - begin < PROMPT_NANOS, "the machine was too busy to raise the event in time");
        ConnectionEnd end = end();
        assertEquals(ConnectionEnd.Cause.REMOTE_ERROR, end.cause(), end::toString);
        assertTrue(end.failure().orElseThrow().getMessage().contains("the connection ended"), end::toString);
    }

    /** The request that failed may lie in the other queue, and say more. */
    @Test
    void shouldNotJudgeByReceives() throws InterruptedException {
        assertEquals(1, receives.poll(completions));
        Thread.sleep(700);
        assertTrue(connection.isConnected());
    }
}
