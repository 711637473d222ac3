package org.panamaverbs.softiwarp.rdmap;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;
import org.panamaverbs.softiwarp.memory.SgeCursor;
import org.panamaverbs.softiwarp.queue.OutboundReads;
import org.panamaverbs.softiwarp.queue.SendQueue;
import org.panamaverbs.softiwarp.wire.AtomicResponse;
import org.panamaverbs.softiwarp.wire.TerminateCode;

/** Handles the answers to our Reads and atomics: checks them against the requests and completes these. The peer answers in our order. */
// Tested by ReadDepthTest, AtomicStreamTest, LiarTest.
final class InboundAnswers {
    private final StreamResources resources;
    private final MemorySegment control;
    private final long at;
    /** How many bytes of the answer to our oldest Read have come. */
    private long readBytes;
    /** How many bytes of the answers to all Reads have come. */
    private long bytesRead;
    /** How many bytes of the answers to all atomics have come. */
    private long atomicBytes;
    private boolean due;

    /** Makes one; {@code control} has room for an Atomic Response at {@code at}. */
    InboundAnswers(StreamResources resources, MemorySegment control, long at) {
        this.resources = resources;
        this.control = control;
        this.at = at;
    }

    /** Whether a Read or an atomic of ours has ended since the last call: requests that waited for it may start. */
    boolean takeDue() {
        boolean was = due;
        due = false;
        return was;
    }

    /** Whether a part of the answer to a Read of ours has come, and not all of it. */
    boolean isInAnswer() {
        return readBytes > 0;
    }

    /** How many bytes of the answers to our Reads and atomics have come. */
    long answered() {
        return bytesRead + atomicBytes;
    }

    /** How many bytes of the answers to our Reads have come. */
    long bytesRead() {
        return bytesRead;
    }

    /** A Read Response repeats the sink's STag and TO and carries exactly the bytes of the request: checks each segment for that. */
    int onTagged(boolean last, int stag, long offset, int length, SgeCursor target) {
        if (resources.outboundReads().isEmpty()) {
            return TerminateCode.RDMA_OPCODE;
        }
        SendQueue queue = resources.sendQueue();
        long request = resources.outboundReads().oldest();
        if (request != OutboundReads.READY && queue.operation(request) != SendQueue.Operation.READ) {
            // The peer answers in the order of our requests, and the oldest is an atomic.
            return TerminateCode.RDMA_OPCODE;
        }
        long left = request == OutboundReads.READY ? 0 : queue.total(request) - readBytes;
        if (length > left || last != (length == left)) {
            return TerminateCode.TAGGED_BOUNDS;
        }
        if (length == 0) {
            return TerminateCode.NONE;
        }
        RegisteredMemory sink = queue.sink(request);
        if (sink == null || stag != sink.stag()) {
            return TerminateCode.TAGGED_INVALID_STAG;
        }
        long place = queue.sinkOffset(request) + readBytes;
        if (offset != sink.base() + place) {
            return TerminateCode.TAGGED_BOUNDS;
        }
        target.wrap(sink, place, length);
        return TerminateCode.NONE;
    }

    int deliverTagged(boolean last, int length) {
        readBytes += length;
        bytesRead += length;
        if (!last) {
            return TerminateCode.NONE;
        }
        readBytes = 0;
        return completeOldest();
    }

    int onBadMemory() {
        resources.sendQueue().done(resources.outboundReads().oldest(), CompletionStatus.LOCAL_PROTECTION_ERROR, 0);
        return TerminateCode.DDP_LOCAL_CATASTROPHIC;
    }

    int onUntagged(SgeCursor target) {
        if (!isAtomicUnderWay()) {
            return TerminateCode.RDMA_OPCODE;
        }
        target.wrap(control, at, AtomicResponse.SIZE);
        return TerminateCode.NONE;
    }

    int deliverUntagged(long length) {
        if (length != AtomicResponse.SIZE || !isAtomicUnderWay()) {
            return TerminateCode.RDMA_UNSPECIFIED;
        }
        SendQueue queue = resources.sendQueue();
        long request = resources.outboundReads().oldest();
        if (AtomicResponse.identifier(control, at) != (int) request) {
            return TerminateCode.RDMA_UNSPECIFIED;
        }
        if (!putValue(queue.sink(request), queue.sinkOffset(request), AtomicResponse.value(control, at))) {
            queue.done(request, CompletionStatus.LOCAL_PROTECTION_ERROR, 0);
            return TerminateCode.DDP_LOCAL_CATASTROPHIC;
        }
        atomicBytes += Long.BYTES;
        return completeOldest();
    }

    /** Whether our oldest request that the peer has not answered is an atomic. */
    private boolean isAtomicUnderWay() {
        OutboundReads requests = resources.outboundReads();
        return !requests.isEmpty() && requests.oldest() != OutboundReads.READY
                && resources.sendQueue().operation(requests.oldest()).isAtomic();
    }

    /** The peer has answered our oldest Read or atomic. */
    private int completeOldest() {
        if (resources.outboundReads().oldest() != OutboundReads.READY) {
            resources.sendQueue().done(resources.outboundReads().oldest(), CompletionStatus.SUCCESS, 0);
        }
        resources.outboundReads().remove();
        due = true;
        return resources.sendQueue().retireDone() ? TerminateCode.NONE : TerminateCode.LOCAL_CATASTROPHIC;
    }

    private static boolean putValue(RegisteredMemory sink, long offset, long value) {
        if (!sink.enter()) {
            return false;
        }
        try {
            sink.segment().set(ValueLayout.JAVA_LONG_UNALIGNED, offset, value);
            sink.endCopy();
            return true;
        } catch (IllegalStateException | InternalError e) {
            // The arena is closed, or a mapped file was truncated.
            return false;
        } finally {
            sink.exit();
        }
    }

    /** Flushes the Reads and atomics that have started. */
    void flush() {
        OutboundReads reads = resources.outboundReads();
        for (long read = reads.finished(); read < reads.added(); read++) {
            if (reads.request(read) != OutboundReads.READY) {
                resources.sendQueue().done(reads.request(read), CompletionStatus.FLUSHED, 0);
            }
        }
        resources.sendQueue().retireDone();
    }

    /** Completes a Read or an atomic with an error, by the message sequence number of its request. */
    void fail(int messageSequence, boolean atomic, CompletionStatus status, int vendorError) {
        long request = resources.outboundReads().find(messageSequence);
        if (request >= 0 && resources.sendQueue().operation(request).isAtomic() == atomic) {
            resources.sendQueue().done(request, status, vendorError);
        }
    }
}
