package org.panamaverbs.rdmacore;

import java.lang.foreign.MemorySegment;
import java.util.OptionalLong;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.rdmacore.ffi.NativeArena;
import org.panamaverbs.rdmacore.lifecycle.QueuePairEnd;
import org.panamaverbs.rdmacore.post.PostingDevice;
import org.panamaverbs.rdmacore.post.ReceiveWorkQueue;
import org.panamaverbs.rdmacore.post.SendWorkQueue;
import org.panamaverbs.rdmacore.post.WorkOwner;
import org.panamaverbs.rdmacore.queue.CompletionStash;
import org.panamaverbs.rdmacore.queue.WrIdTable;
import org.panamaverbs.spi.CompletionBuffer;
import org.panamaverbs.spi.support.Rollback;
import org.panamaverbs.statistics.QueuePairStatistics;

/**
 * The two work queues of a queue pair of any kind, and what they have in common. If the queue pair takes its receives from a shared queue,
 * its own receive queue stays empty.
 */
// Tested by StatisticsFaultsTest, FlushFaultsTest.
final class WorkQueues {
    /** The memory of all requests. */
    private final NativeArena arena = new NativeArena();
    private final WorkOwner owner;
    private final CoreProtectionDomain domain;
    private final CoreCompletionQueue sendCompletions;
    private final CoreCompletionQueue receiveCompletions;
    private final CoreSharedReceiveQueue shared;
    private final SendWorkQueue sends;
    private final ReceiveWorkQueue receives;
    private final CompletionStash early = new CompletionStash();
    private volatile boolean tookLast;

    /**
     * @param tag the tag that its requests carry
     */
    WorkQueues(WorkOwner owner, CoreProtectionDomain domain, MemorySegment queuePair, QueuePairAttributes attributes, long tag) {
        this.owner = owner;
        this.domain = domain;
        this.sendCompletions = (CoreCompletionQueue) attributes.sendQueue();
        this.receiveCompletions = (CoreCompletionQueue) attributes.receiveQueue();
        this.shared = (CoreSharedReceiveQueue) attributes.sharedReceiveQueue();
        PostingDevice device = domain.device().posting();
        QueuePairAttributes own = shared == null ? attributes : attributes.withDepths(attributes.sendDepth(), 1);
        try (Rollback undo = new Rollback()) {
            undo.add(arena::close);
            this.sends = new SendWorkQueue(arena, owner, device, sendCompletions, queuePair, attributes, tag);
            this.receives = new ReceiveWorkQueue(arena, owner, device, receiveCompletions, queuePair, own, tag);
            undo.commit();
        }
    }

    SendWorkQueue sends() {
        return sends;
    }

    /** The work queue to which receives are posted. */
    ReceiveWorkQueue receives() {
        return receives;
    }

    /**
     * From now on it closes with each object that it depends on.
     *
     * @param connects whether receives that complete are kept until {@link #deliverEarly}
     */
    void attach(boolean connects) {
        if (connects) {
            receiveCompletions.keepEarly(owner);
        }
        domain.queuePairs().add(owner);
        sendCompletions.attach(owner);
        receiveCompletions.attach(owner);
        if (shared != null) {
            shared.attach(owner);
        }
        sendCompletions.senders().add(sends);
    }

    /** Receives that completed before the queue pair was connected; under the lock of their completion queue. */
    CompletionStash early() {
        return early;
    }

    /** The program finds the connection, or there will be none: receives that have completed are delivered. */
    void deliverEarly() {
        receiveCompletions.deliverEarly(owner);
    }

    /**
     * No completion is found to be the queue pair's by its number any more, which the device may give to another queue pair once this one is
     * destroyed. What the device has reported is taken already.
     */
    void forgetNumber() {
        deliverEarly();
        if (shared != null) {
            shared.forgetNumber(owner);
        }
    }

    void detach() {
        sendCompletions.senders().remove(sends);
        if (shared != null) {
            shared.detach(owner);
        }
        sendCompletions.detach(owner);
        receiveCompletions.detach(owner);
        domain.queuePairs().remove(owner);
    }

    /**
     * Gives back the memory of requests. The queue pair is closed, so that nothing is posted, and removed from the table of {@code wr_id}s, so
     * that no thread finds it that polls from now on.
     */
    void free() {
        sendCompletions.awaitPoll();
        receiveCompletions.awaitPoll();
        whileNothingIsPosted(arena::close);
    }

    void whileNothingIsPosted(Runnable action) {
        sends.lock();
        receives.lock();
        try {
            action.run();
        } finally {
            receives.unlock();
            sends.unlock();
        }
    }

    /** As {@code WorkCompletionHandler.onReport}. */
    boolean onReport(long request, long completion, CompletionBuffer polled, int index) {
        return (request & WrIdTable.SEND) != 0 ? sends.onReport(request, completion, polled, index)
                : receives.onReport(request, completion, polled, index);
    }

    /** The device says that it takes no more from the shared queue. */
    void onLastReceive() {
        tookLast = true;
    }

    /**
     * The counts of the queue pair. The device reports nothing of what the peer Reads and Writes, and no frames.
     *
     * @param header the length of what comes before each message in its receive, in bytes
     */
    QueuePairStatistics statistics(int header) {
        // Threads that poll count under these locks.
        sendCompletions.awaitPoll();
        receiveCompletions.awaitPoll();
        // The counts of requests that are done are read first, so they never exceed those that were posted.
        long requestsDone = sends.completed();
        long receivesDone = receives.completed();
        long receivesFailed = receives.failed();
        return new Snapshot(OptionalLong.of(sends.posted()), OptionalLong.of(requestsDone), OptionalLong.of(sends.failed()),
                shared == null ? OptionalLong.of(receives.posted()) : OptionalLong.empty(), OptionalLong.of(receivesDone),
                OptionalLong.of(receivesFailed), OptionalLong.of(sends.bytesSent()),
                OptionalLong.of(sends.bytesRead() + receives.bytesReceived() - header * (receivesDone - receivesFailed)));
    }

    private record Snapshot(OptionalLong requestsPosted, OptionalLong requestsCompleted, OptionalLong requestsFailed,
            OptionalLong receivesPosted, OptionalLong receivesCompleted, OptionalLong receivesFailed, OptionalLong bytesSent,
            OptionalLong bytesReceived) implements QueuePairStatistics {
        @Override
        public String toString() {
            return describe();
        }
    }

    /** Takes what the device has reported; {@code true} once it will report nothing more. */
    boolean isSilent(QueuePairEnd end) {
        drain();
        boolean isEmpty = sends.isEmpty() && receives.isEmpty() && (shared == null || tookLast);
        return end.isSilent(awaitsReport(), isEmpty);
    }

    /** Takes what the device has reported. */
    void drain() {
        sendCompletions.drain();
        receiveCompletions.drain();
    }

    /** Whether the device is still to report something. */
    boolean awaitsReport() {
        return sends.awaitsReport() || receives.awaitsReport();
    }

    /** Flushes the requests that the device did not report. While nothing is posted. */
    void flush() {
        deliverEarly();
        sends.flush();
        receives.flush();
    }
}
