package org.panamaverbs.rdmacore;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.Access;
import org.panamaverbs.AddressedQueuePair;
import org.panamaverbs.Capability;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.Completions;
import org.panamaverbs.DatagramQueuePair;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.QueuePairState;
import org.panamaverbs.ReceiveRequest;
import org.panamaverbs.RemoteMemory;
import org.panamaverbs.ResourceException;
import org.panamaverbs.SendRequest;
import org.panamaverbs.SystemException;
import org.panamaverbs.UnsupportedVerbException;
import org.panamaverbs.Verbs;
import org.panamaverbs.VerbsException;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.bindings.rdma.Rdma;
import org.panamaverbs.bindings.rdma.ibv_ah_attr;
import org.panamaverbs.bindings.rdma.ibv_global_route;
import org.panamaverbs.bindings.rdma.ibv_qp_attr;
import org.panamaverbs.device.GlobalIdentifier;
import org.panamaverbs.device.PathAttributes;
import org.panamaverbs.device.PortAddress;
import org.panamaverbs.device.QueuePairAddress;
import org.panamaverbs.device.QueuePairPort;

/** Queue pairs that connect by addresses: the values that reach the device, and each step refused. */
class CoreAddressedQueuePairFaultsTest extends OnStubDevice {
    private static final GlobalIdentifier OWN = new GlobalIdentifier(0, 0xFFFF_C000_0201L);
    private static final GlobalIdentifier OTHER = new GlobalIdentifier(0, 0xFFFF_C000_0202L);
    private static final QueuePairAddress REMOTE = new QueuePairAddress(0x4711, 0xABCDEF, 0, OTHER, 0, 1024, 4);
    /** The stub's only address lies there. */
    private static final QueuePairPort PLACE = new QueuePairPort(1, 1, 0);
    private final Completions completions = Completions.allocate(8);
    private Arena arena;
    private Verbs verbs;
    private CoreProtectionDomain domain;
    private CompletionQueue queue;
    private MemoryRegion region;

    @BeforeEach
    void openDevice() {
        arena = Arena.ofShared();
        StubDevice.setIdentifier(0, OWN);
        verbs = open();
        CoreDevice device = (CoreDevice) verbs.device("stub0");
        domain = (CoreProtectionDomain) device.allocateProtectionDomain();
        queue = device.createCompletionQueue(8);
        region = domain.register(arena.allocate(64), Access.LOCAL_WRITE);
    }

    @AfterEach
    void closeAll() {
        StubDevice.heal();
        verbs.close();
        arena.close();
        for (String kind : List.of("qp", "pd", "mr", "cq", "id", "ah")) {
            assertEquals(0, StubDevice.live(kind), kind);
        }
    }

    private AddressedQueuePair create() {
        return domain.createQueuePair(QueuePairAttributes.of(queue), PLACE, Set.of(Access.REMOTE_READ));
    }

    private static void assertNames(Throwable refused, String... parts) {
        for (String part : parts) {
            assertTrue(refused.getMessage().contains(part), () -> part + " is not in: " + refused.getMessage());
        }
    }

    private void assertFlushed(int count) {
        int seen = 0;
        while (seen < count) {
            assertTrue(queue.await(completions, LIMIT) > 0, "a completion is missing");
            while (completions.next()) {
                assertEquals(CompletionStatus.FLUSHED, completions.status());
                seen++;
            }
        }
    }

