package org.panamaverbs.softiwarp.rdmap;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.panamaverbs.Access;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.softiwarp.ddp.UpperLayer;
import org.panamaverbs.softiwarp.memory.Fault;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;
import org.panamaverbs.softiwarp.memory.SgeCursor;
import org.panamaverbs.softiwarp.queue.OutboundReads;
import org.panamaverbs.softiwarp.queue.SendQueue;
import org.panamaverbs.softiwarp.wire.AtomicRequest;
import org.panamaverbs.softiwarp.wire.AtomicResponse;
import org.panamaverbs.softiwarp.wire.Ddp;
import org.panamaverbs.softiwarp.wire.NetworkOrder;
import org.panamaverbs.softiwarp.wire.Rdmap;
import org.panamaverbs.softiwarp.wire.ReadRequest;
import org.panamaverbs.softiwarp.wire.Terminate;
import org.panamaverbs.softiwarp.wire.TerminateCode;

/**
 * Handles inbound messages: checks them (RFC 5040, 7.2; RFC 7306, 8.2) and completes requests and receives. Only the receiving thread uses
 * it.
 *
 * <p>If an Immediate Data message follows a Write, the two are a Write with immediate data (RFC 7306, 1), and the receive completes as one.
 * Answers to our Reads and atomics may come between the two.
 */
public final class Receiver implements UpperLayer {
    /** Bytes of the provider's own memory for messages that go to no memory of a program. */
    public static final int CONTROL_SIZE = 176;
    /** Read Requests and Atomic Requests lie at 0. */
    private static final int TERMINATE_AT = 56;
    private static final int LONGEST_TERMINATE = 96;
    private static final int ATOMIC_RESPONSE_AT = TERMINATE_AT + LONGEST_TERMINATE;
    private static final int IMMEDIATE_AT = ATOMIC_RESPONSE_AT + 16;
    /** The most bytes of a message (RFC 5041, 5.2). */
    private static final long LONGEST_MESSAGE = 0xFFFF_FFFFL;

    /** Whether the first message is yet to come, and may be the ready-to-receive indication, which is no message of the peer's program. */
    private enum Opening {
        /** A Write of no bytes may be it. */
        WRITE,
        /** A Send of no bytes may be it, or such a Write. */
        SEND_OR_WRITE,
        /** The message under way is that Send. */
        IN_SEND,
        /** The first message has come, or no indication is expected. */
        OVER
    }

    private final StreamResources resources;
    private final boolean extensions;
    private final MemorySegment control;
    private Opening opening = Opening.OVER;
    /** Whether the last message was a complete Write. */
    private boolean wrote;
    /** The number of bytes that have come of the last Write or of the current one. */
    private long written;
    /** How many bytes of the answer to our oldest Read have come. */
    private long readBytes;
    /** How many bytes of all answers to our Reads have come. */
    private long answered;
    private int peerError = TerminateCode.NONE;
    private boolean transmissionDue;

    /**
     * Makes the receiving half.
     *
     * @param resources  the queues and tables that it uses
     * @param extensions whether it takes the messages of RFC 7306; if not, it refuses them as RFC 5040 says
     * @param control    native memory of {@link #CONTROL_SIZE} bytes
     */
    public Receiver(StreamResources resources, boolean extensions, MemorySegment control) {
        this.resources = resources;
        this.extensions = extensions;
        this.control = control;
    }

    /**
     * Takes an empty Send, if it is the first message, for the ready-to-receive indication (RFC 6581, 9.2). The program does not see it.
     */
    public void awaitReadySend() {
        opening = Opening.SEND_OR_WRITE;
    }

    @Override
    public boolean needsNoBuffer(int queue, int ulp) {
        if (opening == Opening.SEND_OR_WRITE && Rdmap.version(ulp) == Rdmap.VERSION && Rdmap.opcode(ulp) == Rdmap.SEND
                && queue == Rdmap.SEND_QUEUE) {
            opening = Opening.IN_SEND;
        }
        return opening == Opening.IN_SEND;
    }

    /** The peer may begin with an empty Write as its ready-to-receive indication (RFC 6581, 9.2). */
    public void expectReady() {
        opening = Opening.WRITE;
    }

    /** The error in the peer's Terminate, or {@link TerminateCode#NONE}. */
    public int peerError() {
        return peerError;
    }

