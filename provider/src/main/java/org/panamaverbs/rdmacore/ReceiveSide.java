package org.panamaverbs.rdmacore;

import org.panamaverbs.Access;
import org.panamaverbs.Completions;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.QueuePairState;
import org.panamaverbs.ScatterGatherList;
import org.panamaverbs.SystemException;
import org.panamaverbs.bindings.libc.Libc;

/** The receives of a queue pair: checks what is posted, and keeps it until it is done. */
final class ReceiveSide {
    private final WorkOwner owner;
    private final RequestChecks checks;
    private final CoreCompletionQueue completions;
    private final int elements;
    private final BriefLock lock = new BriefLock();
    private final ReceiveChain receives;
    private final WorkReports reports;

    ReceiveSide(WorkOwner owner, CoreProtectionDomain domain, ReceiveChain receives, int elements, CoreCompletionQueue completions) {
        this.owner = owner;
        this.checks = new RequestChecks(domain);
        this.completions = completions;
        this.elements = elements;
        this.receives = receives;
        this.reports = new WorkReports(receives.ring(), owner, domain.device().regions(), completions, false);
    }

    /** Nothing is posted until {@link #unlock}. */
    void lock() {
        lock.lock();
    }

    void unlock() {
        lock.unlock();
    }

    boolean post(long id, MemoryRegion region, long offset, long length) {
        CoreMemoryRegion memory = checks.memory(region, offset, length, Access.LOCAL_WRITE.bit());
        checks.receive(length);
        lock.lock();
        try {
            checkOpen();
            if (!receives.ring().hasRoom()) {
                return false;
            }
            int sequence = receives.begin(id);
            receives.element(memory, offset, length);
            return post(sequence);
        } finally {
            lock.unlock();
        }
    }

    boolean post(long id, ScatterGatherList list) {
        checks.list(list, elements, Access.LOCAL_WRITE.bit());
        checks.receive(list.totalLength());
        lock.lock();
        try {
            checkOpen();
            if (!receives.ring().hasRoom()) {
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
            throw new IllegalStateException("the queue pair is closed");
        }
    }

    private boolean post(int sequence) {
        receives.publish(sequence);
        if (owner.state() == QueuePairState.ERROR) {
            // What is posted during the end is flushed together with all else.
            if (owner.isFinished()) {
                flush();
            }
            return true;
        }
        int error = receives.hand(sequence);
        if (error == 0) {
            return true;
        }
        receives.ring().abandon();
        if (error != Libc.ENOMEM()) {
            throw new SystemException("cannot post a receive: ibv_post_recv: " + Errno.describe(error), error);
        }
        return false;
    }

    /** As {@link Requester#onReport}. */
    boolean onReport(long request, Completions polled, int index) {
        return reports.on(request, polled, index);
    }

    boolean isEmpty() {
        return receives.ring().isEmpty();
    }

    /** What the device does not report is flushed. */
    void flush() {
        completions.flush(receives.ring(), owner.number());
    }
}
