package org.panamaverbs.rdmacore;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.function.IntSupplier;
import org.panamaverbs.ClosedException;
import org.panamaverbs.QueuePairState;
import org.panamaverbs.bindings.rdma.Rdma;
import org.panamaverbs.bindings.rdma.ibv_qp_attr;
import org.panamaverbs.bindings.rdma.ibv_qp_rate_limit_attr;
import org.panamaverbs.rdmacore.cm.TimerCodes;
import org.panamaverbs.rdmacore.ffi.Calls;
import org.panamaverbs.rdmacore.ffi.ControlCall;
import org.panamaverbs.rdmacore.ffi.ExtendedVerbs;

/** Changes a queue pair's attributes while it is connected ({@code ibv_modify_qp} from RTS to RTS). */
// Tested by ModifyFaultsTest.
final class ConnectedChanges {
    private ConnectedChanges() {
    }

    /** Sets the RNR timer; the error number, or 0. */
    static int setDelay(NativeQueuePair handle, Duration delay) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment change = ibv_qp_attr.allocate(arena).fill((byte) 0);
            ibv_qp_attr.min_rnr_timer(change, (byte) TimerCodes.ofDelay(delay));
            return Calls.MODIFY_QP.attempt(handle.address(), change, Rdma.IBV_QP_MIN_RNR_TIMER());
        }
    }

    private static int setRights(NativeQueuePair handle, int rights) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment change = ibv_qp_attr.allocate(arena).fill((byte) 0);
            ibv_qp_attr.qp_access_flags(change, rights);
            return Calls.MODIFY_QP.attempt(handle.address(), change, Rdma.IBV_QP_ACCESS_FLAGS());
        }
    }

    static void modifyDelay(CoreQueuePair queuePair, Duration delay) {
        NativeQueuePair handle = queuePair.life().handle();
        modify(queuePair, "change the RNR timer of " + queuePair + " to " + delay, Calls.MODIFY_QP, () -> setDelay(handle, delay));
    }

    static void modifyRights(CoreQueuePair queuePair, int rights) {
        NativeQueuePair handle = queuePair.life().handle();
        modify(queuePair, "change the rights of the peer of " + queuePair, Calls.MODIFY_QP, () -> setRights(handle, rights));
    }

    /** The rate is in kilobits a second. */
    static void modifyRate(CoreQueuePair queuePair, int rate) {
        NativeQueuePair handle = queuePair.life().handle();
        ControlCall call = ExtendedVerbs.modifyRateLimit(queuePair.device().context());
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment limit = ibv_qp_rate_limit_attr.allocate(arena).fill((byte) 0);
            ibv_qp_rate_limit_attr.rate_limit(limit, rate);
            modify(queuePair, "limit the rate of " + queuePair + " to " + Integer.toUnsignedString(rate) + " kbit/s", call,
                    () -> call.attempt(handle.address(), limit));
        }
    }

    private static void modify(CoreQueuePair queuePair, String action, ControlCall call, IntSupplier change) {
        check(queuePair, action);
        int[] error = new int[1];
        NativeQueuePair handle = queuePair.life().handle();
        boolean alive = handle.whileAlive(() -> error[0] = change.getAsInt());
        if (!alive || error[0] != 0 && handle.state() != Rdma.IBV_QPS_RTS()) {
            check(queuePair, action);
            throw new IllegalStateException("cannot " + action + ": its connection has ended");
        }
        if (error[0] != 0) {
            throw call.failure(action, error[0]);
        }
    }

    private static void check(CoreQueuePair queuePair, String action) {
        QueuePairState state = queuePair.state();
        if (state == QueuePairState.CLOSED) {
            throw new ClosedException("cannot " + action + ": it is closed");
        }
        if (state != QueuePairState.READY_TO_SEND) {
            throw new IllegalStateException(
                    "cannot " + action + ": it is " + (state == QueuePairState.INIT ? "not connected yet" : "not connected any more"));
        }
    }
}
