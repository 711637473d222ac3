package org.panamaverbs.rdmacore;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.panamaverbs.UnsupportedVerbException;
import org.panamaverbs.bindings.rdma.Rdma;
import org.panamaverbs.bindings.rdma.ibv_context;
import org.panamaverbs.bindings.rdma.ibv_qp_init_attr_ex;
import org.panamaverbs.bindings.rdma.verbs_context;

/**
 * The operations that verbs gained later: function pointers of a {@code verbs_context}, which lies around the {@code ibv_context} that a
 * program is given ({@code verbs_get_ctx_op} of verbs.h).
 */
@SuppressWarnings("restricted") // pointers that native code hands out have no size
final class ExtendedVerbs {
    /** {@code __VERBS_ABI_IS_EXTENDED}. */
    private static final long IS_EXTENDED = -1;

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
        MemorySegment operation = operation(context, offset);
        if (operation.address() == 0) {
            throw new UnsupportedVerbException("the library of the device has no " + name + ": update rdma-core");
        }
        return new ControlCall(name, operation, descriptor);
    }

    /**
     * An operation of a context.
     *
     * @param offset of its pointer, from the generated layout
     * @return {@code NULL} where the library does not have it
     */
    static MemorySegment operation(MemorySegment context, long offset) {
        if (ibv_context.abi_compat(context).address() != IS_EXTENDED) {
            return MemorySegment.NULL;
        }
        MemorySegment whole = MemorySegment.ofAddress(context.address() - verbs_context.context$offset())
                .reinterpret(verbs_context.sizeof());
        // The struct grows at its start: what an older library has of it is its end.
        return verbs_context.sz(whole) < verbs_context.sizeof() - offset ? MemorySegment.NULL : whole.get(ValueLayout.ADDRESS, offset);
    }
}
