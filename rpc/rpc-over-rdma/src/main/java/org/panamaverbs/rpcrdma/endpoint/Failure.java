package org.panamaverbs.rpcrdma.endpoint;

import org.panamaverbs.rpcrdma.wire.ErrorCode;

/** A call that cannot be answered but by an error of the transport header. */
final class Failure extends Exception {
    private static final long serialVersionUID = 1L;
    final transient ErrorCode code;
    final int first;
    final int second;

    Failure(ErrorCode code, int first, int second, String message) {
        super(message, null, false, false);
        this.code = code;
        this.first = first;
        this.second = second;
    }

    Failure(ErrorCode code, String message) {
        this(code, 0, 0, message);
    }

    /** As the version can say it: version 1 has ERR_CHUNK alone (RFC 8166, 4.5.2 and 4.5.3). */
    ErrorCode codeIn(int version) {
        return version == 1 ? ErrorCode.BAD_XDR : code;
    }
}
