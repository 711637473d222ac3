package org.panamaverbs.rdmacore;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.panamaverbs.AddressedQueuePair;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.Verbs;
import org.panamaverbs.bindings.rdma.Rdma;
import org.panamaverbs.bindings.rdma.ibv_ah_attr;
import org.panamaverbs.bindings.rdma.ibv_qp_attr;
import org.panamaverbs.device.AddressVector;
import org.panamaverbs.device.GlobalIdentifier;
import org.panamaverbs.device.PathAttributes;
import org.panamaverbs.device.QueuePairAddress;
import org.panamaverbs.device.QueuePairPort;

/** Which packets carry a global routing header of 40 bytes: those that need one, as UCX decides it (force_global_addr in uct/ib/base). */
class RoutingHeaderFaultsTest extends OnStubDevice {
    private static final long PREFIX = 0xFE80L << 48;
    private static final long OTHER_PREFIX = PREFIX | 1;
    private static final int DEMANDED = Rdma.IBV_QPF_GRH_REQUIRED();

    @ParameterizedTest
    @CsvSource({ "0, false, 7, 0, false", "0, true, 7, 0, true", "1, false, 7, 0, true", "0, false, 0, 0, true", "0, false, 7, 200, true" })
    void shouldSendARoutingHeaderIfOneIsNeeded(int flags, boolean isElsewhere, int lid, int trafficClass, boolean isGlobal) {
        assertEquals(1, DEMANDED);
        StubDevice.speakInfiniBand(flags);
        assertGlobal(isGlobal, isElsewhere ? OTHER_PREFIX : PREFIX, lid, trafficClass);
    }

    @Test
    void shouldAlwaysSendARoutingHeaderOverEthernet() {
        assertGlobal(true, PREFIX, 7, 0);
    }

    private static void assertGlobal(boolean isGlobal, long prefix, int lid, int trafficClass) {
        StubDevice.setIdentifier(0, new GlobalIdentifier(PREFIX, 1));
        GlobalIdentifier destination = new GlobalIdentifier(prefix, 2);
        try (Verbs verbs = open()) {
            ProtectionDomain domain = verbs.device("stub0").allocateProtectionDomain();
            domain.createAddressHandle(AddressVector.to(1, 1, destination).withLocalIdentifier(lid).withTrafficClass(trafficClass)).close();
            assertEquals(isGlobal, StubDevice.lastIsGlobal());
            AddressedQueuePair pair = domain.createQueuePair(QueuePairAttributes.of(domain.device().createCompletionQueue(8)),
                    new QueuePairPort(1, 1, 0), Set.of());
            pair.connectTo(new QueuePairAddress(0x4711, 1, 0, destination, lid, 1024, 4),
                    PathAttributes.defaults().withTrafficClass(trafficClass));
            assertEquals(isGlobal ? 1 : 0, ibv_ah_attr.is_global(ibv_qp_attr.ah_attr(StubQueuePairs.step(Rdma.IBV_QPS_RTR()))));
        }
    }
}
