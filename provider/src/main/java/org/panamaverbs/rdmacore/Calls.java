package org.panamaverbs.rdmacore;

import java.lang.foreign.FunctionDescriptor;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.bindings.rdma.Rdma;

/** The calls that this provider makes off the hot path. Using this class loads libibverbs and librdmacm. */
final class Calls {
    static final ControlCall GET_DEVICES = new ControlCall("rdma_get_devices", Rdma.rdma_get_devices$address(),
            Rdma.rdma_get_devices$descriptor());
    static final ControlCall FREE_DEVICES = new ControlCall("rdma_free_devices", Rdma.rdma_free_devices$address(),
            Rdma.rdma_free_devices$descriptor());
    static final ControlCall QUERY_DEVICE = new ControlCall("ibv_query_device", Rdma.ibv_query_device$address(),
            Rdma.ibv_query_device$descriptor());
    static final ControlCall QUERY_PORT = new ControlCall("ibv_query_port", Rdma.ibv_query_port$address(),
            Rdma.ibv_query_port$descriptor());
    static final ControlCall ALLOC_PD = new ControlCall("ibv_alloc_pd", Rdma.ibv_alloc_pd$address(), Rdma.ibv_alloc_pd$descriptor());
    static final ControlCall DEALLOC_PD = new ControlCall("ibv_dealloc_pd", Rdma.ibv_dealloc_pd$address(),
            Rdma.ibv_dealloc_pd$descriptor());
    static final ControlCall REG_MR = new ControlCall("ibv_reg_mr", Rdma.ibv_reg_mr$address(), Rdma.ibv_reg_mr$descriptor());
    static final ControlCall DEREG_MR = new ControlCall("ibv_dereg_mr", Rdma.ibv_dereg_mr$address(), Rdma.ibv_dereg_mr$descriptor());

    static final ControlCall CREATE_COMP_CHANNEL = new ControlCall("ibv_create_comp_channel", Rdma.ibv_create_comp_channel$address(),
            Rdma.ibv_create_comp_channel$descriptor());
    static final ControlCall DESTROY_COMP_CHANNEL = new ControlCall("ibv_destroy_comp_channel",
            Rdma.ibv_destroy_comp_channel$address(), Rdma.ibv_destroy_comp_channel$descriptor());
    static final ControlCall CREATE_CQ = new ControlCall("ibv_create_cq", Rdma.ibv_create_cq$address(),
            Rdma.ibv_create_cq$descriptor());
    static final ControlCall DESTROY_CQ = new ControlCall("ibv_destroy_cq", Rdma.ibv_destroy_cq$address(),
            Rdma.ibv_destroy_cq$descriptor());
    static final ControlCall GET_CQ_EVENT = new ControlCall("ibv_get_cq_event", Rdma.ibv_get_cq_event$address(),
            Rdma.ibv_get_cq_event$descriptor());
    static final ControlCall ACK_CQ_EVENTS = new ControlCall("ibv_ack_cq_events", Rdma.ibv_ack_cq_events$address(),
            Rdma.ibv_ack_cq_events$descriptor());
    static final ControlCall GET_ASYNC_EVENT = new ControlCall("ibv_get_async_event", Rdma.ibv_get_async_event$address(),
            Rdma.ibv_get_async_event$descriptor());
    static final ControlCall ACK_ASYNC_EVENT = new ControlCall("ibv_ack_async_event", Rdma.ibv_ack_async_event$address(),
            Rdma.ibv_ack_async_event$descriptor());
    static final ControlCall CREATE_AH = new ControlCall("ibv_create_ah", Rdma.ibv_create_ah$address(), Rdma.ibv_create_ah$descriptor());
    static final ControlCall CREATE_AH_FROM_WC = new ControlCall("ibv_create_ah_from_wc", Rdma.ibv_create_ah_from_wc$address(),
            Rdma.ibv_create_ah_from_wc$descriptor());
    static final ControlCall DESTROY_AH = new ControlCall("ibv_destroy_ah", Rdma.ibv_destroy_ah$address(),
            Rdma.ibv_destroy_ah$descriptor());
    static final ControlCall CREATE_SRQ = new ControlCall("ibv_create_srq", Rdma.ibv_create_srq$address(),
            Rdma.ibv_create_srq$descriptor());
    static final ControlCall MODIFY_SRQ = new ControlCall("ibv_modify_srq", Rdma.ibv_modify_srq$address(),
            Rdma.ibv_modify_srq$descriptor());
    static final ControlCall DESTROY_SRQ = new ControlCall("ibv_destroy_srq", Rdma.ibv_destroy_srq$address(),
            Rdma.ibv_destroy_srq$descriptor());
    static final ControlCall CREATE_QP = new ControlCall("ibv_create_qp", Rdma.ibv_create_qp$address(),
            Rdma.ibv_create_qp$descriptor());
    static final ControlCall MODIFY_QP = new ControlCall("ibv_modify_qp", Rdma.ibv_modify_qp$address(),
            Rdma.ibv_modify_qp$descriptor());
    static final ControlCall DESTROY_QP = new ControlCall("ibv_destroy_qp", Rdma.ibv_destroy_qp$address(),
            Rdma.ibv_destroy_qp$descriptor());

