package org.panamaverbs.softiwarp.rdmap;

import java.lang.foreign.MemorySegment;
import org.panamaverbs.Access;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.softiwarp.ddp.UpperLayer;
import org.panamaverbs.softiwarp.memory.Fault;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;
import org.panamaverbs.softiwarp.memory.SgeCursor;
import org.panamaverbs.softiwarp.queue.OutboundReads;
import org.panamaverbs.softiwarp.queue.SendQueue;
import org.panamaverbs.softiwarp.wire.Ddp;
import org.panamaverbs.softiwarp.wire.Rdmap;
import org.panamaverbs.softiwarp.wire.ReadRequest;
import org.panamaverbs.softiwarp.wire.Terminate;
import org.panamaverbs.softiwarp.wire.TerminateCode;

/** Handles inbound messages: checks them (RFC 5040, 7.2) and completes requests and receives. Only the receiving thread uses it. */
public final class Receiver implements UpperLayer {
    /** Bytes of the provider's own memory for Read Requests and Terminates. */
    public static final int CONTROL_SIZE = 128;
    private static final int TERMINATE_AT = 32;

    private final StreamResources resources;
    /** Holds Read Requests at 0 and Terminates at 32. */
    private final MemorySegment control;
    /** How many bytes of the answer to our oldest Read have come. */
    private long readBytes;
    /** How many bytes of all answers to our Reads have come. */
    private long answered;
    private int peerError = TerminateCode.NONE;
    private boolean transmissionDue;

    /**
     * Makes the receiving half.
     *
     * @param resources the queues and tables that it uses
     * @param control   native memory of {@link #CONTROL_SIZE} bytes
     */
    public Receiver(StreamResources resources, MemorySegment control) {
        this.resources = resources;
        this.control = control;
    }

    /** The error in the peer's Terminate, or {@link TerminateCode#NONE}. */
    public int peerError() {
        return peerError;
    }

    /** The payload of the last Read Request, for a Terminate that concerns it. */
    public MemorySegment readRequest() {
        return control;
    }

    /**
     * Whether the transmitting half has new work since the last call: the peer has requested a Read, or one of our Reads has ended, so that
     * requests that waited for it may start.
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
        long left = queue.total(request) - readBytes;
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
        if (Rdmap.version(ulp) != Rdmap.VERSION) {
            return TerminateCode.RDMA_VERSION;
        }
        if (!Rdmap.isFor(Rdmap.opcode(ulp), queue)) {
            return TerminateCode.RDMA_OPCODE;
        }
        switch (queue) {
            case Rdmap.SEND_QUEUE -> {
                if (!resources.receives().take(target)) {
                    return TerminateCode.UNTAGGED_NO_BUFFER;
                }
            }
            case Rdmap.READ_REQUEST_QUEUE -> target.wrap(control, 0, ReadRequest.SIZE);
            default -> target.wrap(control, TERMINATE_AT, CONTROL_SIZE - TERMINATE_AT);
        }
        return TerminateCode.NONE;
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
        resources.receives().complete(CompletionStatus.LOCAL_PROTECTION_ERROR, 0, 0, false, false, 0);
        return TerminateCode.DDP_LOCAL_CATASTROPHIC;
    }

    /** Flushes the Reads that have started, and the receives. No data may be placed after this, and no further Read may start. */
    public void flush() {
        OutboundReads reads = resources.outboundReads();
        for (long read = reads.finished(); read < reads.added(); read++) {
            resources.sendQueue().done(reads.request(read), CompletionStatus.FLUSHED, 0);
        }
        resources.sendQueue().retireDone();
        resources.receives().flush();
    }

    @Override
    public int deliverTagged(int ulp, boolean last, int length) {
        if (Rdmap.opcode(ulp) != Rdmap.READ_RESPONSE) {
            return TerminateCode.NONE;
        }
        readBytes += length;
        answered += length;
        if (!last) {
            return TerminateCode.NONE;
        }
        readBytes = 0;
        resources.sendQueue().done(resources.outboundReads().oldest(), CompletionStatus.SUCCESS, 0);
        resources.outboundReads().remove();
        transmissionDue = true;
        return resources.sendQueue().retireDone() ? TerminateCode.NONE : TerminateCode.LOCAL_CATASTROPHIC;
    }

    @Override
    public int deliverUntagged(int queue, int ulp, int word, long length) {
        return switch (queue) {
            case Rdmap.SEND_QUEUE -> deliverSend(Rdmap.opcode(ulp), word, length);
            case Rdmap.READ_REQUEST_QUEUE -> deliverReadRequest(length);
            default -> deliverTerminate(length);
        };
    }

    private int deliverSend(int opcode, int stag, long length) {
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
            // An STag is valid on all streams of its domain. A peer on one must not end the access of the others (RFC 5042, 6.4.5).
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

    private static int readError(Fault fault) {
        return switch (fault) {
            case NOT_OF_STREAM -> TerminateCode.RDMA_STAG_NOT_OF_STREAM;
            case ACCESS -> TerminateCode.RDMA_ACCESS;
            case BOUNDS -> TerminateCode.RDMA_BOUNDS;
            case WRAP -> TerminateCode.RDMA_TO_WRAP;
            default -> TerminateCode.RDMA_INVALID_STAG;
        };
    }

    private int deliverTerminate(long length) {
        peerError = length < Terminate.SIZE ? TerminateCode.RDMA_UNSPECIFIED : Terminate.error(control, TERMINATE_AT);
        long header = Terminate.ddpHeaderAt(TERMINATE_AT);
        if (TerminateCode.isRdmapProtection(peerError) && length >= Terminate.MAXIMUM_SIZE && Terminate.hasRdmaHeader(control, TERMINATE_AT)
                && Rdmap.opcode(Ddp.ulp(control, header)) == Rdmap.READ_REQUEST) {
            // The Terminate concerns one of our Reads and repeats the header of its request (RFC 5040, figure 10).
            long read = resources.outboundReads().find(Ddp.messageSequence(control, header));
            if (read >= 0) {
                resources.sendQueue().done(read, CompletionStatus.REMOTE_ACCESS_ERROR, peerError);
            }
        }
        return TerminateCode.NONE;
    }
}