    /** Begins with the payload of the last Read Request, for a Terminate that concerns it. */
    public MemorySegment readRequest() {
        return control;
    }

    /**
     * Whether the transmitting half has new work since the last call: the peer has requested a Read or an atomic, or one of ours has ended,
     * and requests that waited for it may start.
     */
    public boolean takeTransmissionDue() {
        boolean due = transmissionDue;
        transmissionDue = false;
        return due;
    }

    /** Whether a part of the answer to a Read of ours has come, and not all of it. */
    public boolean isInAnswer() {
        return readBytes > 0;
    }

    /** How many bytes of the answers to our Reads have come. */
    public long answered() {
        return answered;
    }

    @Override
    public boolean hasLocalPlace(int ulp) {
        return Rdmap.opcode(ulp) == Rdmap.READ_RESPONSE;
    }

    @Override
    public boolean ownsBuffers(int queue) {
        return queue != Rdmap.SEND_QUEUE || !resources.receives().isShared();
    }

    @Override
    public int onTagged(int ulp, boolean last, int stag, long offset, int length, SgeCursor target) {
        if (Rdmap.version(ulp) != Rdmap.VERSION) {
            return TerminateCode.RDMA_VERSION;
        }
        return switch (Rdmap.opcode(ulp)) {
            case Rdmap.WRITE -> onWrite(stag, offset, length, target);
            case Rdmap.READ_RESPONSE -> onReadResponse(last, stag, offset, length, target);
            default -> TerminateCode.RDMA_OPCODE;
        };
    }

    private int onWrite(int stag, long offset, int length, SgeCursor target) {
        if (length == 0) {
            // The STag and TO must not be checked (RFC 5041, 5.2).
            return TerminateCode.NONE;
        }
        RegisteredMemory memory = resources.table().find(stag);
        if (memory == null) {
            return TerminateCode.TAGGED_INVALID_STAG;
        }
        Fault fault = resources.check(memory, stag, Access.REMOTE_WRITE.bit(), offset, length);
        if (fault == Fault.NONE) {
            target.wrap(memory, offset - memory.base(), length);
            return TerminateCode.NONE;
        }
        return switch (fault) {
            case NOT_OF_STREAM -> TerminateCode.TAGGED_STAG_NOT_OF_STREAM;
            case BOUNDS -> TerminateCode.TAGGED_BOUNDS;
            case WRAP -> TerminateCode.TAGGED_TO_WRAP;
            // DDP has no code for a missing right: the STag is not valid for Writes of this peer. siw sends the same code.
            default -> TerminateCode.TAGGED_INVALID_STAG;
        };
    }

    /** A Read Response repeats the sink's STag and TO and carries exactly the bytes of the request: checks each segment for that. */
    private int onReadResponse(boolean last, int stag, long offset, int length, SgeCursor target) {
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
        long at = queue.sinkOffset(request) + readBytes;
        if (offset != sink.base() + at) {
            return TerminateCode.TAGGED_BOUNDS;
        }
        target.wrap(sink, at, length);
        return TerminateCode.NONE;
    }

    @Override
    public int onUntagged(int queue, int ulp, SgeCursor target) {
        opening = Opening.OVER;
        if (Rdmap.version(ulp) != Rdmap.VERSION) {
            return TerminateCode.RDMA_VERSION;
        }
        int opcode = Rdmap.opcode(ulp);
        if (!Rdmap.isFor(opcode, queue) || Rdmap.isExtension(opcode) && !extensions) {
            return TerminateCode.RDMA_OPCODE;
        }
        switch (queue) {
            case Rdmap.SEND_QUEUE -> {
                if (!resources.receives().take(target)) {
                    return TerminateCode.UNTAGGED_NO_BUFFER;
                }
                if (Rdmap.isImmediate(opcode)) {
                    // The message takes a receive, but places nothing into the memory of the receive.
                    target.wrap(control, IMMEDIATE_AT, Rdmap.IMMEDIATE_SIZE);
                }
            }
            case Rdmap.READ_REQUEST_QUEUE -> {
                // Before RDMAP looks at the request: DDP's buffers are the IRD (RFC 5041, 7.1).
                if (resources.inboundReads().isFull()) {
                    return TerminateCode.UNTAGGED_NO_BUFFER;
                }
                target.wrap(control, 0, opcode == Rdmap.ATOMIC_REQUEST ? AtomicRequest.SIZE : ReadRequest.SIZE);
            }
            case Rdmap.ATOMIC_RESPONSE_QUEUE -> {
                if (!isAtomicUnderWay()) {
                    return TerminateCode.RDMA_OPCODE;
                }
                target.wrap(control, ATOMIC_RESPONSE_AT, AtomicResponse.SIZE);
            }
            default -> target.wrap(control, TERMINATE_AT, LONGEST_TERMINATE);
        }
        return TerminateCode.NONE;
    }

