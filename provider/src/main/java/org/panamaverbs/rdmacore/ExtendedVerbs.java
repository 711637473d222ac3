package org.panamaverbs.rdmacore;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import org.panamaverbs.UnsupportedVerbException;
import org.panamaverbs.bindings.rdma.Rdma;
import org.panamaverbs.bindings.rdma.ibv_qp_init_attr_ex;

/** What making extended objects has in common. */
final class ExtendedVerbs {
    private ExtendedVerbs() {
    }

    /** A queue pair is to be made that takes every kind of request by {@code ibv_wr_*}. */
    static void wantSendOperations(MemorySegment attributes) {
        ibv_qp_init_attr_ex.comp_mask(attributes, ibv_qp_init_attr_ex.comp_mask(attributes) | Rdma.IBV_QP_INIT_ATTR_SEND_OPS_FLAGS());
        ibv_qp_init_attr_ex.send_ops_flags(attributes, Rdma.IBV_QP_EX_WITH_SEND() | Rdma.IBV_QP_EX_WITH_SEND_WITH_IMM()
                | Rdma.IBV_QP_EX_WITH_SEND_WITH_INV() | Rdma.IBV_QP_EX_WITH_RDMA_WRITE() | Rdma.IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM()
                | Rdma.IBV_QP_EX_WITH_RDMA_READ() | Rdma.IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP() | Rdma.IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD()
                | Rdma.IBV_QP_EX_WITH_LOCAL_INV() | Rdma.IBV_QP_EX_WITH_BIND_MW());
    }

    /** An operation of a context as a call, or throws where the library does not have it. */
    static ControlCall call(String name, MemorySegment context, long offset, FunctionDescriptor descriptor) {
        MemorySegment operation = ExtendedContext.function(context, offset);
        if (operation.address() == 0) {
            throw new UnsupportedVerbException("the library of the device has no " + name + ": update rdma-core");
        }
        return new ControlCall(name, operation, descriptor);
    }
}
