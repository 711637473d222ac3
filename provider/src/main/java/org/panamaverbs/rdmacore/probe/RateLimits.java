package org.panamaverbs.rdmacore.probe;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import org.panamaverbs.bindings.rdma.Rdma;
import org.panamaverbs.bindings.rdma.ibv_device_attr_ex;
import org.panamaverbs.bindings.rdma.ibv_packet_pacing_caps;
import org.panamaverbs.bindings.rdma.verbs_context;
import org.panamaverbs.rdmacore.ffi.ExtendedVerbs;

/**
 * The rates to which a device can limit a reliable connection ({@code ibv_packet_pacing_caps}).
 *
 * @param least in kilobits a second, 0 or more
 * @param most  in kilobits a second, no less than the least
 */
// Tested by ModifyFaultsTest.
public record RateLimits(long least, long most) {
    /** Empty if the device limits no reliable connection, the library has no call for it, or what the device says makes no sense. */
    static Optional<RateLimits> of(MemorySegment context) {
        MemorySegment query = ExtendedVerbs.operation(context, verbs_context.query_device_ex$offset());
        MemorySegment modify = ExtendedVerbs.operation(context, verbs_context.modify_qp_rate_limit$offset());
        if (query.address() == 0 || modify.address() == 0) {
            return Optional.empty();
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment device = ibv_device_attr_ex.allocate(arena).fill((byte) 0);
            if (verbs_context.query_device_ex.invoke(query, context, MemorySegment.NULL, device, ibv_device_attr_ex.sizeof()) != 0) {
                return Optional.empty();
            }
            MemorySegment pacing = ibv_device_attr_ex.packet_pacing_caps(device);
            RateLimits limits = new RateLimits(Integer.toUnsignedLong(ibv_packet_pacing_caps.qp_rate_limit_min(pacing)),
                    Integer.toUnsignedLong(ibv_packet_pacing_caps.qp_rate_limit_max(pacing)));
            boolean connections = (ibv_packet_pacing_caps.supported_qpts(pacing) & 1 << Rdma.IBV_QPT_RC()) != 0;
            return connections && limits.most > 0 && limits.least <= limits.most ? Optional.of(limits) : Optional.empty();
        }
    }

    /** Whether the device can do a rate, of which 0 is none at all. */
    public boolean contains(long rate) {
        return rate == 0 || rate >= least && rate <= most;
    }

    @Override
    public String toString() {
        return least + " to " + most + " kbit/s";
    }
}
