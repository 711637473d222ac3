package org.panamaverbs.rdmacore;

import org.panamaverbs.PeerException;
import org.panamaverbs.SystemException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.bindings.rdma.Rdma;

/** What asynchronous events of queue pairs mean. */
final class AsynchronousErrors {
    private AsynchronousErrors() {
    }

    static boolean isOfQueuePair(int type) {
        return type == Rdma.IBV_EVENT_QP_FATAL() || type == Rdma.IBV_EVENT_QP_REQ_ERR() || type == Rdma.IBV_EVENT_QP_ACCESS_ERR()
                || type == Rdma.IBV_EVENT_COMM_EST();
    }

    /** The failure that an event tells of, or {@code null}. */
    static VerbsException failure(int type) {
        if (type == Rdma.IBV_EVENT_QP_ACCESS_ERR()) {
            return new PeerException(
                    "access error: the peer named a key, address or right that it does not have (IBV_EVENT_QP_ACCESS_ERR)");
        } else if (type == Rdma.IBV_EVENT_QP_REQ_ERR()) {
            return new PeerException("the peer sent an invalid request (IBV_EVENT_QP_REQ_ERR)");
        } else if (type == Rdma.IBV_EVENT_QP_FATAL()) {
            return new PeerException("the queue pair failed on an inbound message, or inside (IBV_EVENT_QP_FATAL)");
        } else if (type == Rdma.IBV_EVENT_COMM_EST()) {
            return null;
        }
        return new SystemException("the queue pair failed: asynchronous event " + type, 0);
    }
}
