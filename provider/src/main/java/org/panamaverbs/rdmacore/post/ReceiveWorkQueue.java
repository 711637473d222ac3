package org.panamaverbs.rdmacore.post;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.panamaverbs.ClosedException;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.QueuePairState;
import org.panamaverbs.SystemException;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.posix.Errno;
import org.panamaverbs.rdmacore.lifecycle.BriefLock;
import org.panamaverbs.rdmacore.queue.CompletionSink;
import org.panamaverbs.rdmacore.queue.WorkRing;
import org.panamaverbs.spi.CompletionBuffer;
import org.panamaverbs.spi.ReceiveWorkRequest;
import org.panamaverbs.spi.WorkRequest;

/** The receive queue of a queue pair: keeps receives until they are done. */
// Tested by ReceiveBatchFaultsTest, StatisticsFaultsTest.
public final class ReceiveWorkQueue {
    private final WorkOwner owner;
    private final CompletionSink completions;
    private final BriefLock lock = new BriefLock();
    private final ReceiveChain receives;
    private final CompletionTranslator translator;
    /** Receives of a shared queue that its queue pair took. Under the completion queue's lock, as are the next two. */
    private long sharedCompleted;
    private long sharedFailed;
    private long sharedBytes;

    /**
     * @param arena the arena that holds its requests
     */
    public ReceiveWorkQueue(Arena arena, WorkOwner owner, PostingDevice device, CompletionSink completions, MemorySegment queuePair,
            QueuePairAttributes attributes, long tag) {
        this.owner = owner;
        this.completions = completions;
        this.receives = new ReceiveChain(arena, queuePair, device, attributes, tag);
        this.translator = new CompletionTranslator(receives.workRing(), owner, device, completions, false);
    }

    /** Nothing is posted until {@link #unlock}. */
    public void lock() {
        lock.lock();
    }

    public void unlock() {
        lock.unlock();
    }

    /** Posts a receive; {@code false} if there is no room. */
    public boolean post(ReceiveWorkRequest request) {
        lock.lock();
        try {
            checkOpen();
            if (!receives.workRing().hasRoom()) {
                submit();
                return false;
            }
            receives.add(request);
            if ((request.flags() & WorkRequest.MORE) != 0 || submit()) {
                return true;
            }
            // It is the last of those that the device had no room for. Those before it wait for the next doorbell.
            receives.workRing().abandon();
            return false;
        } finally {
            lock.unlock();
        }
    }

    private void checkOpen() {
        if (owner.state() == QueuePairState.CLOSED) {
            throw new ClosedException("the queue pair is closed");
        }
    }

    /**
     * Submits the kept receives to the device, if the queue pair has not ended; {@code false} if the device had no room for all. Under the
     * lock.
     */
    private boolean submit() {
        if (owner.state() == QueuePairState.ERROR) {
            // Requests posted during the end are flushed together with all others.
            if (owner.isFinished()) {
                flush();
            }
            return true;
        }
        WorkRing ring = receives.workRing();
        if (ring.submitted() == ring.posted()) {
            return true;
        }
        int error = receives.submit();
        int refused = ring.posted() - ring.submitted();
        if (refused == 0) {
            return true;
        } else if (error != 0 && error != Libc.ENOMEM()) {
            if (owner.onRefused(false)) {
                return true;
            }
            receives.abandon();
            throw new SystemException("cannot post " + (refused == 1 ? "a receive" : "the last " + refused + " receives")
                    + ": ibv_post_recv: " + Errno.describe(error), error);
        }
        return false;
    }

    /** Starts what is kept. */
    public void ringDoorbell() {
        WorkRing ring = receives.workRing();
        if (ring.submitted() != ring.posted()) {
            lock.lock();
            try {
                checkOpen();
                submit();
            } finally {
                lock.unlock();
            }
        }
    }

    /** Whether the device is still to report something. */
    public boolean awaitsReport() {
        return receives.workRing().awaitsReport();
    }

    /** As {@code WorkCompletionHandler.onReport}. */
    public boolean onReport(long request, long completion, CompletionBuffer polled, int index) {
        return translator.translate(request, completion, polled, index);
    }

    /** A receive of a shared queue has completed for its queue pair; with the bytes of its message. Under the completion queue's lock. */
    public void onShared(long bytes, boolean isFailed) {
        sharedCompleted++;
        sharedBytes += bytes;
        sharedFailed += isFailed ? 1 : 0;
    }

    /** How many receives were posted here. */
    public long posted() {
        return receives.workRing().postedCount();
    }

    /** How many receives are done, of a shared queue as well. */
    public long completed() {
        return receives.workRing().retiredCount() + sharedCompleted;
    }

    /** How many of those failed or were flushed. */
    public long failed() {
        return receives.workRing().failedCount() + sharedFailed;
    }

    /** How many bytes the messages had that came. */
    public long bytesReceived() {
        return translator.bytesReceived() + sharedBytes;
    }

    public boolean isEmpty() {
        return receives.workRing().isEmpty();
    }

    /** Flushes the receives that the device does not report. */
    public void flush() {
        completions.flush(receives.workRing(), false, owner.number(), owner.attachment());
    }
}
