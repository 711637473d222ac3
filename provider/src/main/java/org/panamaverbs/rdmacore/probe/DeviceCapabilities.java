package org.panamaverbs.rdmacore.probe;

import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import org.panamaverbs.Capability;
import org.panamaverbs.CompletionClock;
import org.panamaverbs.MemoryWindow;
import org.panamaverbs.bindings.rdma.Rdma;
import org.panamaverbs.bindings.rdma.ibv_device_attr;
import org.panamaverbs.rdmacore.ffi.EfaCalls;
import org.panamaverbs.rdmacore.ffi.OptionalCalls;
import org.panamaverbs.rdmacore.ffi.WindowCalls;

/** Finds out what a device can do: what it says of itself, and of what kernel and library do not agree on, what it does when it is tried. */
final class DeviceCapabilities {
    private final Contexts.Context context;
    private final MemorySegment limits;
    private final Set<Quirk> quirks;
    private final Set<Capability> found = EnumSet.noneOf(Capability.class);
    private Optional<CompletionClock> clock = Optional.empty();
    private Optional<RateLimits> rateLimits = Optional.empty();

    private DeviceCapabilities(Contexts.Context context, DeviceQuery query) {
        this.context = context;
        this.limits = query.limits();
        this.quirks = query.quirks();
    }

    /**
     * The capabilities of a device.
     *
     * @param query of it
     */
    static DeviceCapabilities of(Contexts.Context context, DeviceQuery query) {
        DeviceCapabilities capabilities = new DeviceCapabilities(context, query);
        boolean isEfa = ibv_device_attr.vendor_id(capabilities.limits) == ConnectionCheck.AMAZON;
        capabilities.add(isEfa && EfaCalls.isPresent(), Capability.RELIABLE_DATAGRAM);
        if (context.isIwarp()) {
            capabilities.addIwarp();
        } else {
            capabilities.addDatagrams();
        }
        if (ConnectionCheck.hasReliableConnections(context, ibv_device_attr.vendor_id(capabilities.limits))) {
            capabilities.addInfiniBand();
            capabilities.rateLimits = RateLimits.of(context.address());
            capabilities.add(capabilities.rateLimits.isPresent(), Capability.RATE_LIMIT);
        }
        capabilities.add(ibv_device_attr.max_srq(capabilities.limits) > 0, Capability.SHARED_RECEIVE_QUEUE);
        capabilities.addWindows();
        try (ExtendedProbe probe = new ExtendedProbe(context.address())) {
            CompletionClock clock = probe.clock();
            if (clock != null && probe.stampsQueue()) {
                capabilities.add(true, Capability.COMPLETION_TIMESTAMP);
                capabilities.clock = Optional.of(clock);
            }
            capabilities.add(probe.resizesQueue(), Capability.RESIZE_COMPLETION_QUEUE);
        }
        capabilities.addMemory();
        capabilities.add(true, Capability.CHANNEL_DESCRIPTOR);
        return capabilities;
    }

    Set<Capability> all() {
        return Set.copyOf(found);
    }

    Optional<CompletionClock> clock() {
        return clock;
    }

    Optional<RateLimits> rateLimits() {
        return rateLimits;
    }

    /**
     * RFC 5040 has neither atomics nor immediate data, and few cards have those of RFC 7306. The key that a peer invalidates is a window's (see
     * below), or on siw a region's.
     */
    private void addIwarp() {
        add(true, Capability.RELIABLE_CONNECTION);
        add(quirks.contains(Quirk.HAS_IMMEDIATE_DATA), Capability.IMMEDIATE_DATA, Capability.WRITE_WITH_IMMEDIATE);
        addAtomics();
        add(quirks.contains(Quirk.INVALIDATES_REGION) && hasFlag(Rdma.IBV_DEVICE_MEM_MGT_EXTENSIONS()), Capability.SEND_WITH_INVALIDATE,
                Capability.INVALIDATE_REGION);
    }

    /** All that EFA has. libmana makes no queue pairs for datagrams, though its kernel driver names address handles. */
    private void addDatagrams() {
        add(ibv_device_attr.max_ah(limits) > 0 && QueuePairProbe.makes(context.address(), Rdma.IBV_QPT_UD()), Capability.DATAGRAM);
        add(true, Capability.IMMEDIATE_DATA);
    }

    private void addInfiniBand() {
        add(ibv_device_attr.max_sge_rd(limits) > 1, Capability.READ_SCATTER);
        add(true, Capability.RELIABLE_CONNECTION, Capability.CONNECT_BY_ADDRESS, Capability.READ_WITHOUT_REMOTE_WRITE,
                Capability.RECEIVER_NOT_READY, Capability.WRITE_WITH_IMMEDIATE, Capability.ACKNOWLEDGEMENT_TIMEOUT,
                Capability.MODIFY_RIGHTS, Capability.FLOW_LABEL);
        addAtomics();
    }

    private void addAtomics() {
        int atomics = ibv_device_attr.atomic_cap(limits);
        add(atomics != Rdma.IBV_ATOMIC_NONE(), Capability.ATOMIC);
        add(atomics == Rdma.IBV_ATOMIC_GLOB(), Capability.GLOBAL_ATOMIC);
    }

    private void addMemory() {
        MemoryCapabilities memory = MemoryCapabilities.of(context.address());
        add(memory.onDemand() && !quirks.contains(Quirk.MISPLACES_BYTES_ON_DEMAND), Capability.ON_DEMAND_PAGING);
        add(OptionalCalls.REG_MR_IOVA2.isPresent() && !quirks.contains(Quirk.IGNORES_REGION_ADDRESS), Capability.REGION_ADDRESS);
        add(memory.dmaBuf(), Capability.DMA_BUF);
        add(memory.relaxedOrdering(), Capability.RELAXED_ORDERING);
    }

    private void addWindows() {
        add(hasFlag(Rdma.IBV_DEVICE_MEM_WINDOW()) && WindowCalls.work(context.address(), context.name(), MemoryWindow.Type.TYPE_1),
                Capability.MEMORY_WINDOW_TYPE_1);
        // A program may itself invalidate the keys that a peer may invalidate.
        add(hasFlag(Rdma.IBV_DEVICE_MEM_WINDOW_TYPE_2A() | Rdma.IBV_DEVICE_MEM_WINDOW_TYPE_2B())
                && WindowCalls.work(context.address(), context.name(), MemoryWindow.Type.TYPE_2), Capability.MEMORY_WINDOW_TYPE_2,
                Capability.SEND_WITH_INVALIDATE, Capability.LOCAL_INVALIDATE);
    }

    private boolean hasFlag(int flags) {
        return (ibv_device_attr.device_cap_flags(limits) & flags) != 0;
    }

    private void add(boolean has, Capability... capabilities) {
        if (has) {
            found.addAll(Set.of(capabilities));
        }
    }
}
