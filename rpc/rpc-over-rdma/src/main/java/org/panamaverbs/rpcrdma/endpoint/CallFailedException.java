package org.panamaverbs.rpcrdma.endpoint;

import java.io.IOException;

/** A call that has no RPC reply, since the peer refused its transport header, or a header is wrong. */
public final class CallFailedException extends IOException {
    private static final long serialVersionUID = 1L;

    /** Why; the names of errors are those of {@code wire.ErrorCode}, in the same order. */
    public enum Reason {
        VERSION, BAD_XDR, INVALID_PROCEDURE, READ_CHUNKS, WRITE_CHUNKS, SEGMENTS, WRITE_RESOURCE, REPLY_RESOURCE, INVALID_OPTION, SYSTEM,
        /** This side cannot make the call. */
        LOCAL,
        /** The peer's reply breaks the protocol. */
        BAD_REPLY
    }

    private final Reason reason;

    CallFailedException(Reason reason, String message) {
        super(message);
        this.reason = reason;
    }

    public Reason reason() {
        return reason;
    }
}
