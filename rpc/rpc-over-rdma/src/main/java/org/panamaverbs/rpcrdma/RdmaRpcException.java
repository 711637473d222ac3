package org.panamaverbs.rpcrdma;

import java.io.IOException;
import org.panamaverbs.rpcrdma.endpoint.CallFailedException;

/** The peer refused a call's transport header, or its reply's header is wrong: there is no RPC reply (RFC 8166, 4.5; draft, 7.2.4). */
public final class RdmaRpcException extends IOException {
    private static final long serialVersionUID = 1L;

    /** Why. */
    public enum Reason {
        /** ERR_VERS: the peer has none of this side's versions. */
        VERSION,
        /** ERR_CHUNK of version 1 and BAD_XDR of version 2: the peer cannot decode the header, or use its chunks. */
        BAD_XDR,
        /** INVAL_PROC of version 2. */
        INVALID_PROCEDURE,
        /** READ_CHUNKS of version 2: too many arguments were placed. */
        READ_CHUNKS,
        /** WRITE_CHUNKS of version 2: too many results were to be placed. */
        WRITE_CHUNKS,
        /** SEGMENTS of version 2: a chunk has too many segments. */
        SEGMENTS,
        /** WRITE_RESOURCE of version 2: memory for a result is too small. */
        WRITE_RESOURCE,
        /** REPLY_RESOURCE of version 2: the reply does not fit. */
        REPLY_RESOURCE,
        /** INVAL_OPTION of version 2. */
        INVALID_OPTION,
        /** SYSTEM of version 2: another, permanent error. */
        SYSTEM,
        /** This side cannot make the call: something of it is too large, or memory cannot be registered. */
        LOCAL,
        /** The peer's reply breaks the protocol. */
        BAD_REPLY
    }

    /** The reason. */
    private final Reason reason;

    /**
     * Makes one.
     *
     * @param reason  the kind of error
     * @param message the event, and the cure
     */
    public RdmaRpcException(Reason reason, String message) {
        super(message);
        this.reason = reason;
    }

    static RdmaRpcException of(CallFailedException failure) {
        return new RdmaRpcException(Reason.valueOf(failure.reason().name()), failure.getMessage());
    }

    /**
     * Why.
     *
     * @return the kind of error
     */
    public Reason reason() {
        return reason;
    }
}
