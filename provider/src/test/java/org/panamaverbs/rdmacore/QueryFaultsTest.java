package org.panamaverbs.rdmacore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.Access;
import org.panamaverbs.ClosedException;
import org.panamaverbs.QueriedAttributes;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.SystemException;
import org.panamaverbs.Verbs;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.bindings.rdma.Rdma;
import org.panamaverbs.bindings.rdma.ibv_ah_attr;
import org.panamaverbs.bindings.rdma.ibv_global_route;
import org.panamaverbs.bindings.rdma.ibv_qp_attr;
import org.panamaverbs.bindings.rdma.ibv_qp_cap;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.cm.Connector;
import org.panamaverbs.device.AddressVector;
import org.panamaverbs.device.GlobalIdentifier;

/** Answers of drivers to {@code ibv_query_qp}, sense and nonsense. */
class QueryFaultsTest extends OnStubDevice {
    private static final int SIW = 0x626d74;
    private Verbs verbs;
    private QueuePair unconnected;

    @AfterEach
    void closeAll() {
        StubDevice.heal();
        if (verbs != null) {
            verbs.close();
        }
    }

    private Connector connector() {
        if (verbs == null) {
            verbs = open();
        }
        Connector connector = ConnectionManager.of(verbs).connector(NOBODY, LIMIT);
        unconnected = connector.createQueuePair(connector.device().allocateProtectionDomain(),
                QueuePairAttributes.of(connector.device().createCompletionQueue(64)).withDepths(7, 5).withElements(3, 2).withInline(16));
        return connector;
    }

    private QueuePair connected() {
        return connector().connect(ConnectionParameters.defaults().withReads(4, 9).withRetries(6, 3), LIMIT).queuePair();
    }

    @Test
    void shouldTellAllThatTheDeviceAnswers() {
        QueriedAttributes queried = connected().query();
        assertEquals(Optional.of(QueriedAttributes.State.READY_TO_SEND), queried.state());
        assertTrue(queried.sendDepth().orElseThrow() >= 7, queried::toString);
        assertTrue(queried.receiveDepth().orElseThrow() >= 5, queried::toString);
        assertEquals(OptionalInt.of(3), queried.sendElements());
        assertEquals(OptionalInt.of(2), queried.receiveElements());
        // The stub grants more.
        assertEquals(OptionalInt.of(512), queried.inlineLength());
        assertEquals(OptionalInt.of(4), queried.inboundReads());
        assertEquals(OptionalInt.of(9), queried.outboundReads());
        assertEquals(OptionalInt.of(1024), queried.pathMtu());
        assertEquals(OptionalInt.of(6), queried.retries());
        assertEquals(OptionalInt.of(3), queried.receiverNotReadyRetries());
        assertEquals(Optional.of(Duration.ofNanos(1_280_000)), queried.receiverNotReadyDelay());
        assertEquals(Optional.of(Duration.ofNanos(4096L << 18)), queried.acknowledgementTimeout());
        assertEquals(OptionalInt.of(0x4711), queried.remoteNumber());
        assertEquals(Optional.of(AddressVector.to(1, 0, new GlobalIdentifier(0, 1)).withFlowLabel(0xbeef)), queried.route());
        assertEquals(Optional.of(Set.of(Access.REMOTE_WRITE, Access.REMOTE_READ)), queried.rights());
    }

    /** Before the connection the timers of a queue pair are zeros, of which one means for ever. */
    @Test
    void shouldTellNothingOfAPathThatIsNotThere() {
        connector();
        QueuePair queuePair = unconnected;
        QueriedAttributes queried = queuePair.query();
        assertEquals(Optional.of(QueriedAttributes.State.INIT), queried.state());
        assertEquals(Optional.empty(), queried.acknowledgementTimeout());
        assertEquals(Optional.empty(), queried.receiverNotReadyDelay());
        assertEquals(Optional.empty(), queried.route());
        assertEquals(Optional.empty(), queried.rights());
        assertEquals(OptionalInt.empty(), queried.retries());
        StubDevice.breakQueuePair(StubDevice.queuePair(), Rdma.IBV_QPS_RTR());
        queried = queuePair.query();
        assertEquals(Optional.of(QueriedAttributes.State.READY_TO_RECEIVE), queried.state());
        assertEquals(Optional.of(ConnectionParameters.LONGEST_RECEIVER_NOT_READY_DELAY), queried.receiverNotReadyDelay());
        assertEquals(Optional.empty(), queried.acknowledgementTimeout());
        assertEquals(OptionalInt.empty(), queried.outboundReads());
    }

