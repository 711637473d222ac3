package org.panamaverbs.rdmacore.ffi;

import java.util.Optional;
import java.util.function.Supplier;
import org.panamaverbs.bindings.rdma.Rdma;

/** Calls that libibverbs has only since some version: operations that need them are not supported with an older one. */
public final class OptionalCalls {
    /** Since rdma-core 28. */
    public static final Optional<ControlCall> REG_MR_IOVA2 = find(
            () -> new ControlCall("ibv_reg_mr_iova2", Rdma.ibv_reg_mr_iova2$address(), Rdma.ibv_reg_mr_iova2$descriptor()));
    /** Since rdma-core 34. */
    public static final Optional<ControlCall> REG_DMABUF_MR = find(
            () -> new ControlCall("ibv_reg_dmabuf_mr", Rdma.ibv_reg_dmabuf_mr$address(), Rdma.ibv_reg_dmabuf_mr$descriptor()));
    /** Since rdma-core 32; the macro {@code ibv_query_gid_ex} calls it. */
    public static final Optional<ControlCall> QUERY_GID_EX = find(
            () -> new ControlCall("ibv_query_gid_ex", Rdma._ibv_query_gid_ex$address(), Rdma._ibv_query_gid_ex$descriptor()));

    private OptionalCalls() {
    }

    private static Optional<ControlCall> find(Supplier<ControlCall> call) {
        try {
            return Optional.of(call.get());
        } catch (LinkageError e) {
            return Optional.empty();
        }
    }
}
