package org.panamaverbs.rdmacore;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;
import org.panamaverbs.AsynchronousEvent;
import org.panamaverbs.ClosedException;
import org.panamaverbs.SystemException;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.bindings.rdma.Rdma;
import org.panamaverbs.bindings.rdma.ibv_recv_wr;
import org.panamaverbs.bindings.rdma.ibv_srq_attr;
import org.panamaverbs.bindings.rdma.ibv_srq_init_attr;
import org.panamaverbs.device.ObjectLimits;
import org.panamaverbs.posix.Errno;
import org.panamaverbs.rdmacore.event.EventSource;
import org.panamaverbs.rdmacore.event.LiveObjects;
import org.panamaverbs.rdmacore.ffi.Calls;
import org.panamaverbs.rdmacore.ffi.DataCalls;
import org.panamaverbs.rdmacore.ffi.NativeArena;
import org.panamaverbs.rdmacore.ffi.NativeMemory;
import org.panamaverbs.rdmacore.lifecycle.BriefLock;
import org.panamaverbs.rdmacore.lifecycle.Closing;
import org.panamaverbs.rdmacore.lifecycle.Completing;
import org.panamaverbs.rdmacore.post.CompletionTranslator;
import org.panamaverbs.rdmacore.post.OwnersByNumber;
import org.panamaverbs.rdmacore.post.ReceiveWriter;
import org.panamaverbs.rdmacore.post.WorkOwner;
import org.panamaverbs.rdmacore.queue.RequestSlots;
import org.panamaverbs.rdmacore.queue.SlotPool;
import org.panamaverbs.rdmacore.queue.WorkCompletionHandler;
import org.panamaverbs.spi.AbstractSharedReceiveQueue;
import org.panamaverbs.spi.CompletionBuffer;
import org.panamaverbs.spi.ReceiveWorkRequest;
import org.panamaverbs.spi.WorkRequest;
import org.panamaverbs.spi.support.Children;
import org.panamaverbs.spi.support.Rollback;

/**
 * A shared receive queue. Its receives complete in any order and in several completion queues, so they have slots in a table beside the
 * device's queue, instead of a ring. Those that no queue pair took stay the device's, whatever queue pairs come and go, and are never
 * flushed. A queue pair that ends waits briefly for the device's notice that it takes no more receives (LAST_RECEIVE_REACHED, which rxe
 * never sends).
 *
 * <p>Its lock is taken under those of completion queues, and no other is taken under it.
 */
// Tested by ReceiveBatchFaultsTest, LongReceiveFaultsTest, SharedReceiveQueueContract.
final class CoreSharedReceiveQueue extends AbstractSharedReceiveQueue implements WorkCompletionHandler, EventSource {
    private final CoreProtectionDomain domain;
    private final CoreDevice device;
    private final MemorySegment address;
    private final MemorySegment postReceive;
    private final long tag;
    private final Children users = new Children("the shared receive queue");
    private final OwnersByNumber owners = new OwnersByNumber();
    private final Closing closing = new Closing();

    /** The memory of its receives. */
    private final NativeArena arena = new NativeArena();
    private final BriefLock lock = new BriefLock();
    /** Under the lock, as are all below. */
    private final SlotPool pool;
    private final RequestSlots slots;
    private final ReceiveWriter request;
    private final long[] ids;
    private final MemorySegment bad = arena.allocate(ValueLayout.ADDRESS);
    /** The addresses of the first and the last receive that wait for a doorbell; 0 if none does. */
    private long firstKept;
    private long lastKept;
    private boolean closed;
    /** Whether the memory of receives is gone. */
    private boolean freed;

    static CoreSharedReceiveQueue create(CoreProtectionDomain domain, int depth, int elements) {
        ObjectLimits limits = domain.device().attributes().objects();
        within("depth", depth, limits.sharedReceives());
        within("elements", elements, limits.sharedReceiveElements());
        return domain.lifetime().creating(() -> {
            domain.receiveQueues().check();
            return domain.receiveQueues().adopt(new CoreSharedReceiveQueue(domain, depth, elements));
        });
    }