    @Test
    void shouldTellTheStateOfTheDeviceUntilItIsDestroyed() {
        Connection connection = connector().connect(ConnectionParameters.defaults(), LIMIT);
        for (QueriedAttributes.State state : QueriedAttributes.State.values()) {
            ibv_qp_attr.qp_state(StubQueuePairs.answer(), state.ordinal());
            assertEquals(Optional.of(state), connection.queuePair().query().state());
        }
        connection.disconnect();
        assertTrue(connection.awaitDisconnected(LIMIT));
        ibv_qp_attr.qp_state(StubQueuePairs.answer(), Rdma.IBV_QPS_ERR());
        assertEquals(Optional.of(QueriedAttributes.State.ERROR), connection.queuePair().query().state());
        connection.close();
        long asked = StubDevice.called("ibv_query_qp");
        assertThrows(ClosedException.class, connection.queuePair()::query);
        assertEquals(asked, StubDevice.called("ibv_query_qp"));
    }

    /** The values of each field that verbs rule out, beside others that are right. */
    @Test
    void shouldTakeNoValueThatVerbsRuleOut() {
        QueuePair queuePair = connected();
        MemorySegment answer = StubQueuePairs.answer();
        ibv_qp_attr.qp_state(answer, Rdma.IBV_QPS_RTS());
        ibv_qp_attr.path_mtu(answer, 6);
        ibv_qp_attr.retry_cnt(answer, (byte) 8);
        ibv_qp_attr.rnr_retry(answer, (byte) -1);
        ibv_qp_attr.timeout(answer, (byte) 32);
        ibv_qp_attr.min_rnr_timer(answer, (byte) 0xFF);
        ibv_qp_attr.dest_qp_num(answer, 0x1000000);
        ibv_qp_attr.max_rd_atomic(answer, (byte) 0xFF);
        MemorySegment limits = ibv_qp_attr.cap(answer);
        ibv_qp_cap.max_send_wr(limits, -1);
        ibv_qp_cap.max_recv_wr(limits, Integer.MIN_VALUE);
        ibv_qp_cap.max_send_sge(limits, 4);
        MemorySegment vector = ibv_qp_attr.ah_attr(answer);
        ibv_ah_attr.port_num(vector, (byte) 1);
        ibv_ah_attr.sl(vector, (byte) 16);
        ibv_qp_attr.qp_access_flags(answer, -1);
        QueriedAttributes queried = queuePair.query();
        assertEquals(Optional.of(QueriedAttributes.State.READY_TO_SEND), queried.state());
        assertEquals(OptionalInt.empty(), queried.pathMtu());
        assertEquals(OptionalInt.empty(), queried.retries());
        assertEquals(OptionalInt.empty(), queried.receiverNotReadyRetries());
        assertEquals(Optional.empty(), queried.acknowledgementTimeout());
        assertEquals(Optional.empty(), queried.receiverNotReadyDelay());
        assertEquals(OptionalInt.empty(), queried.remoteNumber());
        assertEquals(OptionalInt.of(255), queried.outboundReads());
        assertEquals(OptionalInt.empty(), queried.sendDepth());
        assertEquals(OptionalInt.empty(), queried.receiveDepth());
        assertEquals(OptionalInt.of(4), queried.sendElements());
        assertEquals(Optional.empty(), queried.route());
        assertEquals(Optional.of(Set.of(Access.REMOTE_WRITE, Access.REMOTE_READ, Access.REMOTE_ATOMIC)), queried.rights());
        ibv_ah_attr.sl(vector, (byte) 15);
        assertTrue(queuePair.query().route().isPresent());
        ibv_ah_attr.is_global(vector, (byte) 1);
        ibv_global_route.hop_limit(ibv_ah_attr.grh(vector), (byte) 1);
        ibv_global_route.flow_label(ibv_ah_attr.grh(vector), 0x100000);
        assertEquals(Optional.empty(), queuePair.query().route());
    }

