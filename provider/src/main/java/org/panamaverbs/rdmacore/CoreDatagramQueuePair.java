package org.panamaverbs.rdmacore;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.panamaverbs.AsynchronousEvent;
import org.panamaverbs.DatagramQueuePair;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.QueuePairState;
import org.panamaverbs.Rollback;
import org.panamaverbs.ScatterGatherList;
import org.panamaverbs.VerbsException;
import org.panamaverbs.bindings.rdma.Rdma;
import org.panamaverbs.bindings.rdma.ibv_qp;
import org.panamaverbs.bindings.rdma.ibv_qp_attr;
import org.panamaverbs.device.QueuePairAddress;
import org.panamaverbs.device.QueuePairPort;
import org.panamaverbs.rdmacore.event.AsynchronousErrors;
import org.panamaverbs.rdmacore.event.EventSource;
import org.panamaverbs.rdmacore.event.LiveObjects;
import org.panamaverbs.rdmacore.ffi.Calls;
import org.panamaverbs.rdmacore.lifecycle.Draining;
import org.panamaverbs.rdmacore.lifecycle.QueuePairEnd;
import org.panamaverbs.rdmacore.post.WorkOwner;
import org.panamaverbs.rdmacore.probe.PortTables;
import org.panamaverbs.rdmacore.probe.Ports;
import org.panamaverbs.rdmacore.queue.WorkCompletionHandler;
import org.panamaverbs.spi.AbstractQueuePair;
import org.panamaverbs.spi.CompletionBuffer;
import org.panamaverbs.spi.ObjectChecks;
import org.panamaverbs.spi.WorkRequest;

