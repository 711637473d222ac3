package org.panamaverbs.rpcrdma.endpoint;

import org.panamaverbs.rpcrdma.message.MessageXdr;

/** The receiver of calls, above the endpoint. */
@FunctionalInterface
public interface Dispatcher {
    /**
     * A call. It may be answered by any thread, once, by {@link Endpoint#reply}.
     *
     * @param xid     the call's XID
     * @param message the RPC message, with its XID in front; {@link Endpoint#reply} needs its context
     */
    void onCall(int xid, MessageXdr message);
}