    /** A state that verbs do not have leaves no path to believe in. */
    @ParameterizedTest
    @ValueSource(ints = { 7, -1, Integer.MIN_VALUE, Integer.MAX_VALUE })
    void shouldTellNoStateThatVerbsDoNotHave(int state) {
        QueuePair queuePair = connected();
        MemorySegment answer = StubQueuePairs.answer();
        ibv_qp_attr.qp_state(answer, state);
        ibv_qp_attr.path_mtu(answer, 3);
        assertEquals(Optional.empty(), queuePair.query().state());
        assertEquals(OptionalInt.empty(), queuePair.query().pathMtu());
    }

    @Test
    void shouldSurviveAnyAnswer() {
        QueuePair queuePair = connected();
        MemorySegment answer = StubQueuePairs.answer();
        Random random = new Random(49);
        for (int round = 0; round < 20_000; round++) {
            for (long at = 0; at < answer.byteSize(); at++) {
                answer.set(ValueLayout.JAVA_BYTE, at, (byte) random.nextInt());
            }
            if (random.nextBoolean()) {
                ibv_qp_attr.qp_state(answer, random.nextInt(9) - 1);
            }
            QueriedAttributes queried = queuePair.query();
            queried.pathMtu().ifPresent(mtu -> assertTrue(mtu >= 256 && mtu <= 4096));
            queried.retries().ifPresent(retries -> assertTrue(retries >= 0 && retries <= 7));
            queried.acknowledgementTimeout().ifPresent(timeout -> assertTrue(timeout.isPositive()));
            queried.receiverNotReadyDelay().ifPresent(delay -> assertTrue(delay.isPositive() && delay.toMillis() <= 655));
            queried.sendDepth().ifPresent(depth -> assertTrue(depth >= 0));
        }
    }

    @Test
    void shouldSayThatTheDeviceRefuses() {
        QueuePair queuePair = connected();
        StubDevice.fail("ibv_query_qp", Libc.EOPNOTSUPP(), 0);
        SystemException refused = assertThrows(SystemException.class, queuePair::query);
        assertEquals(Libc.EOPNOTSUPP(), refused.errorNumber());
        assertTrue(refused.getMessage().contains(queuePair.toString()) && refused.getMessage().contains("ibv_query_qp"),
                refused::getMessage);
    }

    /** The kernel's siw leaves the state out, and names IRD and ORD the wrong way round (siw_verbs.c, siw_query_qp). */
    @Test
    void shouldKnowItselfWhatSiwDoesNotSay() {
        StubDevice.replace("siw0", SIW, 64);
        StubDevice.setTransport(0, Rdma.IBV_TRANSPORT_IWARP());
        Connector connector = connector();
        QueuePair queuePair = unconnected;
        assertEquals(Optional.of(QueriedAttributes.State.INIT), queuePair.query().state());
        Connection connection = connector.connect(ConnectionParameters.defaults().withReads(4, 9), LIMIT);
        MemorySegment answer = StubQueuePairs.answer();
        ibv_qp_attr.max_rd_atomic(answer, (byte) 4);
        ibv_qp_attr.max_dest_rd_atomic(answer, (byte) 9);
        ibv_qp_attr.path_mtu(answer, 3);
        ibv_qp_cap.max_send_wr(ibv_qp_attr.cap(answer), 128);
        QueriedAttributes queried = queuePair.query();
        assertEquals(Rdma.IBV_QP_CAP(), StubQueuePairs.lastQuery());
        assertEquals(Optional.of(QueriedAttributes.State.READY_TO_SEND), queried.state());
        assertEquals(OptionalInt.of(connection.inboundReads()), queried.inboundReads());
        assertEquals(OptionalInt.of(connection.outboundReads()), queried.outboundReads());
        assertEquals(OptionalInt.empty(), queried.pathMtu());
        assertEquals(OptionalInt.of(128), queried.sendDepth());
        connection.disconnect();
        assertTrue(connection.awaitDisconnected(LIMIT));
        assertEquals(Optional.of(QueriedAttributes.State.ERROR), queuePair.query().state());
    }
}
