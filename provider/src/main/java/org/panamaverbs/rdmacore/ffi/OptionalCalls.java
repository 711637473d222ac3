package org.panamaverbs.rdmacore.ffi;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Optional;
import java.util.function.Supplier;
import org.panamaverbs.bindings.rdma.Rdma;
import org.panamaverbs.posix.Native;

/** Calls that libibverbs has only since some version: operations that need them are not supported with an older one. */
public final class OptionalCalls {
    /** Since rdma-core 28. */
    public static final Optional<ControlCall> REG_MR_IOVA2 = find("ibv_reg_mr_iova2", Rdma::ibv_reg_mr_iova2$address,
            () -> Native.link(Rdma.ibv_reg_mr_iova2$address(), Rdma.ibv_reg_mr_iova2$descriptor()));
    /** Since rdma-core 34. */
    public static final Optional<ControlCall> REG_DMABUF_MR = find("ibv_reg_dmabuf_mr", Rdma::ibv_reg_dmabuf_mr$address,
            () -> Native.link(Rdma.ibv_reg_dmabuf_mr$address(), Rdma.ibv_reg_dmabuf_mr$descriptor()));
    /** Since rdma-core 32; the macro {@code ibv_query_gid_ex} calls it. */
    public static final Optional<ControlCall> QUERY_GID_EX = find("ibv_query_gid_ex", Rdma::_ibv_query_gid_ex$address,
            () -> Native.link(Rdma._ibv_query_gid_ex$address(), Rdma._ibv_query_gid_ex$descriptor()));

    private OptionalCalls() {
    }

    @SuppressWarnings("ReturnValueIgnored") // It throws if the library lacks the call.
    private static Optional<ControlCall> find(String name, Supplier<MemorySegment> address, Supplier<MethodHandle> linking) {
        try {
            address.get();
            return Optional.of(new ControlCall(name, linking));
        } catch (LinkageError e) {
            return Optional.empty();
        }
    }
}
