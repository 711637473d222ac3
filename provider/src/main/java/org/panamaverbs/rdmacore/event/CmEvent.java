package org.panamaverbs.rdmacore.event;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.panamaverbs.bindings.rdma.Rdma;
import org.panamaverbs.bindings.rdma.rdma_cm_event;
import org.panamaverbs.bindings.rdma.rdma_conn_param;

/** A connection event, copied out: the native one is gone once it is acknowledged. */
@SuppressWarnings("restricted") // pointers that native code hands out have no size
public record CmEvent(int type, int status, MemorySegment identifier, MemorySegment listener, byte[] privateData, int responderResources,
        int initiatorDepth) {
    /** In the order of {@code enum rdma_cm_event_type}. */
    private static final List<String> NAMES = List.of("ADDR_RESOLVED", "ADDR_ERROR", "ROUTE_RESOLVED", "ROUTE_ERROR", "CONNECT_REQUEST",
            "CONNECT_RESPONSE", "CONNECT_ERROR", "UNREACHABLE", "REJECTED", "ESTABLISHED", "DISCONNECTED", "DEVICE_REMOVAL",
            "MULTICAST_JOIN", "MULTICAST_ERROR", "ADDR_CHANGE", "TIMEWAIT_EXIT");

    static CmEvent of(MemorySegment event) {
        MemorySegment parameters = rdma_cm_event.param.conn(rdma_cm_event.param(event));
        int length = Byte.toUnsignedInt(rdma_conn_param.private_data_len(parameters));
        MemorySegment data = rdma_conn_param.private_data(parameters);
        int type = rdma_cm_event.event(event);
        boolean hasParameters = type == Rdma.RDMA_CM_EVENT_CONNECT_REQUEST() || type == Rdma.RDMA_CM_EVENT_ESTABLISHED()
                || type == Rdma.RDMA_CM_EVENT_REJECTED();
        byte[] copy = !hasParameters || data.address() == 0 ? new byte[0] : data.reinterpret(length).toArray(ValueLayout.JAVA_BYTE);
        return new CmEvent(type, rdma_cm_event.status(event), rdma_cm_event.id(event), rdma_cm_event.listen_id(event), copy,
                Byte.toUnsignedInt(rdma_conn_param.responder_resources(parameters)),
                Byte.toUnsignedInt(rdma_conn_param.initiator_depth(parameters)));
    }

    public boolean isRequest() {
        return type == Rdma.RDMA_CM_EVENT_CONNECT_REQUEST();
    }

    /** As in C. */
    public String name() {
        return type >= 0 && type < NAMES.size() ? "RDMA_CM_EVENT_" + NAMES.get(type) : "event " + type + " of librdmacm";
    }

    /** Whether the device is going away, and the connection with it. */
    public boolean isRemoval() {
        return type == Rdma.RDMA_CM_EVENT_DEVICE_REMOVAL();
    }

    public boolean isEstablished() {
        return type == Rdma.RDMA_CM_EVENT_ESTABLISHED();
    }

    public boolean isEnd() {
        return type == Rdma.RDMA_CM_EVENT_DISCONNECTED() || isRemoval();
    }

    /** Whether the local address has moved to another port or card, to which the connection cannot follow: a bond has failed over. */
    public boolean isMove() {
        return type == Rdma.RDMA_CM_EVENT_ADDR_CHANGE();
    }

    /** Whether it means nothing to a connection that is there, or in the making. */
    public boolean isNoise() {
        return type == Rdma.RDMA_CM_EVENT_TIMEWAIT_EXIT() || type == Rdma.RDMA_CM_EVENT_CONNECT_RESPONSE();
    }

    public boolean isRejected() {
        return type == Rdma.RDMA_CM_EVENT_REJECTED();
    }
}
