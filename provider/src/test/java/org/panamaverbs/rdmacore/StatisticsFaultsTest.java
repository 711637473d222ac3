package org.panamaverbs.rdmacore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.panamaverbs.Access;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.Completions;
import org.panamaverbs.DatagramQueuePair;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.ReceiveRequest;
import org.panamaverbs.RemoteMemory;
import org.panamaverbs.ResourceException;
import org.panamaverbs.SendRequest;
import org.panamaverbs.SharedReceiveQueue;
import org.panamaverbs.Verbs;
import org.panamaverbs.bindings.rdma.Rdma;
import org.panamaverbs.bindings.rdma.ibv_wc;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.ConnectionEnd;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.cm.Listener;
import org.panamaverbs.device.HardwareCounters;
import org.panamaverbs.rdmacore.queue.WrIdTable;

/** The counts that this provider has, and the names of those that a device does not report. */
class StatisticsFaultsTest extends OnStubDevice {
    private static final String NOT_COUNTED = "; not counted: bytes read by the peer, bytes written by the peer, bytes placed directly, "
            + "bytes staged, segments sent, segments received, read calls, write calls, checksum errors, Terminates sent, "
            + "Terminates received";
    private static final RemoteMemory REMOTE = new RemoteMemory(0, 0, Long.MAX_VALUE);

    private final Completions completions = Completions.allocate(8);
    private Arena arena;
    private Verbs verbs;
    private CoreDevice device;
    private CoreProtectionDomain domain;
    private CoreCompletionQueue queue;
    private MemoryRegion region;

    @BeforeEach
    void openDevice() {
        arena = Arena.ofShared();
        verbs = open();
        device = (CoreDevice) verbs.device("stub0");
        domain = (CoreProtectionDomain) device.allocateProtectionDomain();
        queue = (CoreCompletionQueue) device.createCompletionQueue(16);
        region = domain.register(arena.allocate(4096), Access.LOCAL_WRITE);
    }

    @AfterEach
    void closeAll() {
        verbs.close();
        arena.close();
    }

    private void poll(int count) {
        for (int seen = 0; seen < count;) {
            seen += queue.await(completions, LIMIT);
            completions.clear();
        }
    }

    /** The device reports a receive. */
    private void receive(long tag, int sequence, int queuePair, int opcode, int status, int length) {
        MemorySegment completion = ibv_wc.allocate(arena).fill((byte) 0);
        ibv_wc.wr_id(completion, tag | sequence);
        ibv_wc.status(completion, status);
        ibv_wc.opcode(completion, opcode);
        ibv_wc.byte_len(completion, length);
        ibv_wc.qp_num(completion, queuePair);
        StubDevice.complete(queue.address(), completion);
    }

    @Test
    void shouldCountRequestsReceivesAndTheirBytes() {
        CoreQueuePair queuePair = (CoreQueuePair) connect(domain, QueuePairAttributes.of(queue)).queuePair();
        queuePair.post(new ReceiveRequest().receive(1).local(region, 0, 100));
        queuePair.post(new ReceiveRequest().receive(2).local(region, 0, 100));
        queuePair.post(new ReceiveRequest().receive(3).local(region, 0, 100));
        queuePair.post(new SendRequest().write(4).local(region, 0, 1000).remote(REMOTE, 0));
        queuePair.post(new SendRequest().send(5).local(region, 0, 200).signaled());
        queuePair.post(new SendRequest().read(6).local(region, 0, 3000).remote(REMOTE, 0).signaled());
        receive(queuePair.tag(), 0, queuePair.number(), Rdma.IBV_WC_RECV(), 0, 40);
        receive(queuePair.tag(), 1, queuePair.number(), Rdma.IBV_WC_RECV_RDMA_WITH_IMM(), 0, 50_000);
        assertEquals("requests posted 3, requests completed 0, requests failed 0, receives posted 3, receives completed 0, "
                + "receives failed 0, bytes sent 1200, bytes received 3000" + NOT_COUNTED, queuePair.statistics().describe());
        poll(4);
        assertEquals(
                "requests posted 3, requests completed 3, requests failed 0, receives posted 3, receives completed 2, "
                        + "receives failed 0, bytes sent 1200, bytes received 3040" + NOT_COUNTED,
                queuePair.statistics().describe(), "the bytes of the Write are not here, but where the peer put them");
    }

    @Test
    void shouldCountFailuresThatTheDeviceReportsAndThoseThatItDoesNot() {
        Connection connection = connect(domain, QueuePairAttributes.of(queue));
        CoreQueuePair queuePair = (CoreQueuePair) connection.queuePair();
        StubDevice.withhold();
        queuePair.post(new ReceiveRequest().receive(1).local(region, 0, 100));
        queuePair.post(new SendRequest().write(2).local(region, 0, 10).remote(REMOTE, 0).signaled());
        queuePair.post(new SendRequest().write(3).local(region, 0, 10).remote(REMOTE, 0).signaled().more());
        connection.disconnect();
        assertTrue(connection.awaitDisconnected(LIMIT));
        poll(3);
        connection.close();
        assertTrue(queuePair.statistics().describe()
                .startsWith("requests posted 2, requests completed 2, requests failed 2, receives posted 1, receives completed 1, "
                        + "receives failed 1, "),
                queuePair.statistics()::describe);
    }

