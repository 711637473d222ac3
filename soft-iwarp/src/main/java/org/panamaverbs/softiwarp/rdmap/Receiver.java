package org.panamaverbs.softiwarp.rdmap;

import java.lang.foreign.MemorySegment;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.softiwarp.ddp.UpperLayer;
import org.panamaverbs.softiwarp.memory.SgeCursor;
import org.panamaverbs.softiwarp.wire.AtomicRequest;
import org.panamaverbs.softiwarp.wire.Rdmap;
import org.panamaverbs.softiwarp.wire.TerminateCode;

/**
 * Takes inbound messages from DDP and passes them on by a table of opcodes. Only the receiving thread uses it.
 */
public final class Receiver implements UpperLayer {
    /** The handlers of messages. */
    private enum Handler {
        /** {@link InboundSends}. */
        SENDS,
        /** {@link InboundRequests}. */
        REQUESTS,
        /** {@link InboundAnswers}. */
        ANSWERS,
        /** {@link InboundTerminates}. */
        TERMINATES
    }

    // @formatter:off
    /** The handler of each opcode (RFC 5040, 4.1; RFC 7306, 4.1). The RFCs define no further opcodes. */
    private static final Handler[] HANDLERS = {
            /* Write */ Handler.SENDS, /* Read Request */ Handler.REQUESTS, /* Read Response */ Handler.ANSWERS,
            /* Send, with Invalidate, Solicited, both */ Handler.SENDS, Handler.SENDS, Handler.SENDS, Handler.SENDS,
            /* Terminate */ Handler.TERMINATES, /* Immediate Data, Solicited */ Handler.SENDS, Handler.SENDS,
            /* Atomic Request */ Handler.REQUESTS, /* Atomic Response */ Handler.ANSWERS };
    // @formatter:on
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

    private InboundMessages of(int opcode) {
        return switch (HANDLERS[opcode]) {
            case SENDS -> sends;
            case REQUESTS -> requests;
            case ANSWERS -> answers;
            case TERMINATES -> terminates;
        };
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
        return requests.takeDue() | answers.takeDue();
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
    public int onTagged(int ulp, boolean last, int stag, long offset, int length, SgeCursor target) {
        if (Rdmap.version(ulp) != Rdmap.VERSION) {
            return TerminateCode.RDMA_VERSION;
        }
        int opcode = Rdmap.opcode(ulp);
        return Rdmap.isTagged(opcode) ? of(opcode).onTagged(last, stag, offset, length, target) : TerminateCode.RDMA_OPCODE;
    }

    @Override
    public int deliverTagged(int ulp, boolean last, int length) {
        return of(Rdmap.opcode(ulp)).deliverTagged(last, length);
    }

    @Override
    public int onBadTaggedMemory(int ulp) {
        return of(Rdmap.opcode(ulp)).onBadTaggedMemory();
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
        return of(opcode).onUntagged(opcode, target);
    }

    @Override
    public int onChanged(int ulp) {
        return Rdmap.version(ulp) != Rdmap.VERSION ? TerminateCode.RDMA_VERSION : TerminateCode.RDMA_OPCODE;
    }

    @Override
    public int deliverUntagged(int queue, int ulp, int word, long length) {
        int opcode = Rdmap.opcode(ulp);
        int error = of(opcode).deliverUntagged(opcode, word, length);
        if (opcode != Rdmap.ATOMIC_RESPONSE) {
            sends.onMessageOver();
        }
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
        resources.receives().flush();
    }
}
