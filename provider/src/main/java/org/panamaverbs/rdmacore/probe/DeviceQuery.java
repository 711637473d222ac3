package org.panamaverbs.rdmacore.probe;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import org.panamaverbs.bindings.rdma.Rdma;
import org.panamaverbs.bindings.rdma.ibv_context;
import org.panamaverbs.bindings.rdma.ibv_device_attr;
import org.panamaverbs.device.DeviceIdentity;
import org.panamaverbs.device.ObjectLimits;
import org.panamaverbs.device.Transport;
import org.panamaverbs.rdmacore.ffi.Calls;

/** Asks a device what it is and what its limits are. */
public final class DeviceQuery {
    /** rdma_conn_param has 8 bits for depths of Reads, of which all ones mean something else. */
    private static final int MOST_READS = 254;
    /** The bytes that siw's 8 bits of length leave beside its own 4 bytes, in whole words. */
    private static final int IWARP_PRIVATE_DATA = 248;
    /** A CM Request has 92 bytes, of which librdmacm's header takes 36. */
    private static final int IB_PRIVATE_DATA = 56;
    private static final long LONGEST_MESSAGE = (1L << 31) - 1;

    private final Contexts.Context context;
    private final MemorySegment limits;

    public DeviceQuery(Contexts.Context context, Arena arena) {
        this.context = context;
        this.limits = ibv_device_attr.allocate(arena).fill((byte) 0);
        Calls.QUERY_DEVICE.succeed("query device " + context.name(), context.address(), limits);
    }

    /** Its {@code ibv_device_attr}. */
    public MemorySegment limits() {
        return limits;
    }

    public Set<Quirk> quirks() {
        return Quirk.ofVendor(ibv_device_attr.vendor_id(limits));
    }

    public int portCount() {
        return Byte.toUnsignedInt(ibv_device_attr.phys_port_cnt(limits));
    }

    public CoreAttributes describe() {
        long message = context.port().maximumMessage() == 0 ? LONGEST_MESSAGE : context.port().maximumMessage();
        DeviceIdentity identity = new DeviceIdentity(Long.reverseBytes(ibv_device_attr.node_guid(limits)),
                Long.reverseBytes(ibv_device_attr.sys_image_guid(limits)), ibv_device_attr.vendor_id(limits),
                ibv_device_attr.vendor_part_id(limits), ibv_device_attr.hw_ver(limits));
        return new CoreAttributes(transport(), Ports.isAnyActive(context.address(), portCount()),
                String.format("vendor 0x%04x part %d", identity.vendor(), identity.part()), ibv_device_attr.fw_ver(limits).getString(0),
                identity, ibv_device_attr.max_qp(limits), ibv_device_attr.max_qp_wr(limits), ibv_device_attr.max_sge(limits),
                QueuePairProbe.maximumInline(context.address(), queuePairType()), ibv_device_attr.max_cqe(limits),
                ibv_device_attr.max_mr(limits), unsigned(ibv_device_attr.max_mr_size(limits)), message,
                Math.min(MOST_READS, ibv_device_attr.max_qp_rd_atom(limits)),
                Math.min(MOST_READS, ibv_device_attr.max_qp_init_rd_atom(limits)), context.isIwarp() ? IWARP_PRIVATE_DATA : IB_PRIVATE_DATA,
                Math.max(1, ibv_context.num_comp_vectors(context.address())), NumaNode.of(context.address()), objects());
    }

    /** Of the queue pairs that a program has on it. */
    private int queuePairType() {
        return context.isIwarp() || ConnectionCheck.hasReliableConnections(context, ibv_device_attr.vendor_id(limits)) ? Rdma.IBV_QPT_RC()
                : Rdma.IBV_QPT_UD();
    }

    private Transport transport() {
        if (context.isIwarp()) {
            return Transport.IWARP;
        } else if (ibv_device_attr.vendor_id(limits) == ConnectionCheck.AMAZON) {
            return Transport.EFA;
        } else if (context.transport() != Rdma.IBV_TRANSPORT_IB()) {
            return Transport.OTHER;
        }
        return context.port().linkLayer() == Rdma.IBV_LINK_LAYER_ETHERNET() ? Transport.ROCE : Transport.INFINIBAND;
    }

    private ObjectLimits objects() {
        return new Objects(ibv_device_attr.max_cq(limits), ibv_device_attr.max_pd(limits), ibv_device_attr.max_srq(limits),
                ibv_device_attr.max_srq_wr(limits), ibv_device_attr.max_srq_sge(limits), ibv_device_attr.max_mw(limits),
                ibv_device_attr.max_ah(limits));
    }

    private record Objects(int completionQueues, int protectionDomains, int sharedReceiveQueues, int sharedReceives,
            int sharedReceiveElements, int memoryWindows, int addressHandles) implements ObjectLimits {
    }

    private static long unsigned(long value) {
        return value < 0 ? Long.MAX_VALUE : value;
    }
}
