package org.panamaverbs.softiwarp.rdmap;

import java.lang.foreign.MemorySegment;
import org.panamaverbs.softiwarp.memory.Fault;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;
import org.panamaverbs.softiwarp.memory.SgeCursor;
import org.panamaverbs.softiwarp.wire.AtomicRequest;
import org.panamaverbs.softiwarp.wire.Rdmap;
import org.panamaverbs.softiwarp.wire.ReadRequest;
import org.panamaverbs.softiwarp.wire.TerminateCode;
import org.panamaverbs.spi.AccessFlags;

/**
 * Handles the peer's Read Requests and Atomic Requests: checks them (RFC 5040, 7.2; RFC 7306, 8.2) and queues them for the
 * {@link ReadResponder}.
 */
final class InboundRequests {
    private final StreamResources resources;
    private final MemorySegment control;
    private boolean due;

    /** Makes one; {@code control} has room for either request. */
    InboundRequests(StreamResources resources, MemorySegment control) {
        this.resources = resources;
        this.control = control;
    }

    /** Whether a request was queued since the last call. */
    boolean takeDue() {
        boolean was = due;
        due = false;
        return was;
    }

    int onUntagged(int opcode, SgeCursor target) {
        // Before RDMAP looks at the request: DDP's buffers are the IRD (RFC 5041, 7.1).
        if (resources.inboundReads().isFull()) {
            return TerminateCode.UNTAGGED_NO_BUFFER;
        }
        target.wrap(control, 0, opcode == Rdmap.ATOMIC_REQUEST ? AtomicRequest.SIZE : ReadRequest.SIZE);
        return TerminateCode.NONE;
    }

    int deliverUntagged(int opcode, long length) {
        return opcode == Rdmap.ATOMIC_REQUEST ? deliverAtomicRequest(length) : deliverReadRequest(length);
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
            Fault fault = resources.check(source, stag, AccessFlags.REMOTE_READ, offset, size);
            if (fault != Fault.NONE) {
                return readError(fault);
            }
            at = offset - source.base();
        }
        due = true;
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
        Fault fault = resources.check(target, AtomicRequest.stag(control, 0), AccessFlags.REMOTE_ATOMIC, offset, Long.BYTES);
        if (fault != Fault.NONE) {
            return readError(fault);
        }
        long at = offset - target.base();
        if (!AtomicUnit.isAligned(target, at)) {
            return TerminateCode.RDMA_STREAM_CATASTROPHIC;
        }
        due = true;
        boolean room = resources.inboundReads().addAtomic(operation, AtomicRequest.identifier(control, 0), target, at,
                AtomicRequest.data(control, 0), AtomicRequest.mask(control, 0), AtomicRequest.compareData(control, 0),
                AtomicRequest.compareMask(control, 0));
        return room ? TerminateCode.NONE : TerminateCode.UNTAGGED_NO_BUFFER;
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
}