/** A queue pair for datagrams: ready as soon as it is made, since it has no connection. */
// Tested by FlushFaultsTest, DatagramContract.
final class CoreDatagramQueuePair extends AbstractQueuePair
        implements
            DatagramQueuePair,
            WorkCompletionHandler,
            WorkOwner,
            Draining,
            EventSource {
    private final CoreProtectionDomain domain;
    private final CoreDevice device;
    private final QueuePairPort port;
    private final int queueKey;
    private final OwnQueuePair handle;
    private final MemorySegment address;
    private final int number;
    private final long tag;
    private final WorkQueues queues;
    private final QueuePairEnd end = new QueuePairEnd();
    private final Teardown<CoreDatagramQueuePair> teardown;
    private volatile QueuePairState state = QueuePairState.READY_TO_SEND;

    static CoreDatagramQueuePair create(CoreProtectionDomain domain, QueuePairAttributes attributes, QueuePairPort port, int queueKey) {
        ObjectChecks.queuePair(domain.device(), domain, attributes);
        domain.device().checkPort(port.number());
        PortTables.check(domain.device().context(), domain.device().name(), port);
        return domain.device().creating(() -> {
            QueuePairInitAttributes.checkOpen(domain, attributes);
            return new CoreDatagramQueuePair(domain, attributes, port, queueKey);
        });
    }

    private CoreDatagramQueuePair(CoreProtectionDomain domain, QueuePairAttributes attributes, QueuePairPort port, int queueKey) {
        super(domain, attributes, Ports.activeMtu(domain.device().context(), domain.device().name(), port.number()));
        this.domain = domain;
        this.device = domain.device();
        this.port = port;
        this.queueKey = queueKey;
        this.handle = OwnQueuePair.create(domain, attributes, "a queue pair for datagrams", Rdma.IBV_QPT_UD());
        this.address = handle.address();
        this.number = ibv_qp.qp_num(address);
        try (Rollback undo = new Rollback()) {
            undo.add(handle::destroy);
            makeReady();
            this.tag = device.wrIds().add(this);
            undo.add(() -> device.wrIds().remove(this));
            this.queues = new WorkQueues(this, domain, address, attributes, tag);
            this.teardown = new Teardown<>(this, device, handle, queues, end);
            undo.commit();
            // From here on, its parents may close it.
            undo.add(this::close);
            LiveObjects.add(address, this);
            queues.attach();
            undo.commit();
        }
    }

    private void makeReady() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment change = ibv_qp_attr.allocate(arena).fill((byte) 0);
            ibv_qp_attr.port_num(change, (byte) port.number());
            ibv_qp_attr.pkey_index(change, (short) port.partitionKeyIndex());
            ibv_qp_attr.qkey(change, queueKey);
            become(change, Rdma.IBV_QPS_INIT(), Rdma.IBV_QP_PKEY_INDEX() | Rdma.IBV_QP_PORT() | Rdma.IBV_QP_QKEY());
            become(change, Rdma.IBV_QPS_RTR(), 0);
            become(change, Rdma.IBV_QPS_RTS(), Rdma.IBV_QP_SQ_PSN());
        }
    }

    private void become(MemorySegment change, int next, int mask) {
        ibv_qp_attr.qp_state(change, next);
        int error = handle.modify(change, mask);
        if (error != 0) {
            throw Calls.MODIFY_QP.failure("make a queue pair for datagrams ready on " + device.name(), error);
        }
    }

    @Override
    public CoreDevice device() {
        return device;
    }

    @Override
    public CoreProtectionDomain domain() {
        return domain;
    }

    @Override
    public long tag() {
        return tag;
    }

    @Override
    public int number() {
        return number;
    }

    @Override
    public QueuePairAddress address() {
        if (state == QueuePairState.CLOSED) {
            throw new IllegalStateException("the queue pair is closed");
        }
        return PortTables.address(device.context(), device.name(), port, number, 0, queueKey, 0);
    }

    @Override
    public int queueKey() {
        return queueKey;
    }

    @Override
    public QueuePairState state() {
        return state;
    }

    @Override
    protected boolean submitReceive(long id, MemoryRegion region, long offset, long length) {
        return queues.receives().post(id, region, offset, length);
    }

    @Override
    protected boolean submitReceive(long id, ScatterGatherList list) {
        return queues.receives().post(id, list);
    }

    @Override
    protected int submitReceives(long[] ids, ScatterGatherList list) {
        return queues.receives().post(ids, list);
    }

    @Override
    protected int outboundReads() {
        return -1;
    }

    @Override
    protected boolean submit(WorkRequest request) {
        return queues.sends().post(request);
    }

    /** Sees which requests are done, and so name no address handle any more. */
    void releaseHandles() {
        queues.sends().releaseHandles();
    }

    @Override
    public int sendRoom() {
        return queues.sends().room();
    }

    @Override
    public void ringDoorbell() {
        queues.sends().ringDoorbell();
    }

    @Override
    public boolean onReport(long request, CompletionBuffer polled, int index) {
        return queues.onReport(request, polled, index);
    }

    @Override
    public Object attachment() {
        return attributes().attachment();
    }

    @Override
    public Object attachment(CompletionBuffer polled, int index) {
        return attributes().attachment();
    }

    @Override
    public void onFailure(boolean isSend, int status) {
        // A request that fails takes no connection with it; if it took the queue pair, the others are flushed by the device.
    }

    @Override
    public void onAsynchronous(AsynchronousEvent.Type type) {
        if (type == AsynchronousEvent.Type.LAST_RECEIVE_REACHED) {
            queues.onLastReceive();
        }
        AsynchronousErrors.failure(type).ifPresent(this::fail);
    }

    /** The reason is what the completions say, or an asynchronous event: a queue pair for datagrams has no failure to ask for. */
    @Override
    public void fail(VerbsException reason) {
        if (end.begin(false)) {
            queues.whileNothingIsPosted(() -> {
                if (state != QueuePairState.CLOSED) {
                    state = QueuePairState.ERROR;
                }
            });
            teardown.stop();
            device.reader().drainLater(this);
        }
    }

    @Override
    public boolean tryDrain() {
        return end.isFinished() || teardown.drain(() -> {
            // A request that fails has no peer to blame.
        });
    }

    @Override
    public boolean isFinished() {
        return end.isFinished();
    }

    @Override
    public void close() {
        teardown.close(() -> state = QueuePairState.CLOSED, this::releaseHandles);
    }

    @Override
    public String toString() {
        return "datagram queue pair " + number + " of " + device.name();
    }
}
