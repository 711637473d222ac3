package org.panamaverbs.softiwarp.rdmap;

import org.panamaverbs.softiwarp.ddp.OutboundMessage;
import org.panamaverbs.softiwarp.wire.Rdmap;

/**
 * Chooses the next message to send: first the ready-to-receive indication, then answers to the peer's Reads and our own requests in turns.
 * Messages go whole, one after another. By the thread that transmits.
 */
public final class OutboundMessages {
    /** The kinds of messages. */
    public enum Kind {
        /** A request of ours. */
        REQUEST,
        /** The answer to a Read of the peer. */
        READ_RESPONSE,
        /** The ready-to-receive indication. */
        READY
    }

    private final Requester requester;
    private final ReadResponder responder;
    private Kind kind;
    private boolean readyDue;
    private boolean requestsTurn;

    /** Makes one that chooses of both. */
    public OutboundMessages(Requester requester, ReadResponder responder) {
        this.requester = requester;
        this.responder = responder;
    }

    /** Makes a zero-length RDMA Write the first message (RFC 6581, 9.2). */
    public void sendReadyFirst() {
        readyDue = true;
    }

    /**
     * Fills in the next message.
     *
     * @param limit requests from here on do not start
     * @return {@code false} if there is none now
     */
    public boolean next(OutboundMessage message, long limit) {
        if (readyDue) {
            readyDue = false;
            kind = Kind.READY;
            message.tagged(Rdmap.control(Rdmap.WRITE), Requester.NO_STAG, 0);
            return true;
        }
        requestsTurn = !requestsTurn;
        return requestsTurn ? nextRequest(message, limit) || nextResponse(message)
                : nextResponse(message) || nextRequest(message, limit);
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

    /** Does what sends nothing, as long as nothing may be sent. */
    public void doLocal() {
        requester.doLocal(Long.MAX_VALUE);
    }

    /** The kind of the message that was filled in last. */
    public Kind kind() {
        return kind;
    }

    /** The message that was filled in last is described to its last byte. */
    public void onDescribed() {
        if (kind == Kind.READ_RESPONSE) {
            responder.finish();
        }
    }
}
