package org.panamaverbs.rdmacore;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.panamaverbs.Verbs;
import org.panamaverbs.bindings.rdma.Rdma;
import org.panamaverbs.bindings.rdma.ibv_qp_attr;
import org.panamaverbs.device.AddressVector;
import org.panamaverbs.device.PathAttributes;
import org.panamaverbs.device.QueuePairAddress;

/**
 * The steps that connect a queue pair by addresses, as {@code ibv_qp_attr}s: to RTR, from which it takes the peer's requests, and to RTS.
 * They are taken outside the locks of the work queues, because finding a neighbour can take the kernel seconds.
 *
 * @param reads how many Reads and atomics the peer may have outstanding
 * @param outboundReads how many of ours may be
 */
record PathSteps(QueuePairAddress remote, AddressVector vector, PathAttributes path, int mtu, int reads, int outboundReads) {
    private static final long TIMEOUT_UNIT = 4096;
    private static final int LONGEST_TIMEOUT = 31;
    /** The times of the codes from 1 on in units of 10 us (InfiniBand specification, 9.7.5.2.8); code 0 is 655.36 ms. */
    private static final int[] DELAYS = { 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048,
            3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152 };
    private static final long DELAY_UNIT = TimeUnit.MICROSECONDS.toNanos(10);

    /** Fills the step to RTR; gives the mask. */
    int toReceive(MemorySegment change) {
        ibv_qp_attr.qp_state(change, Rdma.IBV_QPS_RTR());
        AddressHandleFactory.fill(ibv_qp_attr.ah_attr(change), vector);
        // IBV_MTU_256 is number 1; each next is twice as long.
        ibv_qp_attr.path_mtu(change, Integer.numberOfTrailingZeros(mtu) - 7);
        ibv_qp_attr.dest_qp_num(change, remote.number());
        ibv_qp_attr.rq_psn(change, remote.sequenceNumber());
        ibv_qp_attr.max_dest_rd_atomic(change, (byte) reads);
        ibv_qp_attr.min_rnr_timer(change, (byte) delayCode(path.receiverNotReadyDelay()));
        return Rdma.IBV_QP_AV() | Rdma.IBV_QP_PATH_MTU() | Rdma.IBV_QP_DEST_QPN() | Rdma.IBV_QP_RQ_PSN() | Rdma.IBV_QP_MAX_DEST_RD_ATOMIC()
                | Rdma.IBV_QP_MIN_RNR_TIMER();
    }

    /** Fills the step to RTS; gives the mask. */
    int toSend(MemorySegment change, int sequenceNumber) {
        ibv_qp_attr.qp_state(change, Rdma.IBV_QPS_RTS());
        ibv_qp_attr.sq_psn(change, sequenceNumber);
        ibv_qp_attr.timeout(change, (byte) timeoutCode(path.acknowledgementTimeout()));
        ibv_qp_attr.retry_cnt(change, (byte) path.retries());
        ibv_qp_attr.rnr_retry(change, (byte) path.receiverNotReadyRetries());
        ibv_qp_attr.max_rd_atomic(change, (byte) outboundReads);
        return Rdma.IBV_QP_SQ_PSN() | Rdma.IBV_QP_TIMEOUT() | Rdma.IBV_QP_RETRY_CNT() | Rdma.IBV_QP_RNR_RETRY()
                | Rdma.IBV_QP_MAX_QP_RD_ATOMIC();
    }

    /** 4.096 us * 2^code is not shorter; 0 is for ever, so that 1 is the least. */
    static int timeoutCode(Duration timeout) {
        if (timeout.equals(Verbs.FOREVER)) {
            return 0;
        }
        int code = 1;
        while (code < LONGEST_TIMEOUT && TIMEOUT_UNIT << code < timeout.toNanos()) {
            code++;
        }
        return code;
    }

    /** The code of the next delay that is not shorter. */
    static int delayCode(Duration delay) {
        for (int i = 0; i < DELAYS.length; i++) {
            if (DELAYS[i] * DELAY_UNIT >= delay.toNanos()) {
                return i + 1;
            }
        }
        return 0;
    }

    @Override
    public String toString() {
        return "path MTU " + mtu + ", source index " + vector.sourceIndex() + " of port " + vector.port() + ", " + reads + " Reads in and "
                + outboundReads + " out";
    }
}