    /** Whether our oldest request that the peer has not answered is an atomic. */
    private boolean isAtomicUnderWay() {
        OutboundReads requests = resources.outboundReads();
        return !requests.isEmpty() && requests.oldest() != OutboundReads.READY
                && resources.sendQueue().operation(requests.oldest()).isAtomic();
    }

    @Override
    public int onChanged(int ulp) {
        return Rdmap.version(ulp) != Rdmap.VERSION ? TerminateCode.RDMA_VERSION : TerminateCode.RDMA_OPCODE;
    }

    @Override
    public void onTooLong(int queue) {
        if (queue == Rdmap.SEND_QUEUE) {
            resources.receives().complete(CompletionStatus.LOCAL_LENGTH_ERROR, TerminateCode.UNTAGGED_TOO_LONG, 0, false, false, 0);
        }
    }

    @Override
    public int onBadTaggedMemory(int ulp) {
        if (!hasLocalPlace(ulp)) {
            // For the peer, the region that it writes to is gone.
            return TerminateCode.TAGGED_INVALID_STAG;
        }
        resources.sendQueue().done(resources.outboundReads().oldest(), CompletionStatus.LOCAL_PROTECTION_ERROR, 0);
        return TerminateCode.DDP_LOCAL_CATASTROPHIC;
    }

    @Override
    public int onBadUntaggedMemory(int queue) {
        if (queue == Rdmap.SEND_QUEUE) {
            resources.receives().complete(CompletionStatus.LOCAL_PROTECTION_ERROR, 0, 0, false, false, 0);
        }
        return TerminateCode.DDP_LOCAL_CATASTROPHIC;
    }

    /**
     * Flushes the Reads and atomics that have started, and the receives. After this no thread may place data, and no further Read may
     * start.
     */
    public void flush() {
        OutboundReads reads = resources.outboundReads();
        for (long read = reads.finished(); read < reads.added(); read++) {
            if (reads.request(read) != OutboundReads.READY) {
                resources.sendQueue().done(reads.request(read), CompletionStatus.FLUSHED, 0);
            }
        }
        resources.sendQueue().retireDone();
        resources.receives().flush();
    }

    @Override
    public int deliverTagged(int ulp, boolean last, int length) {
        if (Rdmap.opcode(ulp) != Rdmap.READ_RESPONSE) {
            return deliverWrite(last, length);
        }
        readBytes += length;
        answered += length;
        if (!last) {
            return TerminateCode.NONE;
        }
        readBytes = 0;
        return completeOldest();
    }

    private int deliverWrite(boolean last, int length) {
        written = wrote ? length : written + length;
        wrote = last && !(opening != Opening.OVER && written == 0);
        opening = Opening.OVER;
        // A completion has 32 bits for the length.
        return written <= LONGEST_MESSAGE ? TerminateCode.NONE : TerminateCode.RDMA_UNSPECIFIED;
    }

    /** The peer has answered our oldest Read or atomic. */
    private int completeOldest() {
        if (resources.outboundReads().oldest() != OutboundReads.READY) {
            resources.sendQueue().done(resources.outboundReads().oldest(), CompletionStatus.SUCCESS, 0);
        }
        resources.outboundReads().remove();
        transmissionDue = true;
        return resources.sendQueue().retireDone() ? TerminateCode.NONE : TerminateCode.LOCAL_CATASTROPHIC;
    }

    @Override
    public int deliverUntagged(int queue, int ulp, int word, long length) {
        if (queue == Rdmap.ATOMIC_RESPONSE_QUEUE) {
            return deliverAtomicResponse(length);
        }
        int opcode = Rdmap.opcode(ulp);
        int error = switch (opcode) {
            case Rdmap.IMMEDIATE, Rdmap.IMMEDIATE_SOLICITED -> deliverImmediate(opcode, length);
            case Rdmap.READ_REQUEST -> deliverReadRequest(length);
            case Rdmap.ATOMIC_REQUEST -> deliverAtomicRequest(length);
            case Rdmap.TERMINATE -> deliverTerminate(length);
            default -> deliverSend(opcode, word, length);
        };
        opening = Opening.OVER;
        wrote = false;
        written = 0;
        return error;
    }

