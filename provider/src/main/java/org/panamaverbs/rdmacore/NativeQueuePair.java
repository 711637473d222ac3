package org.panamaverbs.rdmacore;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.panamaverbs.bindings.rdma.Rdma;
import org.panamaverbs.bindings.rdma.ibv_qp_attr;
import org.panamaverbs.bindings.rdma.ibv_qp_init_attr;
import org.panamaverbs.rdmacore.ffi.Calls;

/** The device's queue pair: librdmacm made it for a connection ({@link ManagedQueuePair}), or this provider itself ({@link OwnQueuePair}). */
interface NativeQueuePair {
    /** Its {@code ibv_qp}. */
    MemorySegment address();

    /** Makes native calls on it; none, and {@code false}, if it is destroyed. */
    boolean whileAlive(Runnable calls);

    /** Something arrived before the connection was established. */
    void onCommunication();

    /** Whether it ends locally, without a disconnect handshake. */
    boolean endsAlone();

    /** Tells the peer that the connection ends. */
    void disconnect();

    /** The device flushes what it has; the error number if the device refuses. 0 also if it is destroyed. */
    int stop();

    /** Threads that wait for its connection are to stop. */
    void wake(String why);

    /** Destroys it, once; every thread returns when that is done. No lock is held: this waits until all its events are acknowledged. */
    void destroy();

    /** It is destroyed, and nothing finds the owner any more: all else that was made for it goes. */
    void release();

    /**
     * Asks the device for its attributes; the error number if the device refuses.
     *
     * @param answer an {@code ibv_qp_attr} of zeros
     * @param mask   which of them
     */
    static int query(MemorySegment queuePair, MemorySegment answer, int mask) {
        try (Arena arena = Arena.ofConfined()) {
            return Calls.QUERY_QP.attempt(queuePair, answer, mask, ibv_qp_init_attr.allocate(arena).fill((byte) 0));
        }
    }

    /** Its state as the device has it, {@code IBV_QPS_...}; ready to send if the device does not say. */
    default int state() {
        int[] state = { Rdma.IBV_QPS_RTS() };
        whileAlive(() -> {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment found = ibv_qp_attr.allocate(arena).fill((byte) 0);
                if (query(address(), found, Rdma.IBV_QP_STATE()) == 0) {
                    state[0] = ibv_qp_attr.qp_state(found);
                }
            }
        });
        return state[0];
    }

    /** Puts a queue pair into error. */
    static int becomeError(MemorySegment queuePair) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment change = ibv_qp_attr.allocate(arena).fill((byte) 0);
            ibv_qp_attr.qp_state(change, Rdma.IBV_QPS_ERR());
            return Calls.MODIFY_QP.attempt(queuePair, change, Rdma.IBV_QP_STATE());
        }
    }
}
