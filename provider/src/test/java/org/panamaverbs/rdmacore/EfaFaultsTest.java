package org.panamaverbs.rdmacore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.Access;
import org.panamaverbs.AddressHandle;
import org.panamaverbs.Capability;
import org.panamaverbs.ClosedException;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.Completions;
import org.panamaverbs.DatagramQueuePair;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.NoProviderException;
import org.panamaverbs.QueriedAttributes;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.QueuePairState;
import org.panamaverbs.ReceiveRequest;
import org.panamaverbs.SendRequest;
import org.panamaverbs.SystemException;
import org.panamaverbs.UnsupportedVerbException;
import org.panamaverbs.Verbs;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.bindings.rdma.Rdma;
import org.panamaverbs.bindings.rdma.ibv_qp_attr;
import org.panamaverbs.bindings.rdma.ibv_wc;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.device.AddressVector;
import org.panamaverbs.device.GlobalIdentifier;
import org.panamaverbs.device.QueuePairPort;
import org.panamaverbs.rdmacore.queue.WrIdTable;

/** Amazon's EFA, as libefa and its driver have it: datagrams, reliable and not, and no connections. No hardware has run this. */
class EfaFaultsTest extends OnStubDevice {
    private static final int AMAZON = 0x1d0f;
    private static final int KEY = 0x11111111;
    private static final int LONGEST = 8928;
    private static final GlobalIdentifier OWN = new GlobalIdentifier(0xFE80_0000_0000_0000L, 1);
    /** The stub's only address lies there. */
    private static final QueuePairPort PLACE = new QueuePairPort(1, 1, 0);
    private final Arena arena = Arena.ofShared();
    private final Completions completions = Completions.allocate(64);
    private Verbs verbs;
    private CoreProtectionDomain domain;
    private CompletionQueue queue;
    private MemoryRegion region;
    private AddressHandle route;

    private static void become() {
        StubDevice.replace("efa0", AMAZON, 0);
        StubDevice.setTransport(0, Rdma.IBV_TRANSPORT_UNSPECIFIED());
        StubDevice.setIdentifier(0, OWN);
    }

    private void openDevice() {
        verbs = OnStubDevice.open();
        domain = (CoreProtectionDomain) verbs.devices().getFirst().allocateProtectionDomain();
        queue = domain.device().createCompletionQueue(64);
        region = domain.register(arena.allocate(2 * LONGEST), Access.LOCAL_WRITE);
    }

    private DatagramQueuePair reliable() {
        become();
        openDevice();
        route = domain.createAddressHandle(AddressVector.to(PLACE.number(), PLACE.sourceIndex(), OWN));
        return domain.createReliableDatagramQueuePair(attributes(), PLACE, KEY);
    }

    private QueuePairAttributes attributes() {
        return QueuePairAttributes.of(queue).withDepths(4, 4).withElements(2, 2);
    }

    private SendRequest send(long id, long length) {
        return new SendRequest().send(id).local(region, 0, length).to(route, 5).queueKey(KEY);
    }

    @AfterEach
    void closeAll() {
        StubDevice.heal();
        if (verbs != null) {
            verbs.close();
        }
        arena.close();
        for (String kind : List.of("qp", "pd", "mr", "cq", "ah")) {
            assertEquals(0, StubDevice.live(kind), kind);
        }
    }

    private List<Long> polled() {
        List<Long> ids = new ArrayList<>();
        // A completion that waited for another one comes with the next poll.
        while (queue.poll(completions) > 0) {
            while (completions.next()) {
                assertTrue(completions.isSuccess());
                ids.add(completions.id());
            }
        }
        return ids;
    }

    private static void assertNames(Throwable refused, String... parts) {
        for (String part : parts) {
            assertTrue(refused.getMessage().contains(part), () -> part + " is not in: " + refused.getMessage());
        }
    }

    /** The steps are those that the kernel's efa_modify_qp takes for SRD, which are those of UD. */
    @Test
    void shouldMakeAQueuePairForReliableDatagrams() {
        DatagramQueuePair pair = reliable();
        assertTrue(pair.isReliable());
        assertEquals(0, pair.headerLength());
        assertEquals(QueuePairState.READY_TO_SEND, pair.state());
        assertEquals(1, StubDevice.called("efadv_create_qp_ex"));
        assertEquals(Rdma.IBV_QPT_DRIVER(), StubQueuePairs.lastType());
        assertEquals(Rdma.IBV_QP_STATE() | Rdma.IBV_QP_PKEY_INDEX() | Rdma.IBV_QP_PORT() | Rdma.IBV_QP_QKEY(),
                StubQueuePairs.stepMask(Rdma.IBV_QPS_INIT()));
        assertEquals(KEY, ibv_qp_attr.qkey(StubQueuePairs.step(Rdma.IBV_QPS_INIT())));
        assertEquals(Rdma.IBV_QP_STATE(), StubQueuePairs.stepMask(Rdma.IBV_QPS_RTR()));
        assertEquals(Rdma.IBV_QP_STATE() | Rdma.IBV_QP_SQ_PSN(), StubQueuePairs.stepMask(Rdma.IBV_QPS_RTS()));
        assertEquals(OWN, pair.address().identifier());
        assertEquals(KEY, pair.address().queueKey());
        DatagramQueuePair unreliable = domain.createDatagramQueuePair(attributes(), PLACE, KEY);
        assertFalse(unreliable.isReliable());
        assertEquals(DatagramQueuePair.HEADER_LENGTH, unreliable.headerLength());
        assertEquals(1, StubDevice.called("efadv_create_qp_ex"));
    }

