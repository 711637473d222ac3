package org.panamaverbs.rdmacore;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.panamaverbs.bindings.rdma.ibv_qp;
import org.panamaverbs.bindings.rdma.ibv_qp_attr;

/** The attributes that queue pairs of the {@link StubDevice} answer, and those that change. */
@SuppressWarnings("restricted") // pointers that native code hands out have no size
final class StubQueuePairs {
    private StubQueuePairs() {
    }

    /** The {@code ibv_qp_attr} by which a queue pair took the last step to INIT, RTR or RTS. */
    static MemorySegment step(int state) {
        return ((MemorySegment) StubDevice.call("stub_step", ValueLayout.ADDRESS, state)).reinterpret(ibv_qp_attr.sizeof());
    }

    /** Which fields of {@link #step} count. */
    static int stepMask(int state) {
        return (int) StubDevice.call("stub_step_mask", ValueLayout.JAVA_INT, state);
    }

    /** The code of the RNR timer that a queue pair in RTS was given last; -1: none. */
    static int lastDelay() {
        return (int) StubDevice.call("stub_last_delay", ValueLayout.JAVA_INT);
    }

    /** The type of the one that was made last, {@code IBV_QPT_...}. */
    static int lastType() {
        return ibv_qp.qp_type(StubDevice.queuePair().reinterpret(ibv_qp.sizeof()));
    }

    /** From now on each answers this {@code ibv_qp_attr}, which is all zeros. */
    static MemorySegment answer() {
        return ((MemorySegment) StubDevice.call("stub_answer", ValueLayout.ADDRESS)).reinterpret(ibv_qp_attr.sizeof());
    }

    /** The mask of the attributes that one was asked for last. */
    static int lastQuery() {
        return (int) StubDevice.call("stub_last_query", ValueLayout.JAVA_INT);
    }

    /** Devices limit the rate of such types, {@code 1 << IBV_QPT_...}, to kilobits from now on; no session may be open. */
    static void pace(int least, int most, int types) {
        StubDevice.call("stub_pace", null, least, most, types);
    }

    /** The rate that one was limited to last; -1: none. */
    static long lastRate() {
        return (long) StubDevice.call("stub_last_rate", ValueLayout.JAVA_LONG);
    }
}
