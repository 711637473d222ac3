package org.panamaverbs.rdmacore;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.bindings.rdma.Rdma;
import org.panamaverbs.bindings.rdma.ibv_qp;
import org.panamaverbs.bindings.rdma.rdma_cm_id;
import org.panamaverbs.rdmacore.cm.CmIdentifier;
import org.panamaverbs.rdmacore.ffi.Calls;

/** A queue pair that librdmacm made for an identifier, and destroys with it. */
@SuppressWarnings("restricted") // pointers that native code hands out have no size
final class ManagedQueuePair implements NativeQueuePair {
    private final CoreDevice device;
    private final CmIdentifier identifier;
    private final MemorySegment address;
    private boolean destroyed;

    private ManagedQueuePair(CoreDevice device, CmIdentifier identifier) {
        this.device = device;
        this.identifier = identifier;
        this.address = rdma_cm_id.qp(identifier.address()).reinterpret(ibv_qp.sizeof());
    }

    static ManagedQueuePair create(CoreProtectionDomain domain, QueuePairAttributes attributes, CmIdentifier identifier) {
        if (!identifier.whileAlive(() -> createNative(domain, attributes, identifier))) {
            throw new IllegalStateException("the connector or connection request is closed");
        }
        return new ManagedQueuePair(domain.device(), identifier);
    }

    private static void createNative(CoreProtectionDomain domain, QueuePairAttributes attributes, CmIdentifier identifier) {
        try (Arena arena = Arena.ofConfined()) {
            Calls.CREATE_CONNECTED_QP.succeed("create a queue pair on " + domain.device().name(), identifier.address(),
                    QueuePairInitAttributes.of(arena, domain, attributes, Rdma.IBV_QPT_RC()));
        }
    }

    @Override
    public MemorySegment address() {
        return address;
    }

    @Override
    public boolean whileAlive(Runnable calls) {
        boolean[] alive = new boolean[1];
        identifier.whileAlive(() -> {
            if (!destroyed) {
                calls.run();
                alive[0] = true;
            }
        });
        return alive[0];
    }

    @Override
    public void onCommunication() {
        identifier.whileAliveAndIdle(() -> Calls.NOTIFY.attempt(identifier.address(), Rdma.IBV_EVENT_COMM_EST()));
    }

    @Override
    public boolean endsAlone() {
        return false;
    }

    @Override
    public void disconnect() {
        identifier.whileAlive(() -> Calls.DISCONNECT.attempt(identifier.address()));
    }

    @Override
    public int stop() {
        int[] error = new int[1];
        whileAlive(() -> {
            if (!device.isIwarp()) {
                Calls.DISCONNECT.attempt(identifier.address());
            }
            // On iWARP this alone: disconnecting is closing in good order there, and from that siw does not flush all.
            error[0] = NativeQueuePair.becomeError(address);
        });
        return error[0];
    }

    @Override
    public void wake(String why) {
        identifier.wake(why);
    }

    @Override
    public void destroy() {
        identifier.whileAlive(() -> {
            if (!destroyed) {
                destroyed = true;
                Calls.DESTROY_CONNECTED_QP.run(identifier.address());
            }
        });
    }

    @Override
    public void release() {
        identifier.destroy();
    }
}
