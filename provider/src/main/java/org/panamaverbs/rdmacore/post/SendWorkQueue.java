package org.panamaverbs.rdmacore.post;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.panamaverbs.ClosedException;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.QueuePairState;
import org.panamaverbs.ScatterGatherList;
import org.panamaverbs.SystemException;
import org.panamaverbs.bindings.rdma.Rdma;
import org.panamaverbs.posix.Errno;
import org.panamaverbs.rdmacore.ffi.NativeMemory;
import org.panamaverbs.rdmacore.lifecycle.BriefLock;
import org.panamaverbs.rdmacore.memory.CoreMemoryRegion;
import org.panamaverbs.rdmacore.memory.CoreMemoryWindow;
import org.panamaverbs.rdmacore.queue.CompletionSink;
import org.panamaverbs.rdmacore.queue.WorkRing;
import org.panamaverbs.spi.CompletionBuffer;
import org.panamaverbs.spi.SendOperation;

/** The send queue of a queue pair: keeps requests until they are done, and submits them to the device when there is room. */
// Tested by PostingContract, WriteReadContract.
public final class SendWorkQueue {
    /** The opcode of each {@link SendOperation}, by ordinal. */
    private static final int[] OPCODES = { Rdma.IBV_WR_SEND(), Rdma.IBV_WR_SEND_WITH_INV(), Rdma.IBV_WR_SEND_WITH_IMM(),
            Rdma.IBV_WR_RDMA_WRITE(), Rdma.IBV_WR_RDMA_WRITE_WITH_IMM(), Rdma.IBV_WR_RDMA_READ() };
    private final WorkOwner owner;
    private final CompletionSink completions;
    private final BriefLock lock = new BriefLock();
    private final SendChain sends;
    private final CompletionTranslator translator;

    /**
     * @param arena the arena that holds its requests
     */
    public SendWorkQueue(Arena arena, WorkOwner owner, PostingDevice device, CompletionSink completions, MemorySegment queuePair,
            MemorySegment extended, QueuePairAttributes attributes, long tag) {
        this.owner = owner;
        this.completions = completions;
        this.sends = new SendChain(arena, queuePair, extended, device, attributes, tag);
        this.translator = new CompletionTranslator(sends.workRing(), owner, device, completions, true);
    }

    /** Nothing is posted until {@link #unlock}. */
    public void lock() {
        lock.lock();
    }

    public void unlock() {
        lock.unlock();
    }

    /** Posts a request of one part. */
    public boolean post(SendOperation operation, long id, MemoryRegion region, long offset, long length, long remoteAddress, int remoteKey,
            int immediate, int flags) {
        lock.lock();
        try {
            if (!makeRoom()) {
                return false;
            }
            int sequence = begin(operation, id, remoteAddress, remoteKey, immediate, flags);
            sends.element((CoreMemoryRegion) region, offset, length, flags);
            return post(sequence, flags);
        } finally {
            lock.unlock();
        }
    }

    /** Posts a request of several parts. */
    public boolean post(SendOperation operation, long id, ScatterGatherList list, long remoteAddress, int remoteKey, int immediate,
            int flags) {
        lock.lock();
        try {
            if (!makeRoom()) {
                return false;
            }
            int sequence = begin(operation, id, remoteAddress, remoteKey, immediate, flags);
            elements(list, flags);
            return post(sequence, flags);
        } finally {
            lock.unlock();
        }
    }

    private int begin(SendOperation operation, long id, long remoteAddress, int remoteKey, int immediate, int flags) {
        int sequence = sends.begin(OPCODES[operation.ordinal()], id, remoteAddress, remoteKey, flags);
        if (operation == SendOperation.SEND_WITH_IMMEDIATE || operation == SendOperation.WRITE_WITH_IMMEDIATE) {
            sends.immediate(immediate);
        }
        return sequence;
    }

    private void elements(ScatterGatherList list, int flags) {
        for (int i = 0; i < list.size(); i++) {
            sends.element((CoreMemoryRegion) list.region(i), list.offset(i), list.length(i), flags);
        }
    }

    /** Posts a datagram of one part. */
    public boolean postDatagram(SendOperation operation, long id, MemoryRegion region, long offset, long length, HeldHandle to,
            NamedHandles handles, int receiver, int key, int immediate, int flags) {
        lock.lock();
        try {
            if (!makeRoom()) {
                return false;
            }
            int sequence = beginDatagram(operation, id, to, handles, receiver, key, immediate, flags);
            sends.element((CoreMemoryRegion) region, offset, length, flags);
            return postDatagram(sequence, to, handles, flags);
        } finally {
            lock.unlock();
        }
    }

    /** Posts a datagram of several parts. */
    public boolean postDatagram(SendOperation operation, long id, ScatterGatherList list, HeldHandle to, NamedHandles handles, int receiver,
            int key, int immediate, int flags) {
        lock.lock();
        try {
            if (!makeRoom()) {
                return false;
            }
            int sequence = beginDatagram(operation, id, to, handles, receiver, key, immediate, flags);
            elements(list, flags);
            return postDatagram(sequence, to, handles, flags);
        } finally {
            lock.unlock();
        }
    }

    private int beginDatagram(SendOperation operation, long id, HeldHandle to, NamedHandles handles, int receiver, int key,
            int immediate, int flags) {
        handles.releaseBefore(sends.workRing().retired());
        int sequence = sends.begin(OPCODES[operation.ordinal()], id, 0, 0, flags & ~QueuePair.FENCE);
        sends.datagram(to.address(), receiver, key);
        if (operation == SendOperation.SEND_WITH_IMMEDIATE) {
            sends.immediate(immediate);
        }
        return sequence;
    }