    /** A packet of EFA is longer than the longest MTU that verbs have a number for. */
    @Test
    void shouldSendMessagesOfTheLengthThatThePortHas() {
        DatagramQueuePair pair = reliable();
        pair.post(send(1, LONGEST).signaled());
        assertEquals(List.of(1L), polled());
        assertThrows(IllegalArgumentException.class, () -> pair.post(send(2, LONGEST + 1).signaled()));
        pair.post(send(3, 32).inline().signaled());
        assertEquals(List.of(3L), polled());
    }

    /** libefa refuses requests that are not signalled, and flags that verbs have besides. */
    @ParameterizedTest
    @ValueSource(booleans = { true, false })
    void shouldSignalEachRequestAndShowThoseThatTheProgramWants(boolean isReliable) {
        DatagramQueuePair first = reliable();
        DatagramQueuePair pair = isReliable ? first : domain.createDatagramQueuePair(attributes(), PLACE, KEY);
        for (int i = 0; i < 100; i++) {
            pair.post(send(i, 64).solicited().fenced());
            assertEquals(Rdma.IBV_SEND_SIGNALED(), StubDevice.lastSendFlags());
        }
        pair.post(send(100, 64).immediate(7).signaled());
        assertEquals(List.of(100L), polled());
        assertEquals(QueuePairState.READY_TO_SEND, pair.state());
        assertEquals(4, pair.sendRoom());
    }

    /** Messages may overtake each other, and so do the device's reports. */
    @Test
    void shouldCompleteInTheOrderPosted() {
        DatagramQueuePair pair = reliable();
        StubDevice.withhold();
        for (int i = 0; i < 3; i++) {
            pair.post(send(10 + i, 64).signaled());
        }
        report((WorkQueuePair) pair, 2);
        assertEquals(List.of(), polled());
        report((WorkQueuePair) pair, 0);
        assertEquals(List.of(10L), polled());
        report((WorkQueuePair) pair, 1);
        assertEquals(List.of(11L, 12L), polled());
        assertEquals(4, pair.sendRoom());
    }

    private void report(WorkQueuePair pair, int sequence) {
        MemorySegment completion = ibv_wc.allocate(arena).fill((byte) 0);
        ibv_wc.wr_id(completion, pair.tag() | WrIdTable.SEND | sequence);
        ibv_wc.opcode(completion, Rdma.IBV_WC_SEND());
        ibv_wc.qp_num(completion, pair.number());
        StubDevice.complete(((CoreCompletionQueue) queue).address(), completion);
    }

    @Test
    void shouldReceiveWithoutAHeader() {
        DatagramQueuePair pair = reliable();
        pair.post(new ReceiveRequest().receive(1).local(region, 0, 64));
        assertEquals(64, StubDevice.lastReceive());
        MemorySegment completion = ibv_wc.allocate(arena).fill((byte) 0);
        ibv_wc.wr_id(completion, ((WorkQueuePair) pair).tag());
        ibv_wc.opcode(completion, Rdma.IBV_WC_RECV());
        ibv_wc.qp_num(completion, pair.number());
        ibv_wc.src_qp(completion, 9);
        ibv_wc.byte_len(completion, 64);
        StubDevice.complete(((CoreCompletionQueue) queue).address(), completion);
        assertEquals(1, queue.poll(completions));
        assertTrue(completions.next());
        assertEquals(64, completions.byteLength());
        assertEquals(9, completions.sourceQueuePairNumber());
        assertEquals(64, pair.statistics().bytesReceived().orElseThrow());
    }

    @Test
    void shouldAnswerWhatEfaAnswers() {
        DatagramQueuePair pair = reliable();
        QueriedAttributes queried = pair.query();
        assertEquals(Optional.of(QueriedAttributes.State.READY_TO_SEND), queried.state());
        assertTrue(queried.sendDepth().orElseThrow() >= 4, queried::toString);
        assertEquals(Optional.empty(), queried.route());
        assertEquals(OptionalInt.empty(), queried.outboundReads());
        pair.close();
        assertThrows(ClosedException.class, pair::query);
        assertThrows(ClosedException.class, () -> pair.post(send(1, 8).signaled()));
    }

