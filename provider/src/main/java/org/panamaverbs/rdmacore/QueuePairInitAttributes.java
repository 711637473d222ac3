package org.panamaverbs.rdmacore;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.bindings.rdma.Rdma;
import org.panamaverbs.bindings.rdma.ibv_qp_cap;
import org.panamaverbs.bindings.rdma.ibv_qp_init_attr_ex;

/** The attributes of a new queue pair of any kind: checked, and as {@code struct ibv_qp_init_attr_ex}. */
final class QueuePairInitAttributes {
    private QueuePairInitAttributes() {
    }

    /** Throws if something that it is made of is closed; within {@link CoreDevice#lifetime}, so that nothing is closed meanwhile. */
    static void checkOpen(CoreProtectionDomain domain, QueuePairAttributes attributes) {
        domain.queuePairs().check();
        ((CoreCompletionQueue) attributes.sendQueue()).checkParent();
        ((CoreCompletionQueue) attributes.receiveQueue()).checkParent();
        if (attributes.sharedReceiveQueue() instanceof CoreSharedReceiveQueue shared) {
            shared.checkParent();
        }
    }

    /** {@code struct ibv_qp_init_attr_ex}, which begins with all of the plain one. */
    static MemorySegment of(Arena arena, CoreProtectionDomain domain, QueuePairAttributes attributes, int type) {
        MemorySegment wanted = ibv_qp_init_attr_ex.allocate(arena).fill((byte) 0);
        ibv_qp_init_attr_ex.send_cq(wanted, ((CoreCompletionQueue) attributes.sendQueue()).address());
        ibv_qp_init_attr_ex.recv_cq(wanted, ((CoreCompletionQueue) attributes.receiveQueue()).address());
        ibv_qp_init_attr_ex.qp_type(wanted, type);
        ibv_qp_init_attr_ex.comp_mask(wanted, Rdma.IBV_QP_INIT_ATTR_PD());
        ibv_qp_init_attr_ex.pd(wanted, domain.address());
        MemorySegment limits = ibv_qp_init_attr_ex.cap(wanted);
        ibv_qp_cap.max_send_wr(limits, domain.device().posting().keepAlive().sendDepth(attributes.sendDepth(),
                domain.device().attributes().maximumWorkRequests()));
        ibv_qp_cap.max_send_sge(limits, attributes.sendElements());
        ibv_qp_cap.max_inline_data(limits, attributes.inlineLength());
        if (attributes.sharedReceiveQueue() instanceof CoreSharedReceiveQueue shared) {
            ibv_qp_init_attr_ex.srq(wanted, shared.address());
        } else {
            ibv_qp_cap.max_recv_wr(limits, attributes.receiveDepth());
            ibv_qp_cap.max_recv_sge(limits, attributes.receiveElements());
        }
        return wanted;
    }
}
