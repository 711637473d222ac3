package org.panamaverbs.rdmacore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.Access;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.Completions;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.PeerException;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.ReceiveRequest;
import org.panamaverbs.RemoteMemory;
import org.panamaverbs.SendRequest;
import org.panamaverbs.SystemException;
import org.panamaverbs.Verbs;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.bindings.rdma.Rdma;
import org.panamaverbs.bindings.rdma.ibv_wc;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.ConnectionEnd;
import org.panamaverbs.rdmacore.queue.WrIdTable;

/**
 * Posts to a queue pair that the device has put into error, since its peer ended the connection. libcxgb4 and libmana answer EINVAL, liberdma
 * EIO; other libraries take the request and flush it. A program sees the same of all of them.
 */
class RefusedPostFaultsTest extends OnStubDevice {
    private enum State {
        INIT(1), SQD(4), SQE(5), ERR(6);

        /** {@code IBV_QPS_...}. */
        private final int number;

        State(int number) {
            this.number = number;
        }
    }

    /** Shorter than the wait for the event. */
    private static final long PROMPT_NANOS = 300_000_000;

    private final Completions completions = Completions.allocate(8);
    private Arena arena;
    private Verbs verbs;
    private CompletionQueue queue;
    private MemoryRegion region;
    private Connection connection;
    /** When the peer ended the connection. */
    private long raised;

    @BeforeEach
    void connect() {
        arena = Arena.ofShared();
        verbs = open();
        CoreDevice device = (CoreDevice) verbs.device("stub0");
        CoreProtectionDomain domain = (CoreProtectionDomain) device.allocateProtectionDomain();
        queue = device.createCompletionQueue(8);
        region = domain.register(arena.allocate(64), Access.LOCAL_WRITE);
        connection = connect(domain, QueuePairAttributes.of(queue));
    }

    @AfterEach
    void closeAll() {
        verbs.close();
        arena.close();
        assertEquals(0, StubDevice.live("qp"));
    }

    private SendRequest write(long id) {
        return new SendRequest().write(id).local(region, 0, 64).remote(new RemoteMemory(0, 0, Long.MAX_VALUE), 0).signaled();
    }

    private ReceiveRequest receive(long id) {
        return new ReceiveRequest().receive(id).local(region, 0, 64);
    }

    /** The peer ends the connection; gives the IDs of what is flushed. */
    private List<Long> flushed(int count) {
        StubDevice.raiseConnection(StubDevice.identifier(), Rdma.RDMA_CM_EVENT_DISCONNECTED(), 0);
        raised = System.nanoTime();
        List<Long> ids = new ArrayList<>();
        while (ids.size() < count && queue.await(completions, LIMIT) > 0) {
            while (completions.next()) {
                assertEquals(CompletionStatus.FLUSHED, completions.status());
                ids.add(completions.id());
            }
        }
        assertTrue(connection.awaitDisconnected(LIMIT));
        return ids;
    }

    @Test
    void shouldEndTheConnectionIfNoEventFollows() {
        StubDevice.refuseInError(-22);
        StubDevice.breakQueuePair(StubDevice.queuePair(), State.ERR.number);
        connection.queuePair().post(write(1));
        assertTrue(connection.awaitDisconnected(LIMIT));
        assertEquals(ConnectionEnd.Cause.LOCAL_ERROR, connection.end().orElseThrow().cause());
        assertEquals(1, queue.poll(completions));
    }

    /** The completion of a request that failed before says more, and no program has polled it. */
    @Test
    void shouldSayWhichRequestFailedIfNoEventFollows() {
        CoreQueuePair queuePair = (CoreQueuePair) connection.queuePair();
        StubDevice.withhold();
        queuePair.post(write(1));
        MemorySegment completion = ibv_wc.allocate(arena).fill((byte) 0);
        ibv_wc.wr_id(completion, queuePair.tag() | WrIdTable.SEND);
        ibv_wc.status(completion, CompletionStatus.RETRY_EXCEEDED.value());
        ibv_wc.qp_num(completion, queuePair.number());
        StubDevice.complete(((CoreCompletionQueue) queue).address(), completion);
        StubDevice.refuseInError(-22);
        StubDevice.breakQueuePair(StubDevice.queuePair(), State.ERR.number);
        queuePair.post(write(2));
        assertTrue(connection.awaitDisconnected(LIMIT));
        assertEquals(ConnectionEnd.Cause.LOST, connection.end().orElseThrow().cause());
    }

    /** cxgb4 says SQD and SQE of a queue pair that closes or terminates; on siw an orderly end leads back to INIT. */
    @ParameterizedTest
    @CsvSource({ "22, ERR", "-22, ERR", "-22, SQE", "-22, SQD", "-5, ERR", "-107, INIT" })
    void shouldFlushARequestThatIsRefusedInError(int refusal, State state) {
        StubDevice.refuseInError(refusal);
        StubDevice.breakQueuePair(StubDevice.queuePair(), state.number);
        long begin = System.nanoTime();
        connection.queuePair().post(write(1));
        connection.queuePair().post(write(2));
        assertEquals(List.of(1L, 2L), flushed(2));
        assumeTrue(raised - begin < PROMPT_NANOS, "the machine was too busy to raise the event in time");
        ConnectionEnd end = connection.end().orElseThrow();
        assertEquals(ConnectionEnd.Cause.REMOTE_ERROR, end.cause(), () -> end.toString());
        assertInstanceOf(PeerException.class, end.failure().orElseThrow());
    }

    @ParameterizedTest
    @ValueSource(ints = { 22, -22, -5 })
    void shouldFlushAReceiveThatIsRefusedInError(int refusal) {
        StubDevice.refuseInError(refusal);
        StubDevice.breakQueuePair(StubDevice.queuePair(), State.ERR.number);
        connection.queuePair().post(receive(1).more());
        connection.queuePair().post(receive(2));
        assertEquals(List.of(1L, 2L), flushed(2));
        assertEquals(ConnectionEnd.Cause.ORDERLY, connection.end().orElseThrow().cause());
    }

    /** The queue pair is fine: so the fault is this side's. */
    @Test
    void shouldNotBlameThePeerForARequestThatIsRefusedInGoodOrder() {
        StubDevice.fail("ibv_post_send", Libc.EINVAL(), 0);
        connection.queuePair().post(write(1));
        assertTrue(connection.awaitDisconnected(LIMIT));
        ConnectionEnd end = connection.end().orElseThrow();
        assertEquals(ConnectionEnd.Cause.LOCAL_ERROR, end.cause(), () -> end.toString());
        StubDevice.heal();
    }

    @Test
    void shouldThrowForAReceiveThatIsRefusedInGoodOrder() {
        StubDevice.fail("ibv_post_recv", Libc.EINVAL(), 0);
        SystemException refused = assertThrows(SystemException.class, () -> connection.queuePair().post(receive(1)));
        assertEquals(Libc.EINVAL(), refused.errorNumber());
    }
}
