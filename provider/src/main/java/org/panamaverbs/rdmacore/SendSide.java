package org.panamaverbs.rdmacore;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.panamaverbs.Access;
import org.panamaverbs.Completions;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.MemoryWindow;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.QueuePairState;
import org.panamaverbs.ScatterGatherList;
import org.panamaverbs.SystemException;
import org.panamaverbs.bindings.rdma.Rdma;

/** The send requests of a queue pair: checks what is posted, keeps it until it is done, and hands it to the device as there is room. */
final class SendSide {
    private final WorkOwner owner;
    private final RequestChecks checks;
    private final QueuePairAttributes attributes;
    private final CoreCompletionQueue completions;
    private final BriefLock lock = new BriefLock();
    private final SendChain sends;
    private final WorkReports reports;

    /**
     * @param arena where its requests live
     */
    SendSide(Arena arena, WorkOwner owner, CoreProtectionDomain domain, MemorySegment queuePair, MemorySegment extended,
            QueuePairAttributes attributes, long tag) {
        this.owner = owner;
        this.checks = new RequestChecks(domain);
        this.attributes = attributes;
        this.completions = (CoreCompletionQueue) attributes.sendQueue();
        this.sends = new SendChain(arena, queuePair, extended, domain.device(), attributes, tag);
        this.reports = new WorkReports(sends.ring(), owner, domain.device().regions(), completions, true);
    }

    /** Nothing is posted until {@link #unlock}. */
    void lock() {
        lock.lock();
    }

    void unlock() {
        lock.unlock();
    }

    /** Posts a request of one part, which needs the rights. */
    boolean post(int opcode, long id, MemoryRegion region, long offset, long length, long remoteAddress, int remoteKey, int flags,
            int rights) {
        CoreMemoryRegion memory = checks.memory(region, offset, length, rights);
        lock.lock();
        try {
            check(length, flags);
            if (!makeRoom()) {
                return false;
            }
            int sequence = sends.begin(opcode, id, remoteAddress, remoteKey, flags);
            sends.element(memory, offset, length, flags);
            return post(sequence, flags);
        } finally {
            lock.unlock();
        }
    }

    /** Posts a request of several parts. */
    boolean post(int opcode, long id, ScatterGatherList list, long remoteAddress, int remoteKey, int flags) {
        checks.list(list, attributes.sendElements(), RequestChecks.NO_RIGHT);
        lock.lock();
        try {
            check(list.totalLength(), flags);
            if (!makeRoom()) {
                return false;
            }
            int sequence = sends.begin(opcode, id, remoteAddress, remoteKey, flags);
            for (int i = 0; i < list.size(); i++) {
                sends.element((CoreMemoryRegion) list.region(i), list.offset(i), list.length(i), flags);
            }
            return post(sequence, flags);
        } finally {
            lock.unlock();
        }
    }

    /** Posts a request of several parts with immediate data. */
    boolean postImmediate(int opcode, long id, ScatterGatherList list, int immediate, int flags) {
        checks.list(list, attributes.sendElements(), RequestChecks.NO_RIGHT);
        lock.lock();
        try {
            check(list.totalLength(), flags);
            if (!makeRoom()) {
                return false;
            }
            int sequence = sends.begin(opcode, id, 0, 0, flags);
            sends.immediate(immediate);
            for (int i = 0; i < list.size(); i++) {
                sends.element((CoreMemoryRegion) list.region(i), list.offset(i), list.length(i), flags);
            }
            return post(sequence, flags);
        } finally {
            lock.unlock();
        }
    }

    /** Posts a datagram; the immediate data counts where the opcode has any. */
    boolean postDatagram(int opcode, long id, ScatterGatherList list, CoreAddressHandle to, NamedHandles handles, int receiver, int key,
            int immediate, int flags) {
        checks.list(list, attributes.sendElements(), RequestChecks.NO_RIGHT);
        lock.lock();
        try {
            check(list.totalLength(), flags);
            if (!makeRoom()) {
                return false;
            }
            handles.releaseBefore(sends.ring().retired());
            int sequence = sends.begin(opcode, id, 0, 0, flags & ~QueuePair.FENCE);
            sends.datagram(to.address(), receiver, key);
            if (opcode == Rdma.IBV_WR_SEND_WITH_IMM()) {
                sends.immediate(immediate);
            }
            for (int i = 0; i < list.size(); i++) {
                sends.element((CoreMemoryRegion) list.region(i), list.offset(i), list.length(i), flags);
            }
            if (!to.hold()) {
                throw new IllegalStateException("the address handle is closed");
            }
            handles.name(sequence, to);
            return post(sequence, flags);
        } finally {
            lock.unlock();
        }
    }

    /** Sees which requests are done, and name no address handle any more. */
    void releaseHandles(NamedHandles handles) {
        lock.lock();
        try {
            completions.drainForRoom();
            handles.releaseBefore(sends.ring().retired());
        } finally {
            lock.unlock();
        }
    }

    /** How many requests there is memory for. */
    int slots() {
        return sends.ring().slots();
    }

