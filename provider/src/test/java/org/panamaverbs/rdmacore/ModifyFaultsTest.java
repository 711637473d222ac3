package org.panamaverbs.rdmacore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.panamaverbs.Access;
import org.panamaverbs.AddressedQueuePair;
import org.panamaverbs.Capability;
import org.panamaverbs.ClosedException;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.QueuePairState;
import org.panamaverbs.SystemException;
import org.panamaverbs.UnsupportedVerbException;
import org.panamaverbs.Verbs;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.bindings.rdma.Rdma;
import org.panamaverbs.bindings.rdma.ibv_ah_attr;
import org.panamaverbs.bindings.rdma.ibv_global_route;
import org.panamaverbs.bindings.rdma.ibv_qp_attr;
import org.panamaverbs.device.AddressVector;
import org.panamaverbs.device.GlobalIdentifier;
import org.panamaverbs.device.PathAttributes;
import org.panamaverbs.device.QueuePairAddress;
import org.panamaverbs.device.QueuePairPort;

/** Changes of a connected queue pair: the values that reach the device, and refusals. */
class ModifyFaultsTest extends OnStubDevice {
    private static final int CONNECTIONS = 1 << Rdma.IBV_QPT_RC();
    private static final GlobalIdentifier OWN = new GlobalIdentifier(0xFE80_0000_0000_0000L, 1);
    private static final GlobalIdentifier OTHER = new GlobalIdentifier(0xFE80_0000_0000_0000L, 2);
    private Verbs verbs;
    private CoreProtectionDomain domain;

    @AfterEach
    void closeAll() {
        StubDevice.heal();
        if (verbs != null) {
            verbs.close();
        }
    }

    private void openDevice() {
        verbs = open();
        domain = (CoreProtectionDomain) verbs.devices().getFirst().allocateProtectionDomain();
    }

    private QueuePairAttributes attributes() {
        return QueuePairAttributes.of(domain.device().createCompletionQueue(64)).withDepths(8, 8);
    }

    private QueuePair connected() {
        if (verbs == null) {
            openDevice();
        }
        return connect(domain, attributes()).queuePair();
    }

    private static void assertNames(Throwable refused, String... parts) {
        for (String part : parts) {
            assertTrue(refused.getMessage().contains(part), () -> part + " is not in: " + refused.getMessage());
        }
    }

    @Test
    void shouldChangeTheReceiverNotReadyDelay() {
        QueuePair queuePair = connected();
        assertEquals(14, StubQueuePairs.lastDelay());
        queuePair.modifyReceiverNotReadyDelay(Duration.ofMillis(20));
        assertEquals(22, StubQueuePairs.lastDelay());
        assertEquals(Optional.of(Duration.ofNanos(20_480_000)), queuePair.query().receiverNotReadyDelay());
        assertThrows(IllegalArgumentException.class, () -> queuePair.modifyReceiverNotReadyDelay(Duration.ofMillis(-1)));
        assertEquals(22, StubQueuePairs.lastDelay());
    }

    @Test
    void shouldChangeTheRightsOfThePeer() {
        QueuePair queuePair = connected();
        queuePair.modifyRights(Set.of(Access.REMOTE_READ));
        assertEquals(Optional.of(Set.of(Access.REMOTE_READ)), queuePair.query().rights());
        queuePair.modifyRights(Set.of());
        assertEquals(Optional.of(Set.of()), queuePair.query().rights());
        assertThrows(IllegalArgumentException.class, () -> queuePair.modifyRights(Set.of(Access.LOCAL_WRITE)));
        assertThrows(UnsupportedVerbException.class, () -> queuePair.modifyRights(Set.of(Access.REMOTE_ATOMIC)), "the stub has no atomics");
        assertEquals(Optional.of(Set.of()), queuePair.query().rights());
    }

    @Test
    void shouldLimitTheRate() {
        StubQueuePairs.pace(100, -1, CONNECTIONS | 1 << Rdma.IBV_QPT_RAW_PACKET());
        QueuePair queuePair = connected();
        assertTrue(domain.device().supports(Capability.RATE_LIMIT));
        for (long rate : new long[] { 100, 0, 4_294_967_295L }) {
            queuePair.modifyRateLimit(rate);
            assertEquals(rate, StubQueuePairs.lastRate());
        }
        for (long rate : new long[] { 99, -1, 4_294_967_296L, Long.MAX_VALUE, Long.MIN_VALUE }) {
            assertNames(assertThrows(IllegalArgumentException.class, () -> queuePair.modifyRateLimit(rate)), "stub0",
                    "100 to 4294967295 kbit/s", Long.toString(rate));
        }
        assertEquals(4_294_967_295L, StubQueuePairs.lastRate());
    }

