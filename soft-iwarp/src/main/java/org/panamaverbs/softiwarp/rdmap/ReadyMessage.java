package org.panamaverbs.softiwarp.rdmap;

import java.lang.foreign.MemorySegment;
import org.panamaverbs.softiwarp.ddp.OutboundMessage;
import org.panamaverbs.softiwarp.queue.OutboundReads;
import org.panamaverbs.softiwarp.wire.Rdmap;
import org.panamaverbs.softiwarp.wire.ReadRequest;

/** The initiator's ready-to-receive indication: one message without payload, which comes before all others (RFC 6581, 9.2). */
final class ReadyMessage implements MessageSource {
    private static final int NONE = -1;

    private final OutboundReads reads;
    private final MemorySegment control;
    private int opcode = NONE;

    /**
     * Makes one with nothing to send.
     *
     * @param control memory of {@link ReadRequest#SIZE} bytes; it is in use only while the indication is the current message
     */
    ReadyMessage(OutboundReads reads, MemorySegment control) {
        this.reads = reads;
        this.control = control;
    }

    /** Makes the indication due: the opcode of a Write, a Read Request or a Send. */
    void send(int kind) {
        opcode = kind;
    }

    /** Whether the indication is due. */
    boolean isDue() {
        return opcode != NONE;
    }

    @Override
    public boolean next(OutboundMessage message, boolean fixed) {
        switch (opcode) {
            case NONE -> {
                return false;
            }
            case Rdmap.WRITE -> message.tagged(Rdmap.control(Rdmap.WRITE), Requester.NO_STAG, 0);
            case Rdmap.SEND -> message.untagged(Rdmap.control(Rdmap.SEND), 0, Rdmap.SEND_QUEUE);
            default -> {
                ReadRequest.put(control, 0, Requester.NO_STAG, 0, 0, Requester.NO_STAG, 0);
                message.untagged(Rdmap.control(Rdmap.READ_REQUEST), 0, Rdmap.READ_REQUEST_QUEUE);
                message.source().wrap(control, 0, ReadRequest.SIZE);
                reads.add(OutboundReads.READY);
            }
        }
        opcode = NONE;
        return true;
    }

    @Override
    public void onDescribed(long end) {
        // No request waits for it.
    }
}