    @Test
    void shouldGiveTheDeviceWhatWasAsked() {
        AddressedQueuePair pair = domain.createQueuePair(QueuePairAttributes.of(queue), PLACE.withPartitionKey(1),
                Set.of(Access.REMOTE_READ, Access.REMOTE_WRITE));
        MemorySegment step = StubQueuePairs.step(Rdma.IBV_QPS_INIT());
        assertEquals(Rdma.IBV_QP_STATE() | Rdma.IBV_QP_PKEY_INDEX() | Rdma.IBV_QP_PORT() | Rdma.IBV_QP_ACCESS_FLAGS(),
                StubQueuePairs.stepMask(Rdma.IBV_QPS_INIT()));
        assertEquals(1, ibv_qp_attr.port_num(step));
        assertEquals(1, ibv_qp_attr.pkey_index(step));
        assertEquals(Rdma.IBV_ACCESS_REMOTE_READ() | Rdma.IBV_ACCESS_REMOTE_WRITE(), ibv_qp_attr.qp_access_flags(step));

        pair.connectTo(REMOTE, PathAttributes.defaults().withReads(7, 3).withServiceLevel(5).withHopLimit(9).withTrafficClass(200)
                .withRetries(6, Duration.ofMillis(67), 2, Duration.ofMillis(20)));
        step = StubQueuePairs.step(Rdma.IBV_QPS_RTR());
        assertEquals(Rdma.IBV_QP_STATE() | Rdma.IBV_QP_AV() | Rdma.IBV_QP_PATH_MTU() | Rdma.IBV_QP_DEST_QPN() | Rdma.IBV_QP_RQ_PSN()
                | Rdma.IBV_QP_MAX_DEST_RD_ATOMIC() | Rdma.IBV_QP_MIN_RNR_TIMER(), StubQueuePairs.stepMask(Rdma.IBV_QPS_RTR()));
        assertEquals(Rdma.IBV_MTU_1024(), ibv_qp_attr.path_mtu(step));
        assertEquals(0x4711, ibv_qp_attr.dest_qp_num(step));
        assertEquals(0xABCDEF, ibv_qp_attr.rq_psn(step));
        assertEquals(7, ibv_qp_attr.max_dest_rd_atomic(step));
        assertEquals(22, ibv_qp_attr.min_rnr_timer(step));
        MemorySegment way = ibv_qp_attr.ah_attr(step);
        assertEquals(1, ibv_ah_attr.is_global(way));
        assertEquals(1, ibv_ah_attr.port_num(way));
        assertEquals(5, ibv_ah_attr.sl(way));
        MemorySegment route = ibv_ah_attr.grh(way);
        assertArrayEquals(OTHER.toBytes(), ibv_global_route.dgid(route).toArray(ValueLayout.JAVA_BYTE));
        assertEquals(1, ibv_global_route.sgid_index(route));
        assertEquals(9, ibv_global_route.hop_limit(route));
        assertEquals((byte) 200, ibv_global_route.traffic_class(route));

        step = StubQueuePairs.step(Rdma.IBV_QPS_RTS());
        assertEquals(Rdma.IBV_QP_STATE() | Rdma.IBV_QP_SQ_PSN() | Rdma.IBV_QP_TIMEOUT() | Rdma.IBV_QP_RETRY_CNT() | Rdma.IBV_QP_RNR_RETRY()
                | Rdma.IBV_QP_MAX_QP_RD_ATOMIC(), StubQueuePairs.stepMask(Rdma.IBV_QPS_RTS()));
        assertEquals(pair.address().sequenceNumber(), ibv_qp_attr.sq_psn(step));
        assertEquals(14, ibv_qp_attr.timeout(step));
        assertEquals(6, ibv_qp_attr.retry_cnt(step));
        assertEquals(2, ibv_qp_attr.rnr_retry(step));
        assertEquals(3, ibv_qp_attr.max_rd_atomic(step));
        assertEquals(QueuePairState.READY_TO_SEND, pair.state());
    }

    @Test
    void shouldAskForNoMoreReadsThanThePeerServes() {
        create().connectTo(REMOTE);
        assertEquals(4, ibv_qp_attr.max_rd_atomic(StubQueuePairs.step(Rdma.IBV_QPS_RTS())));
        assertEquals(16, ibv_qp_attr.max_dest_rd_atomic(StubQueuePairs.step(Rdma.IBV_QPS_RTR())));
    }

    @Test
    void shouldSayWhyAQueuePairCannotBeInitialised() {
        StubDevice.fail("ibv_modify_qp", Libc.EINVAL(), 0);
        SystemException refused = assertThrows(SystemException.class, this::create);
        assertNames(refused, "stub0", "port 1", "partition key 0", "RESET to INIT", "EINVAL", "Device.partitionKeys");
        assertEquals(Libc.EINVAL(), refused.errorNumber());
        assertEquals(0, StubDevice.live("qp"));
        StubDevice.heal();
        create().connectTo(REMOTE);
    }

