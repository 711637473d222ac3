package org.panamaverbs.rdmacore;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.panamaverbs.bindings.rdma.Rdma;
import org.panamaverbs.bindings.rdma.rdma_cm_event;
import org.panamaverbs.bindings.rdma.rdma_conn_param;

/** A connection event, copied out: the native one is gone once it is acknowledged. */
@SuppressWarnings("restricted") // pointers that native code hands out have no size
record CmEvent(int type, int status, MemorySegment identifier, MemorySegment listener, byte[] privateData, int responderResources,
        int initiatorDepth) {
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

    boolean isRequest() {
        return type == Rdma.RDMA_CM_EVENT_CONNECT_REQUEST();
    }

    /** Whether it says that the way to a connection goes on. */
    boolean isProgress() {
        return type == Rdma.RDMA_CM_EVENT_ADDR_RESOLVED() || type == Rdma.RDMA_CM_EVENT_ROUTE_RESOLVED() || isEstablished();
    }

    boolean isEstablished() {
        return type == Rdma.RDMA_CM_EVENT_ESTABLISHED();
    }

    boolean isEnd() {
        return type == Rdma.RDMA_CM_EVENT_DISCONNECTED() || type == Rdma.RDMA_CM_EVENT_DEVICE_REMOVAL();
    }

    /** Whether it means something to a connection that is there, or in the making. */
    boolean isNoise() {
        return type == Rdma.RDMA_CM_EVENT_TIMEWAIT_EXIT() || type == Rdma.RDMA_CM_EVENT_ADDR_CHANGE()
                || type == Rdma.RDMA_CM_EVENT_CONNECT_RESPONSE();
    }

    boolean isRejected() {
        return type == Rdma.RDMA_CM_EVENT_REJECTED();
    }
}
