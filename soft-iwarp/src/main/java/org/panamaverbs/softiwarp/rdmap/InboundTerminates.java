package org.panamaverbs.softiwarp.rdmap;

import java.lang.foreign.MemorySegment;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.softiwarp.memory.SgeCursor;
import org.panamaverbs.softiwarp.wire.Ddp;
import org.panamaverbs.softiwarp.wire.Rdmap;
import org.panamaverbs.softiwarp.wire.Terminate;
import org.panamaverbs.softiwarp.wire.TerminateCode;

/** Handles the peer's Terminate, and completes the request that it names. */
final class InboundTerminates {
    /** Bytes of memory for a Terminate. */
    static final int CONTROL_SIZE = 96;

    private final InboundAnswers answers;
    private final MemorySegment control;
    private final long at;
    private int error = TerminateCode.NONE;

    /** Makes one; {@code control} has {@link #CONTROL_SIZE} bytes at {@code at}. */
    InboundTerminates(InboundAnswers answers, MemorySegment control, long at) {
        this.answers = answers;
        this.control = control;
        this.at = at;
    }

    /** The error in the peer's Terminate, or {@link TerminateCode#NONE}. */
    int error() {
        return error;
    }

    int onUntagged(SgeCursor target) {
        target.wrap(control, at, CONTROL_SIZE);
        return TerminateCode.NONE;
    }

    /** Returns the error that the peer reports: nothing may follow a Terminate (RFC 5040, 5.4), so no message behind it counts. */
    int deliverUntagged(long length) {
        error = length < Terminate.SIZE ? TerminateCode.RDMA_UNSPECIFIED : Terminate.error(control, at);
        if (length >= Terminate.SIZE_WITH_DDP_HEADER) {
            failRequest(length);
        }
        return error;
    }

    /** Completes the request that the Terminate names, if it names one. */
    private void failRequest(long length) {
        long header = Terminate.ddpHeaderAt(at);
        switch (Rdmap.opcode(Ddp.ulp(control, header))) {
            case Rdmap.READ_REQUEST -> {
                // The Terminate concerns one of our Reads and repeats the header of its request (RFC 5040, figure 10).
                boolean refused = TerminateCode.isRdmapProtection(error) && length >= Terminate.MAXIMUM_SIZE
                        && Terminate.hasRdmaHeader(control, at);
                if (refused || error == TerminateCode.RDMA_STREAM_CATASTROPHIC && Terminate.hasDdpHeader(control, at)) {
                    answers.fail(Ddp.messageSequence(control, header), false,
                            refused ? CompletionStatus.REMOTE_ACCESS_ERROR : CompletionStatus.REMOTE_OPERATION_ERROR, error);
                }
            }
            case Rdmap.ATOMIC_REQUEST -> {
                // The Terminate concerns one of our atomics, and has no RDMA header (RFC 7306, 8.1).
                if (Terminate.hasDdpHeader(control, at)) {
                    answers.fail(Ddp.messageSequence(control, header), true, TerminateCode.isRdmapProtection(error)
                            ? CompletionStatus.REMOTE_ACCESS_ERROR : CompletionStatus.REMOTE_INVALID_REQUEST_ERROR, error);
                }
            }
            default -> {
                // The Terminate concerns no request that waits for an answer.
            }
        }
    }
}