    private static void within(String name, int value, int most) {
        if (value < 1 || value > most) {
            throw new IllegalArgumentException(
                    "the " + name + " of a shared receive queue is 1 to " + most + " on this device, not " + value);
        }
    }

    private CoreSharedReceiveQueue(CoreProtectionDomain domain, int depth, int elements) {
        super(domain, depth, elements);
        this.domain = domain;
        this.device = domain.device();
        this.postReceive = device.ops().postSharedReceive();
        this.pool = new SlotPool(depth);
        this.ids = new long[depth];
        try (Rollback undo = new Rollback()) {
            undo.add(arena::close);
            this.slots = new RequestSlots(arena, depth, elements, ibv_recv_wr.sizeof());
            this.request = new ReceiveWriter(slots, device.posting());
            this.address = create();
            undo.add(() -> Calls.DESTROY_SRQ.attempt(address));
            this.tag = device.wrIds().reserve();
            undo.add(() -> device.wrIds().remove(tag));
            slots.number(tag);
            device.wrIds().publish(this);
            undo.commit();
        }
        LiveObjects.add(address, this);
    }

    private MemorySegment create() {
        try (Arena confined = Arena.ofConfined()) {
            MemorySegment wanted = ibv_srq_init_attr.allocate(confined).fill((byte) 0);
            MemorySegment limits = ibv_srq_init_attr.attr(wanted);
            ibv_srq_attr.max_wr(limits, depth());
            ibv_srq_attr.max_sge(limits, elements());
            return Calls.CREATE_SRQ.object("create a shared receive queue of " + depth() + " receives on " + device.name(),
                    domain.address(), wanted);
        }
    }

    MemorySegment address() {
        return address;
    }

    /** A queue pair takes from it from now on. */
    void attach(WorkOwner queuePair) {
        users.add(queuePair);
        owners.add(queuePair);
    }

    /** No completion is the queue pair's any more: its number may become that of another one. */
    void forgetNumber(WorkOwner queuePair) {
        owners.remove(queuePair);
    }

    void detach(WorkOwner queuePair) {
        users.remove(queuePair);
    }

