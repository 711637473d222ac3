package org.panamaverbs.rdmacore;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.panamaverbs.AsynchronousEvent;
import org.panamaverbs.DatagramQueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.QueuePairState;
import org.panamaverbs.VerbsException;
import org.panamaverbs.bindings.rdma.Rdma;
import org.panamaverbs.bindings.rdma.ibv_qp_attr;
import org.panamaverbs.device.QueuePairAddress;
import org.panamaverbs.device.QueuePairPort;
import org.panamaverbs.rdmacore.event.AsynchronousErrors;
import org.panamaverbs.rdmacore.ffi.Calls;
import org.panamaverbs.rdmacore.probe.PortTables;
import org.panamaverbs.rdmacore.probe.Ports;
import org.panamaverbs.spi.ObjectChecks;
import org.panamaverbs.spi.support.Rollback;

/** A queue pair for datagrams, unreliable or reliable: ready as soon as it is made, since it has no connection. */
// Tested by FlushFaultsTest, EfaFaultsTest, DatagramContract.
final class CoreDatagramQueuePair extends WorkQueuePair implements DatagramQueuePair {
    private final QueuePairPort port;
    private final int queueKey;
    private final boolean reliable;

    static CoreDatagramQueuePair create(CoreProtectionDomain domain, QueuePairAttributes attributes, QueuePairPort port, int queueKey,
            boolean reliable) {
        CoreDevice device = domain.device();
        ObjectChecks.queuePair(device, domain, attributes);
        device.checkPort(port.number());
        PortTables.check(device.context(), device.name(), port);
        return device.lifetime().creating(() -> {
            QueuePairInitAttributes.checkOpen(domain, attributes);
            // EFA's packets have other lengths than verbs have numbers for.
            long longest = reliable ? device.attributes().maximumMessageSize()
                    : Ports.activeMtu(device.context(), device.name(), port.number());
            OwnQueuePair handle = reliable ? OwnQueuePair.createReliableDatagrams(domain, attributes, "a queue pair for reliable datagrams")
                    : OwnQueuePair.create(domain, attributes, "a queue pair for datagrams", Rdma.IBV_QPT_UD());
            try (Rollback undo = new Rollback()) {
                undo.add(handle::destroy);
                makeReady(device, handle, port, queueKey);
                CoreDatagramQueuePair queuePair = new CoreDatagramQueuePair(domain, attributes, handle, longest, port, queueKey, reliable);
                undo.commit();
                return queuePair;
            }
        });
    }

    private CoreDatagramQueuePair(CoreProtectionDomain domain, QueuePairAttributes attributes, OwnQueuePair handle, long longest,
            QueuePairPort port, int queueKey, boolean reliable) {
        super(domain, attributes, handle, longest);
        this.port = port;
        this.queueKey = queueKey;
        this.reliable = reliable;
    }

    private static void makeReady(CoreDevice device, OwnQueuePair handle, QueuePairPort port, int queueKey) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment change = ibv_qp_attr.allocate(arena).fill((byte) 0);
            ibv_qp_attr.port_num(change, (byte) port.number());
            ibv_qp_attr.pkey_index(change, (short) port.partitionKeyIndex());
            ibv_qp_attr.qkey(change, queueKey);
            become(device, handle, change, Rdma.IBV_QPS_INIT(), Rdma.IBV_QP_PKEY_INDEX() | Rdma.IBV_QP_PORT() | Rdma.IBV_QP_QKEY());
            become(device, handle, change, Rdma.IBV_QPS_RTR(), 0);
            become(device, handle, change, Rdma.IBV_QPS_RTS(), Rdma.IBV_QP_SQ_PSN());
        }
    }

    private static void become(CoreDevice device, OwnQueuePair handle, MemorySegment change, int next, int mask) {
        ibv_qp_attr.qp_state(change, next);
        int error = handle.modify(change, mask);
        if (error != 0) {
            throw Calls.MODIFY_QP.failure("make a queue pair for datagrams ready on " + device.name(), error);
        }
    }

    @Override
    public QueuePairAddress address() {
        if (state() == QueuePairState.CLOSED) {
            throw new IllegalStateException("the queue pair is closed");
        }
        return PortTables.address(device().context(), device().name(), port, number(), 0, queueKey, 0);
    }

    @Override
    public int queueKey() {
        return queueKey;
    }

    @Override
    public boolean isReliable() {
        return reliable;
    }

    @Override
    protected int outboundReads() {
        return -1;
    }

    /** Sees which requests are done, and so name no address handle any more. */
    void releaseHandles() {
        queues().sends().releaseHandles();
    }

    @Override
    public void onFailure(boolean isSend, int status) {
        // A request that fails takes no connection with it; if it took the queue pair, the others are flushed by the device.
    }

    @Override
    public boolean onRefused(boolean isSend) {
        // No event follows that ends it.
        return false;
    }

    @Override
    public void onAsynchronous(AsynchronousEvent.Type type) {
        if (type == AsynchronousEvent.Type.LAST_RECEIVE_REACHED) {
            queues().onLastReceive();
        }
        AsynchronousErrors.failure(type).ifPresent(this::fail);
    }

    /** The reason is what the completions say, or an asynchronous event: a queue pair for datagrams has no failure to ask for. */
    @Override
    public void fail(VerbsException reason) {
        if (end().begin(false)) {
            becomeError();
            life().stop();
            device().reader().drainLater(this);
        }
    }

    @Override
    public boolean tryDrain() {
        return isFinished() || life().drain(() -> {
            // A request that fails has no peer to blame.
        });
    }

    @Override
    void onDestroyed() {
        releaseHandles();
    }

    @Override
    public String toString() {
        return (reliable ? "reliable datagram" : "datagram") + " queue pair " + number() + " of " + device().name();
    }
}
