package org.panamaverbs.rdmacore;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.bindings.rdma.Rdma;
import org.panamaverbs.bindings.rdma.ibv_qp;
import org.panamaverbs.rdmacore.ffi.Calls;
import org.panamaverbs.rdmacore.ffi.EfaCalls;
import org.panamaverbs.rdmacore.lifecycle.Closing;

/** A queue pair that {@code ibv_create_qp} made, and no connection manager knows. */
@SuppressWarnings("restricted") // pointers that native code hands out have no size
final class OwnQueuePair implements NativeQueuePair {
    private final MemorySegment address;
    private final Closing destroying = new Closing();
    /** Guards native calls, so that the queue pair is not destroyed under them. */
    private final Object guard = new Object();
    private boolean destroyed;

    private OwnQueuePair(MemorySegment address) {
        this.address = address;
    }

    /**
     * Makes one.
     *
     * @param what completes "cannot create ..."
     * @param type {@code IBV_QPT_...}
     */
    static OwnQueuePair create(CoreProtectionDomain domain, QueuePairAttributes attributes, String what, int type) {
        try (Arena arena = Arena.ofConfined()) {
            return new OwnQueuePair(Calls.CREATE_QP.object("create " + what + " on " + domain.device().name(), domain.address(),
                    QueuePairInitAttributes.of(arena, domain, attributes, type)).reinterpret(ibv_qp.sizeof()));
        }
    }

    /** Makes one for reliable datagrams, of EFA. */
    static OwnQueuePair createReliableDatagrams(CoreProtectionDomain domain, QueuePairAttributes attributes, String what) {
        try (Arena arena = Arena.ofConfined()) {
            return new OwnQueuePair(
                    EfaCalls.createReliableDatagrams("create " + what + " on " + domain.device().name(), domain.device().context(),
                            QueuePairInitAttributes.of(arena, domain, attributes, Rdma.IBV_QPT_DRIVER())).reinterpret(ibv_qp.sizeof()));
        }
    }

    /** Changes its attributes; the error number if the device refuses. For its creator, and within {@link #whileAlive}. */
    int modify(MemorySegment change, int mask) {
        return Calls.MODIFY_QP.attempt(address, change, mask | Rdma.IBV_QP_STATE());
    }

    @Override
    public MemorySegment address() {
        return address;
    }

    @Override
    public boolean whileAlive(Runnable calls) {
        synchronized (guard) {
            if (!destroyed) {
                calls.run();
            }
            return !destroyed;
        }
    }

    @Override
    public void onCommunication() {
        // No connection manager waits for it.
    }

    @Override
    public boolean endsAlone() {
        return true;
    }

    @Override
    public void disconnect() {
        stop();
    }

    @Override
    public int stop() {
        synchronized (guard) {
            return destroyed ? 0 : NativeQueuePair.becomeError(address);
        }
    }

    @Override
    public void wake(String why) {
        // No thread waits for a connection of it.
    }

    @Override
    public void destroy() {
        destroying.once(() -> {
            synchronized (guard) {
                destroyed = true;
            }
            // Not under the guard: it waits until its events are acknowledged, whose reader may wait for the guard.
        }, () -> Calls.DESTROY_QP.attempt(address));
    }

    @Override
    public void release() {
        // Nothing else was made.
    }
}
