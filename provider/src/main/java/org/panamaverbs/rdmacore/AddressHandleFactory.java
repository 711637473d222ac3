package org.panamaverbs.rdmacore;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;
import org.panamaverbs.Completions;
import org.panamaverbs.DatagramQueuePair;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.bindings.rdma.ibv_ah_attr;
import org.panamaverbs.bindings.rdma.ibv_gid;
import org.panamaverbs.bindings.rdma.ibv_global_route;
import org.panamaverbs.device.AddressVector;
import org.panamaverbs.rdmacore.ffi.Calls;
import org.panamaverbs.rdmacore.memory.CoreMemoryRegion;
import org.panamaverbs.rdmacore.probe.PortTables;
import org.panamaverbs.spi.CompletionBuffer;
import org.panamaverbs.spi.Described;

/** Makes address handles: from the peer's address, or from a datagram that the peer sent. */
final class AddressHandleFactory {
    private AddressHandleFactory() {
    }

    static CoreAddressHandle to(CoreProtectionDomain domain, AddressVector vector) {
        CoreDevice device = domain.device();
        device.checkPort(vector.port());
        device.checkFlowLabel(vector.flowLabel());
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment wanted = ibv_ah_attr.allocate(arena).fill((byte) 0);
            fill(wanted, vector, PortTables.needsRoutingHeader(device.context(), device.name(), vector));
            return new CoreAddressHandle(domain,
                    Calls.CREATE_AH.object(
                            "find the route to " + vector.destination() + " from port " + vector.port() + " of " + device.name(),
                            domain.address(), wanted));
        }
    }

    /** Fills an {@code ibv_ah_attr}, which is all zeros. */
    static void fill(MemorySegment wanted, AddressVector vector, boolean isGlobal) {
        ibv_ah_attr.port_num(wanted, (byte) vector.port());
        ibv_ah_attr.dlid(wanted, (short) vector.localIdentifier());
        ibv_ah_attr.sl(wanted, (byte) vector.serviceLevel());
        ibv_ah_attr.is_global(wanted, isGlobal ? (byte) 1 : 0);
        MemorySegment route = ibv_ah_attr.grh(wanted);
        MemorySegment.copy(vector.destination().toBytes(), 0, ibv_global_route.dgid(route), ValueLayout.JAVA_BYTE, 0,
                (int) ibv_gid.sizeof());
        ibv_global_route.sgid_index(route, (byte) vector.sourceIndex());
        ibv_global_route.hop_limit(route, (byte) vector.hopLimit());
        ibv_global_route.traffic_class(route, (byte) vector.trafficClass());
        ibv_global_route.flow_label(route, vector.flowLabel());
    }

    static CoreAddressHandle back(CoreProtectionDomain domain, Completions received, MemoryRegion region, long offset, int port) {
        CoreDevice device = domain.device();
        device.checkPort(port);
        if (!(region instanceof CoreMemoryRegion own) || own.domain() != domain) {
            throw new IllegalArgumentException("the region is not registered in the address handle's protection domain");
        }
        Objects.checkFromIndexSize(offset, DatagramQueuePair.HEADER_LENGTH, region.length());
        int source = received.sourceQueuePairNumber();
        CompletionBuffer buffer = Described.of(received);
        MemorySegment completion = buffer.memory().asSlice(buffer.position() * CompletionBuffer.SIZE, CompletionBuffer.SIZE);
        MemorySegment header = region.segment().asSlice(offset, DatagramQueuePair.HEADER_LENGTH);
        return new CoreAddressHandle(domain,
                Calls.CREATE_AH_FROM_WC.object(
                        "find the route back to queue pair " + source + " from port " + port + " of " + device.name(), domain.address(),
                        completion, header, (byte) port));
    }
}
