package org.panamaverbs.rdmacore.ffi;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.invoke.MethodHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.bindings.rdma.Rdma;
import org.panamaverbs.posix.Native;

/**
 * The calls that this provider makes off the hot path. Using this class loads libibverbs and librdmacm; each call is linked when it is first
 * made, or all at once.
 */
// Tested by LayoutFaultsTest, AvailabilityFaultsTest.
public final class Calls {
    private static final List<ControlCall> ALL = new ArrayList<>();

    public static final ControlCall GET_DEVICES = onDemand("rdma_get_devices",
            () -> Native.link(Rdma.rdma_get_devices$address(), Rdma.rdma_get_devices$descriptor()));
    public static final ControlCall FREE_DEVICES = onDemand("rdma_free_devices",
            () -> Native.link(Rdma.rdma_free_devices$address(), Rdma.rdma_free_devices$descriptor()));
    public static final ControlCall GET_DEVICE_LIST = onDemand("ibv_get_device_list",
            () -> Native.link(Rdma.ibv_get_device_list$address(), Rdma.ibv_get_device_list$descriptor()));
    public static final ControlCall FREE_DEVICE_LIST = onDemand("ibv_free_device_list",
            () -> Native.link(Rdma.ibv_free_device_list$address(), Rdma.ibv_free_device_list$descriptor()));
    public static final ControlCall OPEN_DEVICE = onDemand("ibv_open_device",
            () -> Native.link(Rdma.ibv_open_device$address(), Rdma.ibv_open_device$descriptor()));
    public static final ControlCall CLOSE_DEVICE = onDemand("ibv_close_device",
            () -> Native.link(Rdma.ibv_close_device$address(), Rdma.ibv_close_device$descriptor()));
    public static final ControlCall QUERY_DEVICE = onDemand("ibv_query_device",
            () -> Native.link(Rdma.ibv_query_device$address(), Rdma.ibv_query_device$descriptor()));
    public static final ControlCall QUERY_PORT = onDemand("ibv_query_port",
            () -> Native.link(Rdma.ibv_query_port$address(), Rdma.ibv_query_port$descriptor()));
    public static final ControlCall QUERY_PKEY = onDemand("ibv_query_pkey",
            () -> Native.link(Rdma.ibv_query_pkey$address(), Rdma.ibv_query_pkey$descriptor()));
    public static final ControlCall ALLOC_PD = onDemand("ibv_alloc_pd",
            () -> Native.link(Rdma.ibv_alloc_pd$address(), Rdma.ibv_alloc_pd$descriptor()));
    public static final ControlCall DEALLOC_PD = onDemand("ibv_dealloc_pd",
            () -> Native.link(Rdma.ibv_dealloc_pd$address(), Rdma.ibv_dealloc_pd$descriptor()));
    public static final ControlCall REG_MR = onDemand("ibv_reg_mr",
            () -> Native.link(Rdma.ibv_reg_mr$address(), Rdma.ibv_reg_mr$descriptor()));
    public static final ControlCall DEREG_MR = onDemand("ibv_dereg_mr",
            () -> Native.link(Rdma.ibv_dereg_mr$address(), Rdma.ibv_dereg_mr$descriptor()));

