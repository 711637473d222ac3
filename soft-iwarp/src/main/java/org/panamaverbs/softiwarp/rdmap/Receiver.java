package org.panamaverbs.softiwarp.rdmap;

import java.lang.foreign.MemorySegment;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.softiwarp.ddp.UpperLayer;
import org.panamaverbs.softiwarp.memory.SgeCursor;
import org.panamaverbs.softiwarp.wire.AtomicRequest;
import org.panamaverbs.softiwarp.wire.Rdmap;
import org.panamaverbs.softiwarp.wire.TerminateCode;

/**
 * Takes inbound messages from DDP and passes them on by their queue, tagged ones by their opcode. Only the receiving thread uses it.
 */
public final class Receiver implements UpperLayer {
    private static final int WRITE = Rdmap.control(Rdmap.WRITE);
    private static final int TERMINATE_AT = AtomicRequest.SIZE + 4;
    private static final int ATOMIC_RESPONSE_AT = TERMINATE_AT + InboundTerminates.CONTROL_SIZE;
    private static final int IMMEDIATE_AT = ATOMIC_RESPONSE_AT + 16;
    /** Bytes of the provider's own memory for messages that go to no memory of a program. */
    public static final int CONTROL_SIZE = IMMEDIATE_AT + Rdmap.IMMEDIATE_SIZE;

    private final StreamResources resources;
    private final boolean extensions;
    private final MemorySegment control;
    private final InboundSends sends;
    private final InboundRequests requests;
    private final InboundAnswers answers;
    private final InboundTerminates terminates;

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
        this.sends = new InboundSends(resources, control, IMMEDIATE_AT);
        this.requests = new InboundRequests(resources, control);
        this.answers = new InboundAnswers(resources, control, ATOMIC_RESPONSE_AT);
        this.terminates = new InboundTerminates(answers, control, TERMINATE_AT);
    }

    /** The peer may begin with an empty Write as its ready-to-receive indication (RFC 6581, 9.2). */
    public void expectReady() {
        sends.expectReady();
    }

    /**
     * Takes an empty Send, if it is the first message, for the ready-to-receive indication (RFC 6581, 9.2). The program does not see it.
     */
    public void awaitReadySend() {
        sends.awaitReadySend();
    }

    /** The error in the peer's Terminate, or {@link TerminateCode#NONE}. */
    public int peerError() {
        return terminates.error();
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
        boolean requested = requests.takeDue();
        return answers.takeDue() || requested;
    }

    /** Whether a part of the answer to a Read of ours has come, and not all of it. */
    public boolean isInAnswer() {
        return answers.isInAnswer();
    }

    /** How many bytes of the answers to our Reads and atomics have come. */
    public long answered() {
        return answers.answered();
    }

    /** How many bytes of the peer's messages and of the answers to our Reads have come. */
    public long bytesReceived() {
        return sends.bytesReceived() + answers.bytesRead();
    }

    /** How many bytes of the peer's Writes have come. */
    public long bytesWritten() {
        return sends.bytesWritten();
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
    public boolean placeTagged(int ulp, int stag, long offset, MemorySegment source, long at, int length) {
        return ulp == WRITE && sends.putWrite(stag, offset, source, at, length);
    }

    @Override
    public void endRun() {
        sends.endRun();
    }

    @Override
    public boolean placeUntagged(int queue, int ulp, MemorySegment source, long at, int length) {
        return queue == Rdmap.SEND_QUEUE && Rdmap.version(ulp) == Rdmap.VERSION && Rdmap.isSend(Rdmap.opcode(ulp)) && length > 0
                && resources.receives().put(source, at, length);
    }

    @Override
    public int onTagged(int ulp, boolean last, int stag, long offset, int length, SgeCursor target) {
        if (Rdmap.version(ulp) != Rdmap.VERSION) {
            return TerminateCode.RDMA_VERSION;
        }
        return switch (Rdmap.opcode(ulp)) {
            case Rdmap.WRITE -> sends.onTagged(stag, offset, length, target);
            case Rdmap.READ_RESPONSE -> answers.onTagged(last, stag, offset, length, target);
            default -> TerminateCode.RDMA_OPCODE;
        };
    }

    @Override
    public int deliverTagged(int ulp, boolean last, int length) {
        return hasLocalPlace(ulp) ? answers.deliverTagged(last, length) : sends.deliverTagged(last, length);
    }

    @Override
    public int onBadTaggedMemory(int ulp) {
        // For the peer, the region that it writes to is gone.
        return hasLocalPlace(ulp) ? answers.onBadMemory() : TerminateCode.TAGGED_INVALID_STAG;
    }

    @Override
    public boolean needsNoBuffer(int queue, int ulp) {
        return sends.isReadySend(queue, ulp);
    }

    @Override
    public int onUntagged(int queue, int ulp, SgeCursor target) {
        sends.onFirstSegment();
        if (Rdmap.version(ulp) != Rdmap.VERSION) {
            return TerminateCode.RDMA_VERSION;
        }
        int opcode = Rdmap.opcode(ulp);
        if (!Rdmap.isFor(opcode, queue) || Rdmap.isExtension(opcode) && !extensions) {
            return TerminateCode.RDMA_OPCODE;
        }
        return switch (queue) {
            case Rdmap.SEND_QUEUE -> sends.onUntagged(opcode, target);
            case Rdmap.READ_REQUEST_QUEUE -> requests.onUntagged(opcode, target);
            case Rdmap.TERMINATE_QUEUE -> terminates.onUntagged(target);
            default -> answers.onUntagged(target);
        };
    }

    @Override
    public int onChanged(int ulp) {
        return Rdmap.version(ulp) != Rdmap.VERSION ? TerminateCode.RDMA_VERSION : TerminateCode.RDMA_OPCODE;
    }

    @Override
    public int deliverUntagged(int queue, int ulp, int word, long length) {
        // A Send may retire the memory.
        sends.endRun();
        if (queue == Rdmap.ATOMIC_RESPONSE_QUEUE) {
            return answers.deliverUntagged(length);
        }
        int opcode = Rdmap.opcode(ulp);
        int error = switch (queue) {
            case Rdmap.SEND_QUEUE -> sends.deliverUntagged(opcode, word, length);
            case Rdmap.READ_REQUEST_QUEUE -> requests.deliverUntagged(opcode, length);
            default -> terminates.deliverUntagged(length);
        };
        sends.onMessageOver();
        return error;
    }

    @Override
    public void onTooLong(int queue) {
        if (queue == Rdmap.SEND_QUEUE) {
            sends.fail(CompletionStatus.LOCAL_LENGTH_ERROR, TerminateCode.UNTAGGED_TOO_LONG);
        }
    }

    @Override
    public int onBadUntaggedMemory(int queue) {
        if (queue == Rdmap.SEND_QUEUE) {
            sends.fail(CompletionStatus.LOCAL_PROTECTION_ERROR, 0);
        }
        return TerminateCode.DDP_LOCAL_CATASTROPHIC;
    }

    /**
     * Flushes the Reads and atomics that have started, and the receives. After this no thread may place data, and no further Read may
     * start.
     */
    public void flush() {
        answers.flush();
        sends.flush();
    }
}