    static final ControlCall CREATE_EVENT_CHANNEL = new ControlCall("rdma_create_event_channel",
            Rdma.rdma_create_event_channel$address(), Rdma.rdma_create_event_channel$descriptor());
    static final ControlCall DESTROY_EVENT_CHANNEL = new ControlCall("rdma_destroy_event_channel",
            Rdma.rdma_destroy_event_channel$address(), Rdma.rdma_destroy_event_channel$descriptor());
    static final ControlCall GET_CM_EVENT = new ControlCall("rdma_get_cm_event", Rdma.rdma_get_cm_event$address(),
            Rdma.rdma_get_cm_event$descriptor());
    static final ControlCall ACK_CM_EVENT = new ControlCall("rdma_ack_cm_event", Rdma.rdma_ack_cm_event$address(),
            Rdma.rdma_ack_cm_event$descriptor());
    static final ControlCall CREATE_ID = new ControlCall("rdma_create_id", Rdma.rdma_create_id$address(),
            Rdma.rdma_create_id$descriptor());
    static final ControlCall DESTROY_ID = new ControlCall("rdma_destroy_id", Rdma.rdma_destroy_id$address(),
            Rdma.rdma_destroy_id$descriptor());
    static final ControlCall BIND_ADDR = new ControlCall("rdma_bind_addr", Rdma.rdma_bind_addr$address(),
            Rdma.rdma_bind_addr$descriptor());
    static final ControlCall LISTEN = new ControlCall("rdma_listen", Rdma.rdma_listen$address(), Rdma.rdma_listen$descriptor());
    static final ControlCall RESOLVE_ADDR = new ControlCall("rdma_resolve_addr", Rdma.rdma_resolve_addr$address(),
            Rdma.rdma_resolve_addr$descriptor());
    static final ControlCall RESOLVE_ROUTE = new ControlCall("rdma_resolve_route", Rdma.rdma_resolve_route$address(),
            Rdma.rdma_resolve_route$descriptor());
    static final ControlCall CREATE_CONNECTED_QP = new ControlCall("rdma_create_qp_ex", Rdma.rdma_create_qp_ex$address(),
            Rdma.rdma_create_qp_ex$descriptor());
    static final ControlCall DESTROY_CONNECTED_QP = new ControlCall("rdma_destroy_qp", Rdma.rdma_destroy_qp$address(),
            Rdma.rdma_destroy_qp$descriptor());
    static final ControlCall CONNECT = new ControlCall("rdma_connect", Rdma.rdma_connect$address(), Rdma.rdma_connect$descriptor());
    static final ControlCall ACCEPT = new ControlCall("rdma_accept", Rdma.rdma_accept$address(), Rdma.rdma_accept$descriptor());
    static final ControlCall REJECT = new ControlCall("rdma_reject", Rdma.rdma_reject$address(), Rdma.rdma_reject$descriptor());
    static final ControlCall NOTIFY = new ControlCall("rdma_notify", Rdma.rdma_notify$address(), Rdma.rdma_notify$descriptor());
    static final ControlCall DISCONNECT = new ControlCall("rdma_disconnect", Rdma.rdma_disconnect$address(),
            Rdma.rdma_disconnect$descriptor());

    static final ControlCall POLL = new ControlCall("poll", Libc.poll$address(), Libc.poll$descriptor());
    static final ControlCall EVENTFD = new ControlCall("eventfd", Libc.eventfd$address(), Libc.eventfd$descriptor());
    static final ControlCall CLOSE = new ControlCall("close", Libc.close$address(), Libc.close$descriptor());
    static final ControlCall GETRLIMIT = new ControlCall("getrlimit", Libc.getrlimit$address(), Libc.getrlimit$descriptor());
    private static final ControlCall FCNTL = ControlCall.variadic("fcntl", Libc.fcntl.address(),
            FunctionDescriptor.of(Libc.C_INT, Libc.C_INT, Libc.C_INT, Libc.C_INT), 2);

    private Calls() {
    }

    /** Makes reading from a descriptor never wait. */
    static void doNotBlock(int fd) {
        int flags = FCNTL.number(fd, Libc.F_GETFL(), 0);
        FCNTL.succeed("make descriptor " + fd + " non-blocking", fd, Libc.F_SETFL(), flags | Libc.O_NONBLOCK());
    }
}