    private boolean postDatagram(int sequence, HeldHandle to, NamedHandles handles, int flags) {
        if (!to.hold()) {
            throw new ClosedException("the address handle is closed");
        }
        handles.name(sequence, to);
        return post(sequence, flags);
    }

    /** Sees which requests are done, and name no address handle any more. */
    public void releaseHandles(NamedHandles handles) {
        lock.lock();
        try {
            completions.drainForRoom();
            handles.releaseBefore(sends.workRing().retired());
        } finally {
            lock.unlock();
        }
    }

    /** How many requests there is memory for. */
    public int slots() {
        return sends.workRing().slots();
    }

    /** Posts an atomic; the memory is 8 bytes. */
    public boolean postAtomic(int opcode, long id, MemoryRegion region, long offset, long remoteAddress, int remoteKey,
            long comparedOrAdded,
            long swapped, int flags) {
        lock.lock();
        try {
            if (!makeRoom()) {
                return false;
            }
            int sequence = sends.begin(opcode, id, remoteAddress, remoteKey, flags);
            sends.atomic(remoteKey, comparedOrAdded, swapped);
            sends.element((CoreMemoryRegion) region, offset, Long.BYTES, flags);
            return post(sequence, flags);
        } finally {
            lock.unlock();
        }
    }

    /** Posts the binding of a memory window. */
    public boolean postBind(long id, CoreMemoryWindow window, MemoryRegion region, long offset, long length, int access, int flags) {
        if (window.isClosed()) {
            throw new ClosedException("the memory window is closed");
        }
        lock.lock();
        try {
            if (!makeRoom()) {
                return false;
            }
            int sequence = sends.begin(Rdma.IBV_WR_BIND_MW(), id, 0, 0, flags);
            sends.bind(window, (CoreMemoryRegion) region, offset, length, access);
            return post(sequence, flags);
        } finally {
            lock.unlock();
        }
    }

    /** Posts that a key of ours is no longer valid. */
    public boolean postLocalInvalidate(long id, int remoteKey, int flags) {
        lock.lock();
        try {
            return makeRoom() && post(sends.begin(Rdma.IBV_WR_LOCAL_INV(), id, 0, remoteKey, flags), flags);
        } finally {
            lock.unlock();
        }
    }

    private void checkOpen() {
        if (owner.state() == QueuePairState.CLOSED) {
            throw new ClosedException("the queue pair is closed");
        }
    }

    private void checkConnected() {
        checkOpen();
        if (owner.state() == QueuePairState.INIT) {
            throw new IllegalStateException("the queue pair is not connected: only receives can be posted yet");
        }
    }

    /**
     * Whether there is room, in a queue pair that is connected. If there is none, requests that are kept start; if none is kept, completions
     * that are not polled yet may give room.
     */
    private boolean makeRoom() {
        if (owner.state() != QueuePairState.READY_TO_SEND) {
            checkConnected();
        }
        WorkRing ring = sends.workRing();
        if (ring.hasRoom()) {
            return true;
        }
        if (ring.submitted() != ring.posted()) {
            submit();
            return false;
        }
        completions.drainForRoom();
        return ring.hasRoom();
    }

    private boolean post(int sequence, int flags) {
        sends.publish(sequence);
        if ((flags & QueuePair.MORE) == 0) {
            submit();
        }
        return true;
    }

    /** Submits the kept requests to the device. Under the lock. */
    private void submit() {
        if (owner.state() == QueuePairState.READY_TO_SEND) {
            int error = sends.submit();
            if (sends.isStalled()) {
                completions.onStalled();
            }
            if (error != 0) {
                owner.fail(new SystemException("the device refuses requests: " + sends.lastCall() + ": " + Errno.describe(error), error));
            }
        } else if (owner.isFinished()) {
            // Requests posted during the end are flushed together with all others.
            flush();
        }
    }

    /** Submits the requests that the device had no room for: it may have some now. */
    public void submitStalled() {
        if (sends.isStalled()) {
            lock.lock();
            try {
                // Closing flushes what is kept, and then gives back the memory that it is in.
                if (owner.state() != QueuePairState.CLOSED) {
                    submit();
                }
            } finally {
                lock.unlock();
            }
        }
    }

    /** How many requests it has room for. */
    public int room() {
        lock.lock();
        try {
            WorkRing ring = sends.workRing();
            if (!ring.hasRoom()) {
                completions.drainForRoom();
            }
            return ring.room();
        } finally {
            lock.unlock();
        }
    }

    /** Starts what is kept. */
    public void ringDoorbell() {
        lock.lock();
        try {
            checkOpen();
            submit();
        } finally {
            lock.unlock();
        }
    }

    /** As {@code WorkCompletionHandler.onReport}. */
    public boolean onReport(long request, CompletionBuffer polled, int index) {
        if (NativeMemory.getInt(polled.memory().address() + index * CompletionBuffer.SIZE + CompletionBuffer.STATUS) != 0
                && sends.workRing().isOutstanding((int) request)) {
            sends.onFailed((int) request);
        }
        return translator.translate(request, polled, index);
    }

    public boolean isEmpty() {
        return sends.workRing().isEmpty();
    }

    /** Whether the device is still to report something. */
    public boolean awaitsReport() {
        return sends.workRing().awaitsReport();
    }

    /** The queue pair is about to be destroyed. */
    public void release() {
        lock.lock();
        try {
            sends.release();
        } finally {
            lock.unlock();
        }
    }

    /** Flushes the requests that the device does not report. */
    public void flush() {
        sends.giveUp();
        completions.flush(sends.workRing(), true, owner.number(), owner.attachment());
    }
}