    /** Throws if it is closed, or about to. */
    void checkParent() {
        users.check();
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
    protected boolean submitReceive(ReceiveWorkRequest work) {
        lock.lock();
        try {
            checkOpen();
            if (!pool.hasRoom()) {
                submitKept();
                return false;
            }
            keep(work);
            if ((work.flags() & WorkRequest.MORE) != 0 || submitKept()) {
                return true;
            }
            // Those before it wait for the next doorbell.
            dropLast();
            return false;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void ringDoorbell() {
        lock.lock();
        try {
            checkOpen();
            submitKept();
        } finally {
            lock.unlock();
        }
    }

    private void checkOpen() {
        if (closed) {
            throw new ClosedException("the shared receive queue is closed");
        }
    }

    /** Appends a receive to those that wait for a doorbell. */
    private void keep(ReceiveWorkRequest work) {
        int slot = pool.take();
        ids[slot] = work.id();
        long address = slots.address(slot);
        request.write(slot, work);
        setNext(address, 0);
        if (firstKept == 0) {
            firstKept = address;
        } else {
            setNext(lastKept, address);
        }
        lastKept = address;
    }

    private static long next(long request) {
        return NativeMemory.getLong(request + ibv_recv_wr.next$offset());
    }

    private static void setNext(long request, long next) {
        NativeMemory.setLong(request + ibv_recv_wr.next$offset(), next);
    }

    /** Takes the last of those that wait back. */
    private void dropLast() {
        pool.give(slots.slotAt(lastKept));
        if (firstKept == lastKept) {
            firstKept = 0;
            return;
        }
        long last = firstKept;
        while (next(last) != lastKept) {
            last = next(last);
        }
        setNext(last, 0);
        lastKept = last;
    }

    /** Submits the receives that wait to the device; {@code false} if the device had no room for all. */
    private boolean submitKept() {
        if (firstKept == 0) {
            return true;
        }
        NativeMemory.setLong(bad.address(), 0);
        int error = Math.abs(DataCalls.post(postReceive, address.address(), firstKept, bad.address()));
        long refused = NativeMemory.getLong(bad.address());
        Reference.reachabilityFence(this);
        if (refused != 0 || error == 0) {
            firstKept = refused;
        }
        if (firstKept == 0) {
            return true;
        } else if (error != 0 && error != Libc.ENOMEM()) {
            int count = 0;
            for (; firstKept != 0; count++) {
                pool.give(slots.slotAt(firstKept));
                firstKept = next(firstKept);
            }
            throw new SystemException("cannot post " + (count == 1 ? "a receive" : "the last " + count + " receives") + " to " + this
                    + ": ibv_post_srq_recv: " + Errno.describe(error), error);
        }
        return false;
    }

    @Override
    public boolean onReport(long number, long completion, CompletionBuffer polled, int index) {
        int slot = (int) number;
        int status = NativeMemory.getInt(completion + CompletionBuffer.STATUS);
        lock.lock();
        try {
            if (freed || !pool.isTaken(slot)) {
                return false;
            }
            if (status != 0) {
                status = CompletionTranslator.statusOfMemory(completion, slots, slot, device.posting());
                NativeMemory.setInt(completion + CompletionBuffer.OPCODE, CompletionBuffer.RECEIVED);
            }
            NativeMemory.setLong(completion + CompletionBuffer.ID, ids[slot]);
            pool.give(slot);
        } finally {
            lock.unlock();
        }
        long bytes = 0;
        if (status == 0) {
            CompletionTranslator.checkDirection(completion, true);
            bytes = CompletionTranslator.received(completion, device.posting());
        }
        WorkOwner owner = owners.find(NativeMemory.getInt(completion + CompletionBuffer.QUEUE_PAIR));
        // Otherwise it is gone already.
        if (owner != null) {
            owner.onShared(bytes, status);
        }
        return true;
    }

    @Override
    public Object attachment(long completion) {
        WorkOwner owner = owners.find(NativeMemory.getInt(completion + CompletionBuffer.QUEUE_PAIR));
        return owner == null ? null : owner.attachment();
    }

    @Override
    public void armLimit(int receives) {
        if (receives < 0 || receives > depth()) {
            throw new IllegalArgumentException("the limit of " + this + " is 0 to " + depth() + ", not " + receives);
        }
        lock.lock();
        try (Arena arena = Arena.ofConfined()) {
            checkOpen();
            MemorySegment change = ibv_srq_attr.allocate(arena).fill((byte) 0);
            ibv_srq_attr.srq_limit(change, receives);
            Calls.MODIFY_SRQ.succeed("arm the limit of " + this, address, change, Rdma.IBV_SRQ_LIMIT());
        } finally {
            lock.unlock();
        }
    }

    @Override
    public AsynchronousEvent.Source verbsObject() {
        return this;
    }

    @Override
    public void onAsynchronous(AsynchronousEvent.Type type) {
        // The device's listeners are notified already.
    }

    @Override
    public void afterAsynchronous(AsynchronousEvent.Type type) {
        if (type == AsynchronousEvent.Type.SHARED_RECEIVE_QUEUE_ERROR) {
            // The device takes no receive of it any more, so that peers would retry without end.
            users.open().forEach(queuePair -> ((Completing) queuePair)
                    .fail(new SystemException(this + " failed (IBV_EVENT_SRQ_ERR), and ends its queue pairs", Libc.EIO())));
        }
    }

    @Override
    public void close() {
        closing.once(() -> Completing.closeAll(users), this::destroy);
    }

    private void destroy() {
        lock.lock();
        try {
            closed = true;
        } finally {
            lock.unlock();
        }
        // Not under the lock: it waits until its events are acknowledged.
        device.lifetime().destroying(() -> Calls.DESTROY_SRQ.attempt(address));
        LiveObjects.remove(address, this);
        device.wrIds().remove(tag);
        lock.lock();
        try {
            // A thread that polls may have found this before.
            freed = true;
            arena.close();
        } finally {
            lock.unlock();
        }
        domain.receiveQueues().remove(this);
    }

    @Override
    public String toString() {
        return "a shared receive queue of " + depth() + " receives of " + device.name();
    }
}
