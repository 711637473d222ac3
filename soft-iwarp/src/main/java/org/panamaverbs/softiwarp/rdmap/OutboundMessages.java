package org.panamaverbs.softiwarp.rdmap;

import java.lang.foreign.MemorySegment;
import org.panamaverbs.softiwarp.ddp.DdpTransmitter;
import org.panamaverbs.softiwarp.ddp.OutboundMessage;
import org.panamaverbs.softiwarp.queue.OutboundReads;

/**
 * Chooses the source of the next message: first the ready-to-receive indication, then our own requests and the answers to the peer's Reads
 * in turn. Messages do not interleave: the next one starts after the last byte of the one before. Only the transmitting thread uses it.
 */
public final class OutboundMessages {
    private final ReadyMessage ready;
    private final Requester requester;
    private final ReadResponder responder;
    private boolean requestsTurn;

    /**
     * Makes one that has no ready-to-receive indication to send.
     *
     * @param reads   our Reads in flight: the indication may be one
     * @param control memory for the indication, of {@link Requester#CONTROL_SIZE} bytes; the sources may share it
     */
    public OutboundMessages(OutboundReads reads, MemorySegment control, Requester requester, ReadResponder responder) {
        this.ready = new ReadyMessage(reads, control);
        this.requester = requester;
        this.responder = responder;
    }

    /** Makes a message without payload the first one (RFC 6581, 9.2): the opcode of a Write, a Read Request or a Send. */
    public void sendReadyFirst(int opcode) {
        ready.send(opcode);
    }

    /**
     * Sends the requests that are next and short, as long as nothing else has its turn. {@link #next} has the message that follows.
     *
     * @return bytes of payload
     */
    public long sendShort(DdpTransmitter transmitter) {
        if (ready.isDue()) {
            return 0;
        }
        long before = transmitter.segments();
        long bytes = requester.sendShort(transmitter, responder);
        // Each message takes a turn.
        requestsTurn ^= (transmitter.segments() - before & 1) != 0;
        return bytes;
    }

    /**
     * Fills in the next message.
     *
     * @param fixed as in {@link MessageSource#next}
     * @return its source; {@code null} if there is no message now
     */
    public MessageSource next(OutboundMessage message, boolean fixed) {
        if (ready.next(message, fixed)) {
            return ready;
        }
        requestsTurn = !requestsTurn;
        if (requestsTurn && requester.next(message, fixed)) {
            return requester;
        }
        if (responder.next(message, fixed)) {
            return responder;
        }
        return !requestsTurn && requester.next(message, fixed) ? requester : null;
    }
}