    private int deliverImmediate(int opcode, long length) {
        if (length != Rdmap.IMMEDIATE_SIZE) {
            return TerminateCode.RDMA_UNSPECIFIED;
        }
        boolean room = resources.receives().completeImmediate(wrote, wrote ? written : 0, Rdmap.isSolicited(opcode),
                control.get(NetworkOrder.LONG, IMMEDIATE_AT));
        return room ? TerminateCode.NONE : TerminateCode.LOCAL_CATASTROPHIC;
    }

    private int deliverSend(int opcode, int stag, long length) {
        if (opening == Opening.IN_SEND) {
            return TerminateCode.NONE;
        }
        boolean invalidates = Rdmap.invalidates(opcode);
        if (invalidates) {
            int error = invalidate(stag);
            if (error != TerminateCode.NONE) {
                return error;
            }
        }
        boolean room = resources.receives().complete(CompletionStatus.SUCCESS, 0, length, Rdmap.isSolicited(opcode), invalidates, stag);
        return room ? TerminateCode.NONE : TerminateCode.LOCAL_CATASTROPHIC;
    }

    private int invalidate(int stag) {
        RegisteredMemory memory = resources.table().find(stag);
        if (memory == null || !memory.hold(stag) || memory.isRetired()) {
            return TerminateCode.RDMA_INVALID_STAG;
        }
        if (!memory.isOf(resources.domain()) || !memory.isInvalidatedBy(resources.queuePair())) {
            // An STag is valid on all streams of its domain. A peer of one stream must not end the access of other peers (RFC 5042, 6.4.5).
            return TerminateCode.RDMA_CANNOT_INVALIDATE;
        }
        if (memory.isBinding()) {
            // The window keeps its index of the table.
            memory.retire();
        } else {
            resources.table().remove(memory);
        }
        return TerminateCode.NONE;
    }

    private int deliverReadRequest(long length) {
        if (length != ReadRequest.SIZE) {
            return TerminateCode.RDMA_UNSPECIFIED;
        }
        int sinkStag = ReadRequest.sinkStag(control, 0);
        long sinkOffset = ReadRequest.sinkOffset(control, 0);
        long size = ReadRequest.length(control, 0);
        RegisteredMemory source = null;
        long at = 0;
        if (size > 0) {
            int stag = ReadRequest.sourceStag(control, 0);
            source = resources.table().find(stag);
            if (source == null) {
                return TerminateCode.RDMA_INVALID_STAG;
            }
            long offset = ReadRequest.sourceOffset(control, 0);
            Fault fault = resources.check(source, stag, Access.REMOTE_READ.bit(), offset, size);
            if (fault != Fault.NONE) {
                return readError(fault);
            }
            at = offset - source.base();
        }
        transmissionDue = true;
        return resources.inboundReads().add(sinkStag, sinkOffset, size, source, at) ? TerminateCode.NONE : TerminateCode.UNTAGGED_NO_BUFFER;
    }

    /** Checks an Atomic Request. The transmitting half then performs and answers it in its turn. */
    private int deliverAtomicRequest(long length) {
        if (length != AtomicRequest.SIZE) {
            return TerminateCode.RDMA_UNSPECIFIED;
        }
        int operation = AtomicRequest.operation(control, 0);
        if (!AtomicRequest.isDefined(operation)) {
            return TerminateCode.RDMA_OPCODE;
        }
        RegisteredMemory target = resources.table().find(AtomicRequest.stag(control, 0));
        if (target == null) {
            return TerminateCode.RDMA_INVALID_STAG;
        }
        long offset = AtomicRequest.offset(control, 0);
        Fault fault = resources.check(target, AtomicRequest.stag(control, 0), Access.REMOTE_ATOMIC.bit(), offset, Long.BYTES);
        if (fault != Fault.NONE) {
            return readError(fault);
        }
        long at = offset - target.base();
        if (!AtomicUnit.isAligned(target, at)) {
            return TerminateCode.RDMA_STREAM_CATASTROPHIC;
        }
        transmissionDue = true;
        boolean room = resources.inboundReads().addAtomic(operation, AtomicRequest.identifier(control, 0), target, at,
                AtomicRequest.data(control, 0), AtomicRequest.mask(control, 0), AtomicRequest.compareData(control, 0),
                AtomicRequest.compareMask(control, 0));
        return room ? TerminateCode.NONE : TerminateCode.UNTAGGED_NO_BUFFER;
    }