    /** Devices that pace raw packets alone, as mlx5 does, and devices that say what makes no sense. */
    @ParameterizedTest
    @CsvSource({ "1, 1000, 256", "0, 0, 4", "2, 1, 4", "-1, 1, 4", "1, 1000, 0" })
    void shouldHaveNoRateLimitThatTheDeviceDoesNotHave(int least, int most, int types) {
        StubQueuePairs.pace(least, most, types);
        QueuePair queuePair = connected();
        assertFalse(domain.device().supports(Capability.RATE_LIMIT));
        assertThrows(UnsupportedVerbException.class, () -> queuePair.modifyRateLimit(0));
        assertEquals(-1, StubQueuePairs.lastRate());
    }

    @Test
    void shouldNameTheCallAndTheErrorThatTheDeviceGives() {
        StubQueuePairs.pace(1, 1000, CONNECTIONS);
        QueuePair queuePair = connected();
        StubDevice.fail("modify_qp_rate_limit", Libc.EIO(), 0);
        StubDevice.fail("ibv_modify_qp", Libc.EINVAL(), 0);
        SystemException refused = assertThrows(SystemException.class, () -> queuePair.modifyRateLimit(10));
        assertEquals(Libc.EIO(), refused.errorNumber());
        assertNames(refused, queuePair.toString(), "10 kbit/s", "ibv_modify_qp_rate_limit");
        assertNames(assertThrows(SystemException.class, () -> queuePair.modifyRights(Set.of())), queuePair.toString(), "rights",
                "ibv_modify_qp: EINVAL");
        assertNames(assertThrows(SystemException.class, () -> queuePair.modifyReceiverNotReadyDelay(Duration.ofMillis(1))),
                queuePair.toString(), "RNR timer", "ibv_modify_qp: EINVAL");
        assertEquals(QueuePairState.READY_TO_SEND, queuePair.state());
    }

    /** A device may have ended a connection whose event is still on its way. */
    @Test
    void shouldSayThatTheConnectionHasEnded() {
        QueuePair queuePair = connected();
        StubDevice.breakQueuePair(StubDevice.queuePair(), Rdma.IBV_QPS_ERR());
        assertNames(assertThrows(IllegalStateException.class, () -> queuePair.modifyRights(Set.of())), "ended");
        queuePair.close();
        assertThrows(ClosedException.class, () -> queuePair.modifyRights(Set.of()));
        AddressedQueuePair unconnected = domain.createQueuePair(attributes(), QueuePairPort.of(1), Set.of());
        assertNames(assertThrows(IllegalStateException.class, () -> unconnected.modifyRights(Set.of())), "not connected yet");
    }

    @Test
    void shouldChangeNothingOnIwarp() {
        StubDevice.setTransport(0, Rdma.IBV_TRANSPORT_IWARP());
        StubQueuePairs.pace(1, 1000, CONNECTIONS);
        QueuePair queuePair = connected();
        assertThrows(UnsupportedVerbException.class, () -> queuePair.modifyReceiverNotReadyDelay(Duration.ofMillis(1)));
        assertThrows(UnsupportedVerbException.class, () -> queuePair.modifyRights(Set.of()));
        assertThrows(UnsupportedVerbException.class, () -> queuePair.modifyRateLimit(10));
        assertEquals(0, StubDevice.called("ibv_modify_qp"));
    }

    /** On InfiniBand the label needs a routing header, which the route would not have otherwise. */
    @Test
    void shouldGiveTheFlowLabelToTheDevice() {
        StubDevice.speakInfiniBand(0);
        StubDevice.setIdentifier(0, OWN);
        openDevice();
        assertTrue(domain.device().supports(Capability.FLOW_LABEL));
        AddressedQueuePair pair = domain.createQueuePair(attributes(), new QueuePairPort(1, 1, 0), Set.of());
        pair.connectTo(new QueuePairAddress(0x11, 1, 0, OTHER, 7, 1024, 4), PathAttributes.defaults().withFlowLabel(0xABCDE));
        MemorySegment vector = ibv_qp_attr.ah_attr(StubQueuePairs.step(Rdma.IBV_QPS_RTR()));
        assertEquals(1, ibv_ah_attr.is_global(vector));
        assertEquals(0xABCDE, ibv_global_route.flow_label(ibv_ah_attr.grh(vector)));
        assertEquals(0xABCDE, pair.query().route().orElseThrow().flowLabel());
        AddressVector route = AddressVector.to(1, 1, OTHER).withLocalIdentifier(7);
        domain.createAddressHandle(route).close();
        assertFalse(StubDevice.lastIsGlobal());
        domain.createAddressHandle(route.withFlowLabel(1)).close();
        assertTrue(StubDevice.lastIsGlobal());
    }

    @Test
    void shouldRefuseAFlowLabelThatTheDeviceHasNot() {
        StubDevice.replace("efa0", 0x1d0f, 0);
        StubDevice.setIdentifier(0, OWN);
        openDevice();
        AddressVector route = AddressVector.to(1, 1, OTHER);
        domain.createAddressHandle(route).close();
        assertNames(assertThrows(UnsupportedVerbException.class, () -> domain.createAddressHandle(route.withFlowLabel(1))), "FLOW_LABEL");
    }
}