    public static final ControlCall CREATE_COMP_CHANNEL = onDemand("ibv_create_comp_channel",
            () -> Native.link(Rdma.ibv_create_comp_channel$address(), Rdma.ibv_create_comp_channel$descriptor()));
    public static final ControlCall DESTROY_COMP_CHANNEL = onDemand("ibv_destroy_comp_channel",
            () -> Native.link(Rdma.ibv_destroy_comp_channel$address(), Rdma.ibv_destroy_comp_channel$descriptor()));
    public static final ControlCall CREATE_CQ = onDemand("ibv_create_cq",
            () -> Native.link(Rdma.ibv_create_cq$address(), Rdma.ibv_create_cq$descriptor()));
    public static final ControlCall DESTROY_CQ = onDemand("ibv_destroy_cq",
            () -> Native.link(Rdma.ibv_destroy_cq$address(), Rdma.ibv_destroy_cq$descriptor()));
    public static final ControlCall RESIZE_CQ = onDemand("ibv_resize_cq",
            () -> Native.link(Rdma.ibv_resize_cq$address(), Rdma.ibv_resize_cq$descriptor()));
    public static final ControlCall GET_ASYNC_EVENT = onDemand("ibv_get_async_event",
            () -> Native.link(Rdma.ibv_get_async_event$address(), Rdma.ibv_get_async_event$descriptor()));
    public static final ControlCall ACK_ASYNC_EVENT = onDemand("ibv_ack_async_event",
            () -> Native.link(Rdma.ibv_ack_async_event$address(), Rdma.ibv_ack_async_event$descriptor()));
    public static final ControlCall CREATE_AH = onDemand("ibv_create_ah",
            () -> Native.link(Rdma.ibv_create_ah$address(), Rdma.ibv_create_ah$descriptor()));
    public static final ControlCall CREATE_AH_FROM_WC = onDemand("ibv_create_ah_from_wc",
            () -> Native.link(Rdma.ibv_create_ah_from_wc$address(), Rdma.ibv_create_ah_from_wc$descriptor()));
    public static final ControlCall DESTROY_AH = onDemand("ibv_destroy_ah",
            () -> Native.link(Rdma.ibv_destroy_ah$address(), Rdma.ibv_destroy_ah$descriptor()));
    public static final ControlCall CREATE_SRQ = onDemand("ibv_create_srq",
            () -> Native.link(Rdma.ibv_create_srq$address(), Rdma.ibv_create_srq$descriptor()));
    public static final ControlCall MODIFY_SRQ = onDemand("ibv_modify_srq",
            () -> Native.link(Rdma.ibv_modify_srq$address(), Rdma.ibv_modify_srq$descriptor()));
    public static final ControlCall DESTROY_SRQ = onDemand("ibv_destroy_srq",
            () -> Native.link(Rdma.ibv_destroy_srq$address(), Rdma.ibv_destroy_srq$descriptor()));
    public static final ControlCall CREATE_QP = onDemand("ibv_create_qp",
            () -> Native.link(Rdma.ibv_create_qp$address(), Rdma.ibv_create_qp$descriptor()));
    public static final ControlCall MODIFY_QP = onDemand("ibv_modify_qp",
            () -> Native.link(Rdma.ibv_modify_qp$address(), Rdma.ibv_modify_qp$descriptor()));
    public static final ControlCall QUERY_QP = onDemand("ibv_query_qp",
            () -> Native.link(Rdma.ibv_query_qp$address(), Rdma.ibv_query_qp$descriptor()));
    public static final ControlCall DESTROY_QP = onDemand("ibv_destroy_qp",
            () -> Native.link(Rdma.ibv_destroy_qp$address(), Rdma.ibv_destroy_qp$descriptor()));