    @Test
    void shouldConnectAgainAfterTheDeviceRefusedAnAddress() {
        AddressedQueuePair pair = create();
        pair.post(new ReceiveRequest().receive(1).local(region, 0, 64));
        StubDevice.fail("ibv_modify_qp", Libc.ETIMEDOUT(), 0);
        SystemException refused = assertThrows(SystemException.class, () -> pair.connectTo(REMOTE));
        assertNames(refused, pair.toString(), REMOTE.toString(), "path MTU 1024", "source index 1 of port 1", "INIT to RTR", "ETIMEDOUT",
                "Device.addresses", "may connect again");
        assertEquals(QueuePairState.INIT, pair.state());
        assertTrue(pair.failure().isEmpty());
        assertEquals(0, queue.poll(completions));
        StubDevice.heal();
        pair.connectTo(REMOTE);
        assertEquals(QueuePairState.READY_TO_SEND, pair.state());
        pair.close();
        assertFlushed(1);
    }

    @Test
    void shouldFailIfTheDeviceRefusesTheSecondStep() {
        AddressedQueuePair pair = create();
        pair.post(new ReceiveRequest().receive(1).local(region, 0, 64));
        StubDevice.fail("ibv_modify_qp", Libc.EINVAL(), 0, 1, 1);
        SystemException refused = assertThrows(SystemException.class, () -> pair.connectTo(REMOTE));
        assertNames(refused, pair.toString(), REMOTE.toString(), "RTR to RTS", "EINVAL", "create another");
        assertFlushed(1);
        assertEquals(QueuePairState.ERROR, pair.state());
        await("it has flushed", () -> pair.failure().isPresent());
        assertSame(refused, pair.failure().orElseThrow());
        assertNames(assertThrows(IllegalStateException.class, () -> pair.connectTo(REMOTE)), "has failed", "create another");
        pair.close();
        assertEquals(0, StubDevice.live("qp"));
    }

    @ParameterizedTest
    @ValueSource(strings = { "ibv_query_port", "ibv_create_qp", "ibv_modify_qp" })
    void shouldLeaveNothingOfAQueuePairThatCannotBeCreated(String call) {
        StubDevice.fail(call, Libc.ENOMEM(), Libc.ENOMEM());
        VerbsException refused = assertThrows(ResourceException.class, this::create);
        assertNames(refused, "stub0", call, "ENOMEM");
        assertEquals(0, StubDevice.live("qp"));
    }

    @Test
    void shouldDestroyAQueuePairThatGetsNoMemory() {
        verbs.close();
        StubDevice.takeInline(Integer.MAX_VALUE);
        verbs = open();
        domain = (CoreProtectionDomain) verbs.device("stub0").allocateProtectionDomain();
        CompletionQueue fresh = domain.device().createCompletionQueue(8);
        QueuePairAttributes tooLarge = QueuePairAttributes.of(fresh).withDepths(1 << 16, 1).withInline(Integer.MAX_VALUE);
        assertThrows(ResourceException.class, () -> domain.createQueuePair(tooLarge, PLACE, Set.of()));
        assertEquals(0, StubDevice.live("qp"));
    }

    @Test
    void shouldFlushWhatTheDeviceReportsToBeBroken() {
        AddressedQueuePair unconnected = create();
        unconnected.post(new ReceiveRequest().receive(1).local(region, 0, 64));
        StubDevice.raiseAsynchronous(Rdma.IBV_EVENT_QP_FATAL(), StubDevice.queuePair().address());
        assertFlushed(1);
        assertEquals(QueuePairState.ERROR, unconnected.state());
        AddressedQueuePair connected = create();
        connected.connectTo(REMOTE);
        StubDevice.withhold();
        connected.post(new ReceiveRequest().receive(2).local(region, 0, 64));
        connected.post(new SendRequest().write(3).local(region, 0, 64).remote(new RemoteMemory(0, 0, 64), 0).signaled());
        StubDevice.raiseAsynchronous(Rdma.IBV_EVENT_QP_ACCESS_ERR(), StubDevice.queuePair().address());
        assertFlushed(2);
        await("it has flushed", () -> connected.failure().isPresent());
        assertNames(connected.failure().orElseThrow(), "IBV_EVENT_QP_ACCESS_ERR");
    }

