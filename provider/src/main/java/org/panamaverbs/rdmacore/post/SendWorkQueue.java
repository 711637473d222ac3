package org.panamaverbs.rdmacore.post;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.panamaverbs.ClosedException;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.QueuePairState;
import org.panamaverbs.SystemException;
import org.panamaverbs.posix.Errno;
import org.panamaverbs.rdmacore.ffi.NativeMemory;
import org.panamaverbs.rdmacore.lifecycle.BriefLock;
import org.panamaverbs.rdmacore.lifecycle.KeepAlive;
import org.panamaverbs.rdmacore.memory.CoreMemoryWindow;
import org.panamaverbs.rdmacore.queue.CompletionSink;
import org.panamaverbs.rdmacore.queue.WorkRing;
import org.panamaverbs.spi.CompletionBuffer;
import org.panamaverbs.spi.SendOperation;
import org.panamaverbs.spi.SendWorkRequest;
import org.panamaverbs.spi.SendWorkRequest.Part;

/** The send queue of a queue pair: keeps requests until they are done, and submits them to the device when there is room. */
// Tested by PostingContract, WriteReadContract.
public final class SendWorkQueue implements KeepAlive.Probed {
    private final WorkOwner owner;
    private final CompletionSink completions;
    private final BriefLock lock = new BriefLock();
    private final SendChain sends;
    private final CompletionTranslator translator;
    /** How many requests were posted when {@link #probe} was called last, and what it posts. Under the lock. */
    private long postedBefore;
    private SendWorkRequest probe;
    /** Those that datagrams name; {@code null} before the first. Under the lock. */
    private NamedHandles handles;

    /**
     * @param arena the arena that holds its requests
     */
    public SendWorkQueue(Arena arena, WorkOwner owner, PostingDevice device, CompletionSink completions, MemorySegment queuePair,
            QueuePairAttributes attributes, long tag) {
        this.owner = owner;
        this.completions = completions;
        this.sends = new SendChain(arena, queuePair, device, attributes, tag);
        this.translator = new CompletionTranslator(sends.workRing(), owner, device, completions, true);
    }

    /** Nothing is posted until {@link #unlock}. */
    public void lock() {
        lock.lock();
    }

    public void unlock() {
        lock.unlock();
    }

    /** Posts a request; {@code false} if there is no room. */
    public boolean post(SendWorkRequest request) {
        if (request.operation() == SendOperation.BIND && ((CoreMemoryWindow) request.window()).isClosed()) {
            throw new ClosedException("the memory window is closed");
        }
        lock.lock();
        try {
            QueuePairState state = owner.state();
            if (state != QueuePairState.READY_TO_SEND) {
                checkConnected(state);
            }
            if (!makeRoom()) {
                return false;
            }
            int sequence = sends.begin(request);
            if (request.has(Part.RECEIVER)) {
                name(sequence, (HeldHandle) request.handle());
            }
            sends.publish(sequence, request);
            if ((request.flags() & SendWorkRequest.MORE) == 0) {
                submit(state);
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** By a Write of 0 bytes. */
    @Override
    public void probe() {
        lock.lock();
        try {
            WorkRing ring = sends.workRing();
            long posted = ring.postedCount();
            boolean unused = posted == postedBefore;
            postedBefore = posted;
            QueuePairState state = owner.state();
            if (!unused || state != QueuePairState.READY_TO_SEND || ring.submitted() != ring.posted()) {
                return;
            }
            // A program that does not poll sees no failure of the last probe.
            completions.drainForRoom();
            if (!ring.awaitsReport()) {
                if (probe == null) {
                    probe = new SendWorkRequest();
                }
                probe.begin(SendOperation.WRITE, 0);
                sends.publish(sends.beginProbe(probe), probe);
                postedBefore++;
                submit(state);
            }
        } finally {
            lock.unlock();
        }
    }

    /** How many requests were posted. */
    public long posted() {
        return sends.workRing().postedCount();
    }

    /** How many of them are done. */
    public long completed() {
        return sends.workRing().retiredCount();
    }

    /** How many of those failed or were flushed. */
    public long failed() {
        return sends.workRing().failedCount();
    }

    /** The payload of the Sends and Writes that were posted, in bytes. */
    public long bytesSent() {
        lock.lock();
        try {
            return sends.bytesSent();
        } finally {
            lock.unlock();
        }
    }

    /** The payload of the Reads that were posted, in bytes. */
    public long bytesRead() {
        lock.lock();
        try {
            return sends.bytesRead();
        } finally {
            lock.unlock();
        }
    }

    private void name(int sequence, HeldHandle handle) {
        if (handles == null) {
            handles = new NamedHandles(sends.workRing().slots());
        }
        handles.releaseBefore(sends.workRing().retired());
        if (!handle.hold()) {
            throw new ClosedException("the address handle is closed");
        }
        handles.name(sequence, handle);
    }

    /** Sees which requests are done, and name no address handle any more. */
    public void releaseHandles() {
        lock.lock();
        try {
            completions.drainForRoom();
            if (handles != null) {
                handles.releaseBefore(sends.workRing().retired());
            }
        } finally {
            lock.unlock();
        }
    }

    private void checkOpen() {
        if (owner.state() == QueuePairState.CLOSED) {
            throw new ClosedException("the queue pair is closed");
        }
    }

    private static void checkConnected(QueuePairState state) {
        if (state == QueuePairState.CLOSED) {
            throw new ClosedException("the queue pair is closed");
        } else if (state == QueuePairState.INIT) {
            throw new IllegalStateException("the queue pair is not connected: only receives can be posted yet");
        }
    }

    /**
     * Whether there is room. If there is none, requests that are kept start; if none is kept, completions that are not polled yet may give
     * room.
     */
    private boolean makeRoom() {
        WorkRing ring = sends.workRing();
        if (ring.hasRoom()) {
            return true;
        }
        if (ring.submitted() != ring.posted()) {
            submit(owner.state());
            return false;
        }
        completions.drainForRoom();
        return ring.hasRoom();
    }

    /**
     * Submits the kept requests to the device. Under the lock.
     *
     * @param state that of the queue pair
     */
    private void submit(QueuePairState state) {
        if (state == QueuePairState.READY_TO_SEND) {
            int error = sends.submit();
            if (sends.isStalled()) {
                completions.onStalled();
                // A poll may have made room before it could see that, and no other need follow.
                error = sends.submit();
            }
            if (error != 0 && !owner.onRefused(true)) {
                owner.fail(
                        new SystemException("the device refuses requests: " + sends.refusedCall() + ": " + Errno.describe(error), error));
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
                    submit(owner.state());
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
            submit(owner.state());
        } finally {
            lock.unlock();
        }
    }

    /** As {@code WorkCompletionHandler.onReport}. */
    public boolean onReport(long request, long completion, CompletionBuffer polled, int index) {
        if (NativeMemory.getInt(completion + CompletionBuffer.STATUS) != 0 && sends.workRing().isOutstanding((int) request)) {
            sends.onFailed((int) request);
        }
        return translator.translate(request, completion, polled, index);
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