    public static final ControlCall CREATE_EVENT_CHANNEL = onDemand("rdma_create_event_channel",
            () -> Native.link(Rdma.rdma_create_event_channel$address(), Rdma.rdma_create_event_channel$descriptor()));
    public static final ControlCall DESTROY_EVENT_CHANNEL = onDemand("rdma_destroy_event_channel",
            () -> Native.link(Rdma.rdma_destroy_event_channel$address(), Rdma.rdma_destroy_event_channel$descriptor()));
    public static final ControlCall GET_CM_EVENT = onDemand("rdma_get_cm_event",
            () -> Native.link(Rdma.rdma_get_cm_event$address(), Rdma.rdma_get_cm_event$descriptor()));
    public static final ControlCall ACK_CM_EVENT = onDemand("rdma_ack_cm_event",
            () -> Native.link(Rdma.rdma_ack_cm_event$address(), Rdma.rdma_ack_cm_event$descriptor()));
    public static final ControlCall CREATE_ID = onDemand("rdma_create_id",
            () -> Native.link(Rdma.rdma_create_id$address(), Rdma.rdma_create_id$descriptor()));
    public static final ControlCall DESTROY_ID = onDemand("rdma_destroy_id",
            () -> Native.link(Rdma.rdma_destroy_id$address(), Rdma.rdma_destroy_id$descriptor()));
    public static final ControlCall BIND_ADDR = onDemand("rdma_bind_addr",
            () -> Native.link(Rdma.rdma_bind_addr$address(), Rdma.rdma_bind_addr$descriptor()));
    public static final ControlCall LISTEN = onDemand("rdma_listen",
            () -> Native.link(Rdma.rdma_listen$address(), Rdma.rdma_listen$descriptor()));
    public static final ControlCall RESOLVE_ADDR = onDemand("rdma_resolve_addr",
            () -> Native.link(Rdma.rdma_resolve_addr$address(), Rdma.rdma_resolve_addr$descriptor()));
    public static final ControlCall RESOLVE_ROUTE = onDemand("rdma_resolve_route",
            () -> Native.link(Rdma.rdma_resolve_route$address(), Rdma.rdma_resolve_route$descriptor()));
    public static final ControlCall SET_OPTION = onDemand("rdma_set_option",
            () -> Native.link(Rdma.rdma_set_option$address(), Rdma.rdma_set_option$descriptor()));
    public static final ControlCall CREATE_CONNECTED_QP = onDemand("rdma_create_qp_ex",
            () -> Native.link(Rdma.rdma_create_qp_ex$address(), Rdma.rdma_create_qp_ex$descriptor()));
    public static final ControlCall DESTROY_CONNECTED_QP = onDemand("rdma_destroy_qp",
            () -> Native.link(Rdma.rdma_destroy_qp$address(), Rdma.rdma_destroy_qp$descriptor()));
    public static final ControlCall CONNECT = onDemand("rdma_connect",
            () -> Native.link(Rdma.rdma_connect$address(), Rdma.rdma_connect$descriptor()));
    public static final ControlCall ACCEPT = onDemand("rdma_accept",
            () -> Native.link(Rdma.rdma_accept$address(), Rdma.rdma_accept$descriptor()));
    public static final ControlCall REJECT = onDemand("rdma_reject",
            () -> Native.link(Rdma.rdma_reject$address(), Rdma.rdma_reject$descriptor()));
    public static final ControlCall NOTIFY = onDemand("rdma_notify",
            () -> Native.link(Rdma.rdma_notify$address(), Rdma.rdma_notify$descriptor()));
    public static final ControlCall DISCONNECT = onDemand("rdma_disconnect",
            () -> Native.link(Rdma.rdma_disconnect$address(), Rdma.rdma_disconnect$descriptor()));

    public static final ControlCall GETRLIMIT = onDemand("getrlimit",
            () -> Native.link(Libc.getrlimit$address(), Libc.getrlimit$descriptor()));
    private static final ControlCall FCNTL = onDemand("fcntl", () -> Native.link(Libc.fcntl.address(),
            FunctionDescriptor.of(Libc.C_INT, Libc.C_INT, Libc.C_INT, Libc.C_INT), Linker.Option.firstVariadicArg(2)));

    private Calls() {
    }

    private static ControlCall onDemand(String name, Supplier<MethodHandle> linking) {
        ControlCall call = new ControlCall(name, linking);
        ALL.add(call);
        return call;
    }

    /**
     * Links all: for a program that has a device, which should learn at its start what the libraries lack.
     *
     * @throws LinkageError if libraries that are too old lack a function
     */
    public static void linkAll() {
        ALL.forEach(ControlCall::handle);
    }

    /** Makes reading from a descriptor never wait. */
    public static void doNotBlock(int fd) {
        int flags = FCNTL.number(fd, Libc.F_GETFL(), 0);
        FCNTL.succeed("make descriptor " + fd + " non-blocking", fd, Libc.F_SETFL(), flags | Libc.O_NONBLOCK());
    }
}
