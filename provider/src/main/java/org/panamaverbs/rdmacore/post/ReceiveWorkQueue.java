package org.panamaverbs.rdmacore.post;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.panamaverbs.ClosedException;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.QueuePairState;
import org.panamaverbs.ScatterGatherList;
import org.panamaverbs.SystemException;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.posix.Errno;
import org.panamaverbs.rdmacore.lifecycle.BriefLock;
import org.panamaverbs.rdmacore.memory.CoreMemoryRegion;
import org.panamaverbs.rdmacore.queue.CompletionSink;
import org.panamaverbs.spi.CompletionBuffer;

/** The receive queue of a queue pair: keeps receives until they are done. */
public final class ReceiveWorkQueue {
    private final WorkOwner owner;
    private final CompletionSink completions;
    private final BriefLock lock = new BriefLock();
    private final ReceiveChain receives;
    private final CompletionTranslator translator;

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

    public boolean post(long id, MemoryRegion region, long offset, long length) {
        lock.lock();
        try {
            checkOpen();
            if (!receives.workRing().hasRoom()) {
                return false;
            }
            int sequence = receives.begin(id);
            receives.element((CoreMemoryRegion) region, offset, length);
            return post(sequence);
        } finally {
            lock.unlock();
        }
    }

    public boolean post(long id, ScatterGatherList list) {
        lock.lock();
        try {
            checkOpen();
            if (!receives.workRing().hasRoom()) {
                return false;
            }
            int sequence = receives.begin(id);
            for (int i = 0; i < list.size(); i++) {
                receives.element((CoreMemoryRegion) list.region(i), list.offset(i), list.length(i));
            }
            return post(sequence);
        } finally {
            lock.unlock();
        }
    }

    private void checkOpen() {
        if (owner.state() == QueuePairState.CLOSED) {
            throw new ClosedException("the queue pair is closed");
        }
    }

    /** Posts each element as a receive of its own; the number posted. */
    public int post(long[] ids, ScatterGatherList list) {
        lock.lock();
        try {
            checkOpen();
            int first = receives.workRing().posted();
            int last = first;
            for (int i = 0; i < list.size() && receives.workRing().hasRoom(); i++) {
                last = receives.begin(ids[i]) + 1;
                receives.element((CoreMemoryRegion) list.region(i), list.offset(i), list.length(i));
                receives.publish(last - 1);
            }
            return last == first ? 0 : submit(first, last);
        } finally {
            lock.unlock();
        }
    }

    private boolean post(int sequence) {
        receives.publish(sequence);
        return submit(sequence, sequence + 1) == 1;
    }

    /** Submits receives to the device, if the queue pair has not ended; the number that are posted. */
    private int submit(int first, int last) {
        if (owner.state() == QueuePairState.ERROR) {
            // Requests posted during the end are flushed together with all others.
            if (owner.isFinished()) {
                flush();
            }
            return last - first;
        }
        int error = receives.submit(first, last);
        int posted = receives.refused() - first;
        if (posted == 0 && error != 0 && error != Libc.ENOMEM()) {
            throw new SystemException("cannot post a receive: ibv_post_recv: " + Errno.describe(error), error);
        }
        return posted;
    }

    /** As {@code WorkCompletionHandler.onReport}. */
    public boolean onReport(long request, CompletionBuffer polled, int index) {
        return translator.translate(request, polled, index);
    }

    public boolean isEmpty() {
        return receives.workRing().isEmpty();
    }

    /** Flushes the receives that the device does not report. */
    public void flush() {
        completions.flush(receives.workRing(), false, owner.number(), owner.attachment());
    }
}