    /** Posts a Write with immediate data. */
    boolean postWriteImmediate(long id, MemoryRegion region, long offset, long length, long remoteAddress, int remoteKey, int immediate,
            int flags) {
        CoreMemoryRegion memory = checks.memory(region, offset, length, RequestChecks.NO_RIGHT);
        lock.lock();
        try {
            check(length, flags);
            if (!makeRoom()) {
                return false;
            }
            int sequence = sends.begin(Rdma.IBV_WR_RDMA_WRITE_WITH_IMM(), id, remoteAddress, remoteKey, flags);
            sends.immediate(immediate);
            sends.element(memory, offset, length, flags);
            return post(sequence, flags);
        } finally {
            lock.unlock();
        }
    }

    /** Posts an atomic. */
    boolean postAtomic(int opcode, long id, MemoryRegion region, long offset, long remoteAddress, int remoteKey, long comparedOrAdded,
            long swapped, int flags) {
        CoreMemoryRegion memory = checks.memory(region, offset, Long.BYTES, Access.LOCAL_WRITE.bit());
        lock.lock();
        try {
            check(Long.BYTES, flags);
            if (!makeRoom()) {
                return false;
            }
            int sequence = sends.begin(opcode, id, remoteAddress, remoteKey, flags);
            sends.atomic(remoteKey, comparedOrAdded, swapped);
            sends.element(memory, offset, Long.BYTES, flags);
            return post(sequence, flags);
        } finally {
            lock.unlock();
        }
    }

    /** Posts the binding of a memory window. */
    boolean postBind(long id, MemoryWindow window, MemoryRegion region, long offset, long length, int access, int flags) {
        CoreMemoryRegion memory = checks.window(window, region, offset, length, access);
        lock.lock();
        try {
            check(0, flags);
            if (!makeRoom()) {
                return false;
            }
            int sequence = sends.begin(Rdma.IBV_WR_BIND_MW(), id, 0, 0, flags);
            sends.bind((CoreMemoryWindow) window, memory, offset, length, access);
            return post(sequence, flags);
        } finally {
            lock.unlock();
        }
    }

    /** Posts that a key of ours is no longer valid. */
    boolean postLocalInvalidate(long id, int remoteKey, int flags) {
        lock.lock();
        try {
            check(0, flags);
            return makeRoom() && post(sends.begin(Rdma.IBV_WR_LOCAL_INV(), id, 0, remoteKey, flags), flags);
        } finally {
            lock.unlock();
        }
    }

    private void checkOpen() {
        if (owner.state() == QueuePairState.CLOSED) {
            throw new IllegalStateException("the queue pair is closed");
        }
    }

    private void check(long length, int flags) {
        if (owner.state() != QueuePairState.READY_TO_SEND) {
            checkConnected();
        }
        RequestChecks.message(length, owner.longestMessage(), flags, attributes);
    }

    private void checkConnected() {
        checkOpen();
        if (owner.state() == QueuePairState.INIT) {
            throw new IllegalStateException("the queue pair is not connected: only receives can be posted yet");
        }
    }

    /** Whether there is room. Where there is none, requests that are kept start; without such, those are seen that are done unseen. */
    private boolean makeRoom() {
        WorkRing ring = sends.ring();
        if (ring.hasRoom()) {
            return true;
        }
        if (ring.handed() != ring.posted()) {
            hand();
            return false;
        }
        completions.drainForRoom();
        return ring.hasRoom();
    }

    private boolean post(int sequence, int flags) {
        sends.publish(sequence);
        if ((flags & QueuePair.MORE) == 0) {
            hand();
        }
        return true;
    }

    /** Hands what is kept to the device. Under the lock. */
    private void hand() {
        if (owner.state() == QueuePairState.READY_TO_SEND) {
            int error = sends.hand();
            if (sends.isStalled()) {
                completions.onStalled();
            }
            if (error != 0) {
                owner.fail(new SystemException("the device refuses requests: " + sends.lastCall() + ": " + Errno.describe(error), error));
            }
        } else if (owner.isFinished()) {
            // What is posted during the end is flushed together with all else.
            flush();
        }
    }

    /** What the device had no room for may find some now. */
    void handStalled() {
        if (sends.isStalled()) {
            lock.lock();
            try {
                // Closing flushes what is kept, and then gives back the memory that it is in.
                if (owner.state() != QueuePairState.CLOSED) {
                    hand();
                }
            } finally {
                lock.unlock();
            }
        }
    }

    /** Starts what is kept. */
    void ring() {
        lock.lock();
        try {
            checkOpen();
            hand();
        } finally {
            lock.unlock();
        }
    }

    /** As {@link Requester#onReport}. */
    boolean onReport(long request, Completions polled, int index) {
        if (NativeMemory.getInt(polled.memory().address() + index * Completions.SIZE + Completions.STATUS) != 0
                && sends.ring().isOutstanding((int) request)) {
            sends.onFailed((int) request);
        }
        return reports.on(request, polled, index);
    }

    boolean isEmpty() {
        return sends.ring().isEmpty();
    }

    /** Whether the device is still to report something. */
    boolean awaitsReport() {
        return sends.ring().awaitsReport();
    }

    /** The queue pair is about to be destroyed. */
    void release() {
        lock.lock();
        try {
            sends.release();
        } finally {
            lock.unlock();
        }
    }

    /** What the device does not report is flushed. */
    void flush() {
        sends.giveUp();
        completions.flush(sends.ring(), owner.number());
    }
}