    @Test
    void shouldFlushIfTheDeviceIsGone() {
        AddressedQueuePair pair = create();
        pair.connectTo(REMOTE);
        pair.post(new ReceiveRequest().receive(1).local(region, 0, 64));
        StubDevice.raiseAsynchronous(Rdma.IBV_EVENT_DEVICE_FATAL(), 0);
        assertFlushed(1);
        await("it has flushed", () -> pair.failure().isPresent());
        assertEquals(QueuePairState.ERROR, pair.state());
    }

    @Test
    void shouldDestroyAQueuePairThatDoesNotBecomeAnErrorBeforeItFlushes() {
        AddressedQueuePair pair = create();
        pair.connectTo(REMOTE);
        StubDevice.withhold();
        pair.post(new SendRequest().write(1).local(region, 0, 64).remote(new RemoteMemory(0, 0, 64), 0).signaled());
        StubDevice.fail("ibv_modify_qp", Libc.EIO(), 0);
        Thread closer = Thread.ofPlatform().start(pair::close);
        assertTrue(queue.await(completions, LIMIT) > 0);
        assertEquals(0, StubDevice.live("qp"), "flushed, and the device still has it");
        await("it is closed", () -> !closer.isAlive());
    }

    @Test
    void shouldRefuseAPlaceWithoutAnAddress() {
        AddressedQueuePair nowhere = domain.createQueuePair(QueuePairAttributes.of(queue), QueuePairPort.of(1), Set.of());
        assertNames(assertThrows(IllegalStateException.class, nowhere::address), "place 0", "port 1", "stub0", "Device.addresses");
        assertThrows(IllegalStateException.class, () -> nowhere.connectTo(REMOTE));
        assertEquals(QueuePairState.INIT, nowhere.state());
        assertNames(
                assertThrows(IllegalArgumentException.class,
                        () -> domain.createQueuePair(QueuePairAttributes.of(queue), new QueuePairPort(1, 4, 0), Set.of())),
                "4 addresses", "stub0");
        assertNames(
                assertThrows(IllegalArgumentException.class,
                        () -> domain.createQueuePair(QueuePairAttributes.of(queue), PLACE.withPartitionKey(2), Set.of())),
                "2 partition keys", "stub0");
    }

    @Test
    void shouldListAddressesAndPartitions() {
        CoreDevice device = domain.device();
        // This libibverbs has no call that gives types.
        assertEquals(List.of(new PortAddress(1, 1, OWN, PortAddress.Type.OTHER)), device.addresses(1));
        assertEquals(List.of(0xFFFF, 0x8001), device.partitionKeys(1));
        StubDevice.fail("ibv_query_pkey", -1, Libc.EIO());
        assertNames(assertThrows(SystemException.class, () -> device.partitionKeys(1)), "place 0", "port 1", "stub0");
    }

    @Test
    void shouldPutDatagramsIntoTheirPartition() {
        try (DatagramQueuePair pair = domain.createDatagramQueuePair(QueuePairAttributes.of(queue), PLACE.withPartitionKey(1), 77)) {
            MemorySegment step = StubQueuePairs.step(Rdma.IBV_QPS_INIT());
            assertEquals(1, ibv_qp_attr.pkey_index(step));
            assertEquals(77, ibv_qp_attr.qkey(step));
            assertEquals(new QueuePairAddress(pair.number(), 0, 77, OWN, 0, 4096, 0), pair.address());
        }
    }

    @Test
    void shouldNameTheConnectionManagerOnDevicesOfIwarp() {
        verbs.close();
        StubDevice.setTransport(0, Rdma.IBV_TRANSPORT_IWARP());
        verbs = open();
        domain = (CoreProtectionDomain) verbs.device("stub0").allocateProtectionDomain();
        CompletionQueue fresh = domain.device().createCompletionQueue(8);
        assertNames(
                assertThrows(UnsupportedVerbException.class, () -> domain.createQueuePair(QueuePairAttributes.of(fresh), PLACE, Set.of())),
                "stub0", Capability.CONNECT_BY_ADDRESS.name(), "ConnectionManager");
    }
}