    private int deliverAtomicResponse(long length) {
        if (length != AtomicResponse.SIZE || !isAtomicUnderWay()) {
            return TerminateCode.RDMA_UNSPECIFIED;
        }
        SendQueue queue = resources.sendQueue();
        long request = resources.outboundReads().oldest();
        if (AtomicResponse.identifier(control, ATOMIC_RESPONSE_AT) != (int) request) {
            return TerminateCode.RDMA_UNSPECIFIED;
        }
        if (!putValue(queue.sink(request), queue.sinkOffset(request), AtomicResponse.value(control, ATOMIC_RESPONSE_AT))) {
            queue.done(request, CompletionStatus.LOCAL_PROTECTION_ERROR, 0);
            return TerminateCode.DDP_LOCAL_CATASTROPHIC;
        }
        answered += Long.BYTES;
        return completeOldest();
    }

    private static boolean putValue(RegisteredMemory sink, long offset, long value) {
        if (!sink.enter()) {
            return false;
        }
        try {
            sink.segment().set(ValueLayout.JAVA_LONG_UNALIGNED, offset, value);
            sink.settle();
            return true;
        } catch (IllegalStateException | InternalError e) {
            // The arena is closed, or a mapped file was truncated.
            return false;
        } finally {
            sink.exit();
        }
    }

    private static int readError(Fault fault) {
        return switch (fault) {
            case NOT_OF_STREAM -> TerminateCode.RDMA_STAG_NOT_OF_STREAM;
            case ACCESS -> TerminateCode.RDMA_ACCESS;
            case BOUNDS -> TerminateCode.RDMA_BOUNDS;
            case WRAP -> TerminateCode.RDMA_TO_WRAP;
            default -> TerminateCode.RDMA_INVALID_STAG;
        };
    }

    /** Returns the error that the peer reports: nothing may follow a Terminate (RFC 5040, 5.4), so no message behind it counts. */
    private int deliverTerminate(long length) {
        peerError = length < Terminate.SIZE ? TerminateCode.RDMA_UNSPECIFIED : Terminate.error(control, TERMINATE_AT);
        if (length >= Terminate.SIZE_WITH_DDP_HEADER) {
            failRequest(length);
        }
        return peerError;
    }

    /** Completes the request that the Terminate names, if it names one. */
    private void failRequest(long length) {
        long header = Terminate.ddpHeaderAt(TERMINATE_AT);
        switch (Rdmap.opcode(Ddp.ulp(control, header))) {
            case Rdmap.READ_REQUEST -> {
                // The Terminate concerns one of our Reads and repeats the header of its request (RFC 5040, figure 10).
                if (TerminateCode.isRdmapProtection(peerError) && length >= Terminate.MAXIMUM_SIZE
                        && Terminate.hasRdmaHeader(control, TERMINATE_AT)) {
                    fail(Ddp.messageSequence(control, header), false, CompletionStatus.REMOTE_ACCESS_ERROR);
                }
            }
            case Rdmap.ATOMIC_REQUEST -> {
                // The Terminate concerns one of our atomics, and has no RDMA header (RFC 7306, 8.1).
                if (Terminate.hasDdpHeader(control, TERMINATE_AT)) {
                    fail(Ddp.messageSequence(control, header), true, TerminateCode.isRdmapProtection(peerError)
                            ? CompletionStatus.REMOTE_ACCESS_ERROR
                            : CompletionStatus.REMOTE_INVALID_REQUEST_ERROR);
                }
            }
            default -> {
                // The Terminate concerns no request that waits for an answer.
            }
        }
    }

    /** Completes a Read or an atomic with an error, by the message sequence number of its request. */
    private void fail(int messageSequence, boolean atomic, CompletionStatus status) {
        long request = resources.outboundReads().find(messageSequence);
        if (request >= 0 && resources.sendQueue().operation(request).isAtomic() == atomic) {
            resources.sendQueue().done(request, status, peerError);
        }
    }
}
