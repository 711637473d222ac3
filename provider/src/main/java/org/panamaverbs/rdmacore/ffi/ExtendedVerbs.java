package org.panamaverbs.rdmacore.ffi;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.panamaverbs.UnsupportedVerbException;
import org.panamaverbs.bindings.rdma.ibv_context;
import org.panamaverbs.bindings.rdma.ibv_context_ops;
import org.panamaverbs.bindings.rdma.verbs_context;
import org.panamaverbs.posix.Native;

/**
 * The operations that verbs gained later: function pointers of a {@code verbs_context}, which lies around the {@code ibv_context} that a
 * program is given ({@code verbs_get_ctx_op} of verbs.h).
 */
@SuppressWarnings("restricted") // pointers that native code hands out have no size
public final class ExtendedVerbs {
    /** {@code __VERBS_ABI_IS_EXTENDED}. */
    private static final long IS_EXTENDED = -1;

    /** Of {@code verbs_context}, at whose end lies an {@code ibv_context}. */
    private static final long SIZE = verbs_context.sizeof() + Layouts.LONGER_MUTEX;

    /** More than any {@code verbs_context} will have. */
    private static final long LARGEST = 1 << 16;

    private static final ControlCall QUERY_DEVICE_EX = new ControlCall("ibv_query_device_ex",
            () -> Native.link(verbs_context.query_device_ex.descriptor()));
    private static final ControlCall CREATE_CQ_EX = new ControlCall("ibv_create_cq_ex",
            () -> Native.link(verbs_context.create_cq_ex.descriptor()));
    private static final ControlCall MODIFY_QP_RATE_LIMIT = new ControlCall("ibv_modify_qp_rate_limit",
            () -> Native.link(verbs_context.modify_qp_rate_limit.descriptor()));

    private ExtendedVerbs() {
    }

    /**
     * Why a context of a library is not what the bindings say, or {@code null}. The last field of {@code ibv_context}, the last one before it
     * and the pointers of the hot path in between: if they hold what they should, the layouts are the library's.
     */
    public static String misfit(MemorySegment context) {
        if (ibv_context.device(context).address() == 0 || ibv_context.async_fd(context) < 0) {
            return "struct ibv_context has no device, or no descriptor of events";
        }
        if (compatibility(context) != IS_EXTENDED) {
            return "abi_compat of struct ibv_context is 0x" + Long.toHexString(compatibility(context));
        }
        // The struct grows at its start. Of its operations, close_xrcd is the first that there ever was.
        long size = verbs_context.sz(whole(context));
        if (size < SIZE - verbs_context.close_xrcd$offset() || size > LARGEST || size % Long.BYTES != 0) {
            return "struct verbs_context has " + size + " bytes, and " + SIZE + " here";
        }
        MemorySegment operations = ibv_context.ops(context);
        if (ibv_context_ops.poll_cq(operations).address() == 0 || ibv_context_ops.req_notify_cq(operations).address() == 0
                || ibv_context_ops.post_send(operations).address() == 0 || ibv_context_ops.post_recv(operations).address() == 0) {
            return "struct ibv_context_ops lacks a call of the hot path";
        }
        return null;
    }

    private static long compatibility(MemorySegment context) {
        return ibv_context.abi_compat(Layouts.behindMutex(context, ibv_context.sizeof())).address();
    }

    private static MemorySegment whole(MemorySegment context) {
        return MemorySegment.ofAddress(context.address() - verbs_context.context$offset()).reinterpret(SIZE);
    }

    /**
     * {@code ibv_query_device_ex} of a context.
     *
     * @throws UnsupportedVerbException if the library does not have it
     */
    public static ControlCall queryDevice(MemorySegment context) {
        return call(QUERY_DEVICE_EX, context, verbs_context.query_device_ex$offset());
    }

    /**
     * {@code ibv_create_cq_ex} of a context.
     *
     * @throws UnsupportedVerbException if the library does not have it
     */
    public static ControlCall createCompletionQueue(MemorySegment context) {
        return call(CREATE_CQ_EX, context, verbs_context.create_cq_ex$offset());
    }

    /**
     * {@code ibv_modify_qp_rate_limit} of a context.
     *
     * @throws UnsupportedVerbException if the library does not have it
     */
    public static ControlCall modifyRateLimit(MemorySegment context) {
        return call(MODIFY_QP_RATE_LIMIT, context, verbs_context.modify_qp_rate_limit$offset());
    }

    private static ControlCall call(ControlCall byPointer, MemorySegment context, long offset) {
        MemorySegment operation = operation(context, offset);
        if (operation.address() == 0) {
            throw new UnsupportedVerbException("the library of the device has no " + byPointer.name() + ": update rdma-core");
        }
        return byPointer.at(operation);
    }

    /**
     * An operation of a context.
     *
     * @param offset of its pointer, from the generated layout
     * @return {@code NULL} if the library does not have it
     */
    public static MemorySegment operation(MemorySegment context, long offset) {
        if (compatibility(context) != IS_EXTENDED) {
            return MemorySegment.NULL;
        }
        MemorySegment whole = whole(context);
        // The struct grows at its start: an older library has only its end.
        return verbs_context.sz(whole) < SIZE - offset ? MemorySegment.NULL : whole.get(ValueLayout.ADDRESS, offset);
    }
}
