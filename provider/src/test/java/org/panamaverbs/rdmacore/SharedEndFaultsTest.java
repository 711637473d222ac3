package org.panamaverbs.rdmacore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.SharedReceiveQueue;
import org.panamaverbs.SystemException;
import org.panamaverbs.Verbs;
import org.panamaverbs.bindings.rdma.Rdma;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.ConnectionEnd;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.cm.Listener;
import org.panamaverbs.device.GlobalIdentifier;
import org.panamaverbs.device.QueuePairPort;

/** Ends that come from what connections share: a shared receive queue, a bond. */
class SharedEndFaultsTest extends OnStubDevice {
    private Verbs verbs;
    private CoreDevice device;
    private CoreProtectionDomain domain;
    private CompletionQueue queue;
    private SharedReceiveQueue shared;

    @BeforeEach
    void openDevice() {
        StubDevice.setIdentifier(0, new GlobalIdentifier(0, 0xFFFF_C000_0201L));
        verbs = open();
        device = (CoreDevice) verbs.device("stub0");
        domain = (CoreProtectionDomain) device.allocateProtectionDomain();
        queue = device.createCompletionQueue(4096);
        shared = domain.createSharedReceiveQueue(8, 1);
    }

    @AfterEach
    void closeAll() {
        verbs.close();
        assertEquals(0, StubDevice.live("qp"));
        assertEquals(0, StubDevice.live("srq"));
    }

    private QueuePairAttributes attributes() {
        return QueuePairAttributes.of(queue).withDepths(1, 1).withSharedReceiveQueue(shared);
    }

    private static SystemException failureOf(Connection connection) {
        assertTrue(connection.awaitDisconnected(LIMIT));
        ConnectionEnd end = connection.end().orElseThrow();
        assertEquals(ConnectionEnd.Cause.LOCAL_ERROR, end.cause(), () -> end.toString());
        return assertInstanceOf(SystemException.class, end.failure().orElseThrow());
    }

    /** The device takes no receive of it any more: peers would send again without end. */
    @Test
    void shouldEndTheQueuePairsOfASharedQueueThatFails() {
        List<Connection> connections = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            connections.add(connect(domain, attributes()));
        }
        Connection other = connect(domain, QueuePairAttributes.of(queue).withDepths(1, 1));
        StubDevice.raiseAsynchronous(Rdma.IBV_EVENT_SRQ_ERR(), ((CoreSharedReceiveQueue) shared).address().address());
        for (Connection connection : connections) {
            String message = failureOf(connection).getMessage();
            assertTrue(message.contains("IBV_EVENT_SRQ_ERR") && message.contains("shared receive queue"), message);
        }
        assertTrue(other.isConnected(), "it has receives of its own");
    }

    /** A connection stays with the port that it was made on. Linux's NFS client treats the event alike (net/sunrpc/xprtrdma/verbs.c). */
    @Test
    void shouldEndAConnectionWhoseBondFailsOver() {
        Connection connection = connect(domain, QueuePairAttributes.of(queue));
        StubDevice.raiseConnection(StubDevice.identifier(), Rdma.RDMA_CM_EVENT_ADDR_CHANGE(), 0);
        String message = failureOf(connection).getMessage();
        assertTrue(message.contains("bond lo ") && message.contains("127.0.0.1") && message.contains("RDMA_CM_EVENT_ADDR_CHANGE"), message);
    }

    @Test
    void shouldKeepAListenerWhoseBondFailsOver() {
        Listener listener = ConnectionManager.of(verbs).listen(NOBODY, 1);
        StubDevice.raiseConnection(StubDevice.listener(), Rdma.RDMA_CM_EVENT_ADDR_CHANGE(), 0);
        StubDevice.raiseRequest(StubDevice.listener());
        listener.awaitRequest(LIMIT).close();
    }

    /** Each waits until its device has flushed what it took, and rxe never says so: all of them go into error before the first one waits. */
    @ParameterizedTest
    @ValueSource(strings = { "completion queue", "shared receive queue", "protection domain" })
    void shouldCloseQueuePairsOfASharedQueueTogether(String parent) {
        int count = 1000;
        for (int i = 0; i < count; i++) {
            domain.createQueuePair(attributes(), new QueuePairPort(1, 1, 0), Set.of());
        }
        long before = StubDevice.called("ibv_modify_qp");
        Thread closer = Thread.ofPlatform().start(switch (parent) {
            case "completion queue" -> queue::close;
            case "shared receive queue" -> shared::close;
            default -> domain::close;
        });
        await("the first is destroyed", () -> StubDevice.live("qp") < count);
        assertTrue(StubDevice.called("ibv_modify_qp") - before >= count, "not all were put into error before");
        await("all are closed", () -> !closer.isAlive());
    }
}
