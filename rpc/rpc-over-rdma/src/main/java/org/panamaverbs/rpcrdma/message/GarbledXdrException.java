package org.panamaverbs.rpcrdma.message;

import org.dcache.oncrpc4j.rpc.OncRpcException;

/** An XDR stream that does not hold the items that a program decodes from it; a service answers it by GARBAGE_ARGS. */
public final class GarbledXdrException extends OncRpcException {
    private static final long serialVersionUID = 1L;

    public GarbledXdrException(String message) {
        super(message);
    }
}