    @Test
    void shouldCountWhatAQueuePairTakesFromASharedReceiveQueue() {
        SharedReceiveQueue shared = domain.createSharedReceiveQueue(8, 1);
        QueuePair queuePair = connect(domain, QueuePairAttributes.of(queue).withSharedReceiveQueue(shared)).queuePair();
        for (int i = 0; i < 3; i++) {
            shared.post(new ReceiveRequest().receive(i).local(region, 0, 100));
        }
        long tag = ((CoreSharedReceiveQueue) shared).tag();
        receive(tag, 0, queuePair.number(), Rdma.IBV_WC_RECV(), 0, 40);
        receive(tag, 1, queuePair.number(), Rdma.IBV_WC_RECV(), CompletionStatus.LOCAL_LENGTH_ERROR.value(), 0);
        poll(2);
        assertEquals(
                "requests posted 0, requests completed 0, requests failed 0, receives completed 2, receives failed 1, bytes sent 0, "
                        + "bytes received 40; not counted: receives posted, " + NOT_COUNTED.substring("; not counted: ".length()),
                queuePair.statistics().describe());
    }

    @Test
    void shouldCountDatagramsWithoutTheirHeaders() {
        DatagramQueuePair datagrams = domain.createDatagramQueuePair(QueuePairAttributes.of(queue), 1, 0);
        datagrams.post(new ReceiveRequest().receive(1).local(region, 0, 100));
        receive(((WorkQueuePair) datagrams).tag(), 0, datagrams.number(), Rdma.IBV_WC_RECV(), 0, DatagramQueuePair.HEADER_LENGTH + 7);
        poll(1);
        assertEquals(7, datagrams.statistics().bytesReceived().getAsLong());
    }

    @Test
    void shouldCountWhatIsPolledAndAnOverrun() {
        QueuePair queuePair = connect(domain, QueuePairAttributes.of(queue)).queuePair();
        for (int i = 0; i < 3; i++) {
            queuePair.post(new SendRequest().write(i).local(region, 0, 10).remote(REMOTE, 0).signaled());
        }
        assertEquals("completions polled 0, overruns 0; not counted: most waiting at once", queue.statistics().describe());
        poll(3);
        StubDevice.raiseAsynchronous(Rdma.IBV_EVENT_CQ_ERR(), queue.address().address());
        await("the overrun", () -> queue.statistics().overruns().getAsLong() == 1);
        assertThrows(ResourceException.class, () -> queue.poll(completions));
        assertEquals("completions polled 3, overruns 1; not counted: most waiting at once", queue.statistics().toString());
    }

    @Test
    void shouldCountConnectionsByTheirEnds() {
        Connection first = connect(domain, QueuePairAttributes.of(queue));
        Connection second = connect(domain, QueuePairAttributes.of(queue));
        // A queue pair that never connects is no connection.
        ConnectionManager.of(device).connector(NOBODY, LIMIT).createQueuePair(domain, QueuePairAttributes.of(queue)).close();
        first.disconnect();
        assertTrue(first.awaitDisconnected(LIMIT));
        first.close();
        StubDevice.withhold();
        second.queuePair().post(new SendRequest().write(1).local(region, 0, 10).remote(REMOTE, 0).signaled());
        StubDevice.raiseConnection(StubDevice.identifier(), Rdma.RDMA_CM_EVENT_DISCONNECTED(), 0);
        assertTrue(second.awaitDisconnected(LIMIT));
        assertEquals(ConnectionEnd.Cause.REMOTE_ERROR, second.end().orElseThrow().cause());
        assertEquals("connections established 2, requests refused 0, requests rejected 0, ended orderly 1, ended by a local error 0, "
                + "ended by a remote error 1, ended by loss 0", device.statistics().describe());
    }

    @Test
    void shouldCountAPeerThatDoesNotAnswerAsLost() {
        Connection connection = connect(domain, QueuePairAttributes.of(queue));
        CoreQueuePair queuePair = (CoreQueuePair) connection.queuePair();
        StubDevice.withhold();
        // Of no bytes: a program finds out by it whether an idle peer is still there.
        queuePair.post(new SendRequest().write(1).local(region, 0, 0).remote(REMOTE, 0).signaled());
        MemorySegment completion = ibv_wc.allocate(arena).fill((byte) 0);
        ibv_wc.wr_id(completion, queuePair.tag() | WrIdTable.SEND);
        ibv_wc.status(completion, CompletionStatus.RETRY_EXCEEDED.value());
        ibv_wc.qp_num(completion, queuePair.number());
        StubDevice.complete(queue.address(), completion);
        poll(1);
        assertTrue(connection.awaitDisconnected(LIMIT));
        assertEquals(ConnectionEnd.Cause.LOST, connection.end().orElseThrow().cause());
        assertEquals(1, device.statistics().endedByLoss().getAsLong(), device.statistics()::describe);
        assertEquals(0, device.statistics().endedByRemoteError().getAsLong(), device.statistics()::describe);
    }

    /** The kernel knows no stub. */
    @Test
    void shouldHaveNoCountersOfAPortThatTheKernelDoesNotShow() {
        HardwareCounters counters = device.extension(HardwareCounters.class).orElseThrow();
        assertEquals(Map.of(), counters.read(1));
        assertThrows(IllegalArgumentException.class, () -> counters.read(3));
    }

    /** No completion of an iWARP device says so. */
    @Test
    void shouldNotCountLossOnIwarp() {
        verbs.close();
        StubDevice.setTransport(0, Rdma.IBV_TRANSPORT_IWARP());
        verbs = open();
        assertEquals(OptionalLong.empty(), verbs.device("stub0").statistics().endedByLoss());
    }

    @Test
    void shouldCountRequestsThatItRefusesOrTheProgramRejects() {
        try (Listener listener = ConnectionManager.of(device).listen(NOBODY, 1)) {
            for (int i = 0; i < 1025; i++) {
                StubDevice.raiseRequest(StubDevice.listener());
            }
            await("a request for which there is no room", () -> device.statistics().requestsRefused().getAsLong() == 1);
            listener.awaitRequest(LIMIT).reject(new byte[0]);
            assertEquals(1, device.statistics().requestsRejected().getAsLong());
        }
    }
}
