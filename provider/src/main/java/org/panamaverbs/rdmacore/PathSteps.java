package org.panamaverbs.rdmacore;

import java.lang.foreign.MemorySegment;
import org.panamaverbs.bindings.rdma.Rdma;
import org.panamaverbs.bindings.rdma.ibv_qp_attr;
import org.panamaverbs.device.AddressVector;
import org.panamaverbs.device.PathAttributes;
import org.panamaverbs.device.QueuePairAddress;
import org.panamaverbs.rdmacore.cm.TimerCodes;

/**
 * The steps that connect a queue pair by addresses, as {@code ibv_qp_attr}s: to RTR, from which it takes the peer's requests, and to RTS.
 * They are taken outside the locks of the work queues, because finding a neighbour can take the kernel seconds.
 *
 * @param isGlobal whether packets carry a global routing header
 * @param reads how many Reads and atomics the peer may have outstanding
 * @param outboundReads how many of ours may be
 */
record PathSteps(QueuePairAddress remote, AddressVector vector, boolean isGlobal, PathAttributes path, int mtu, int reads,
        int outboundReads) {
    /** Fills the step to RTR; gives the mask. */
    int toReceive(MemorySegment change) {
        ibv_qp_attr.qp_state(change, Rdma.IBV_QPS_RTR());
        AddressHandleFactory.fill(ibv_qp_attr.ah_attr(change), vector, isGlobal);
        // IBV_MTU_256 is number 1; each next is twice as long.
        ibv_qp_attr.path_mtu(change, Integer.numberOfTrailingZeros(mtu) - 7);
        ibv_qp_attr.dest_qp_num(change, remote.number());
        ibv_qp_attr.rq_psn(change, remote.sequenceNumber());
        ibv_qp_attr.max_dest_rd_atomic(change, (byte) reads);
        ibv_qp_attr.min_rnr_timer(change, (byte) TimerCodes.ofDelay(path.receiverNotReadyDelay()));
        return Rdma.IBV_QP_AV() | Rdma.IBV_QP_PATH_MTU() | Rdma.IBV_QP_DEST_QPN() | Rdma.IBV_QP_RQ_PSN() | Rdma.IBV_QP_MAX_DEST_RD_ATOMIC()
                | Rdma.IBV_QP_MIN_RNR_TIMER();
    }

    /** Fills the step to RTS; gives the mask. */
    int toSend(MemorySegment change, int sequenceNumber) {
        ibv_qp_attr.qp_state(change, Rdma.IBV_QPS_RTS());
        ibv_qp_attr.sq_psn(change, sequenceNumber);
        ibv_qp_attr.timeout(change, (byte) TimerCodes.ofTimeout(path.acknowledgementTimeout()));
        ibv_qp_attr.retry_cnt(change, (byte) path.retries());
        ibv_qp_attr.rnr_retry(change, (byte) path.receiverNotReadyRetries());
        ibv_qp_attr.max_rd_atomic(change, (byte) outboundReads);
        return Rdma.IBV_QP_SQ_PSN() | Rdma.IBV_QP_TIMEOUT() | Rdma.IBV_QP_RETRY_CNT() | Rdma.IBV_QP_RNR_RETRY()
                | Rdma.IBV_QP_MAX_QP_RD_ATOMIC();
    }

    @Override
    public String toString() {
        return "path MTU " + mtu + ", source index " + vector.sourceIndex() + " of port " + vector.port() + ", " + reads + " Reads in and "
                + outboundReads + " out";
    }
}