    @Test
    void shouldSendDatagramsAlone() {
        DatagramQueuePair pair = reliable();
        for (SendRequest other : List.of(new SendRequest().write(1).local(region, 0, 8).remote(region.remote(), 0),
                new SendRequest().read(1).local(region, 0, 8).remote(region.remote(), 0))) {
            assertThrows(RuntimeException.class, () -> pair.post(other));
        }
        assertThrows(UnsupportedVerbException.class, () -> pair.modifyRateLimit(1));
        assertEquals(QueuePairState.READY_TO_SEND, pair.state());
    }

    @Test
    void shouldGiveAllBackIfTheDeviceRefuses() {
        reliable();
        StubDevice.fail("efadv_create_qp_ex", StubDevice.BY_ERRNO, Libc.EOPNOTSUPP(), 0, 1);
        SystemException refused = assertThrows(SystemException.class,
                () -> domain.createReliableDatagramQueuePair(attributes(), PLACE, KEY));
        assertEquals(Libc.EOPNOTSUPP(), refused.errorNumber());
        assertNames(refused, "efa0", "reliable datagrams", "efadv_create_qp_ex");
        for (int step = 0; step < 3; step++) {
            StubDevice.fail("ibv_modify_qp", Libc.EINVAL(), 0, step, 1);
            assertThrows(SystemException.class, () -> domain.createReliableDatagramQueuePair(attributes(), PLACE, KEY));
            StubDevice.heal();
        }
        assertEquals(1, StubDevice.live("qp"));
    }

    @Test
    void shouldHaveNoReliableDatagramsOnOtherDevices() {
        openDevice();
        assertFalse(domain.device().supports(Capability.RELIABLE_DATAGRAM));
        assertTrue(domain.device().supports(Capability.RELIABLE_CONNECTION));
        assertNames(assertThrows(UnsupportedVerbException.class, () -> domain.createReliableDatagramQueuePair(attributes(), PLACE, KEY)),
                "stub0", "RELIABLE_DATAGRAM");
        assertEquals(0, StubDevice.called("efadv_create_qp_ex"));
    }

    /** A machine that has EFA alone may lack the kernel's rdma_ucm, which EFA has no use for. */
    @ParameterizedTest
    @ValueSource(ints = { 0, 4 })
    void shouldOpenASessionWithoutAConnectionManager(int transport) {
        become();
        StubDevice.setTransport(0, transport);
        StubDevice.fail("rdma_create_event_channel", StubDevice.BY_ERRNO, Libc.ENOENT());
        openDevice();
        assertEquals(0, StubDevice.called("rdma_create_event_channel"));
        assertFalse(domain.device().supports(Capability.RELIABLE_CONNECTION));
        for (ConnectionManager manager : List.of(ConnectionManager.of(verbs), ConnectionManager.of(domain.device()))) {
            assertNames(assertThrows(UnsupportedVerbException.class, () -> manager.listen(NOBODY, 1)), "efa0", "RELIABLE_CONNECTION");
            assertNames(assertThrows(UnsupportedVerbException.class, () -> manager.connector(NOBODY, LIMIT)), "efa0",
                    "RELIABLE_CONNECTION");
        }
        route = domain.createAddressHandle(AddressVector.to(PLACE.number(), PLACE.sourceIndex(), OWN));
        DatagramQueuePair pair = domain.createReliableDatagramQueuePair(attributes(), PLACE, KEY);
        pair.post(send(1, 64).signaled());
        assertEquals(List.of(1L), polled());
        // The thread that reads events runs all the same.
        StubDevice.raiseAsynchronous(Rdma.IBV_EVENT_QP_FATAL(), StubDevice.queuePair().address());
        await("the end of the queue pair", () -> pair.state() == QueuePairState.ERROR);
        assertEquals(0, StubDevice.called("rdma_create_id"));
    }

    /** The other device has connections, whose events no channel would bring. */
    @Test
    void shouldNeedAConnectionManagerBesideAnotherDevice() {
        become();
        StubDevice.addSecond(true);
        StubDevice.fail("rdma_create_event_channel", StubDevice.BY_ERRNO, Libc.ENOENT());
        assertNames(assertThrows(NoProviderException.class, OnStubDevice::open), "rdma_cm", "modprobe rdma_ucm");
        StubDevice.heal();
        verbs = open();
        assertThrows(UnsupportedVerbException.class, () -> ConnectionManager.of(verbs.device("efa0")).listen(NOBODY, 1));
        ConnectionManager.of(verbs).listen(NOBODY, 1);
    }
}
