package org.panamaverbs.softiwarp.rdmap;

import org.panamaverbs.softiwarp.ddp.OutboundMessage;
import org.panamaverbs.softiwarp.wire.Rdmap;

/**
 * Chooses the next message to send: first the ready-to-receive indication, then our own requests and answers to the peer's Reads in turn.
 * Messages do not interleave: the next one starts after the last byte of the one before. Only the transmitting thread uses it.
 */
public final class OutboundMessages {
    /** The kinds of messages. */
    public enum Kind {
        /** One of our requests. */
        REQUEST,
        /** The answer to one of the peer's Reads or atomics. */
        READ_RESPONSE,
        /** The ready-to-receive indication. */
        READY
    }

    private static final int NOTHING_DUE = -1;

    private final Requester requester;
    private final ReadResponder responder;
    private Kind kind;
    /** The opcode of the ready-to-receive indication that must be sent first, or {@link #NOTHING_DUE}. */
    private int readyDue = NOTHING_DUE;
    private boolean requestsTurn;

    /** Makes one that takes messages from both. */
    public OutboundMessages(Requester requester, ReadResponder responder) {
        this.requester = requester;
        this.responder = responder;
    }

    /** Makes a message without payload the first one (RFC 6581, 9.2): the opcode of a Write, a Read Request or a Send. */
    public void sendReadyFirst(int opcode) {
        readyDue = opcode;
    }

    /**
     * Fills in the next message.
     *
     * @param limit requests from this sequence number on do not start
     * @return {@code false} if there is no message now
     */
    public boolean next(OutboundMessage message, long limit) {
        if (readyDue != NOTHING_DUE) {
            ready(message);
            return true;
        }
        requestsTurn = !requestsTurn;
        return requestsTurn ? nextRequest(message, limit) || nextResponse(message)
                : nextResponse(message) || nextRequest(message, limit);
    }

    private void ready(OutboundMessage message) {
        kind = Kind.READY;
        switch (readyDue) {
            case Rdmap.WRITE -> message.tagged(Rdmap.control(Rdmap.WRITE), Requester.NO_STAG, 0);
            case Rdmap.SEND -> message.untagged(Rdmap.control(Rdmap.SEND), 0, Rdmap.SEND_QUEUE);
            default -> requester.readReady(message);
        }
        readyDue = NOTHING_DUE;
    }

    private boolean nextRequest(OutboundMessage message, long limit) {
        if (!requester.next(message, limit)) {
            return false;
        }
        kind = Kind.REQUEST;
        return true;
    }

    private boolean nextResponse(OutboundMessage message) {
        if (!responder.next(message)) {
            return false;
        }
        kind = Kind.READ_RESPONSE;
        return true;
    }

    /** Does the requests that send nothing; used while nothing may be sent. */
    public void doLocal() {
        requester.doLocal(Long.MAX_VALUE);
    }

    /** The kind of the last message. */
    public Kind kind() {
        return kind;
    }

    /** Whether the last message carries a program's data. Read Requests and Atomic Requests carry none. */
    public boolean carriesData() {
        return kind == Kind.READ_RESPONSE || kind == Kind.REQUEST && requester.carriesData();
    }

    /** The last message is described to its last byte. */
    public void onDescribed() {
        if (kind == Kind.READ_RESPONSE) {
            responder.finish();
        }
    }
}
