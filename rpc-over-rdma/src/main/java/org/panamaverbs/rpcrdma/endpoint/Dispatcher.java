package org.panamaverbs.rpcrdma.endpoint;

import org.panamaverbs.rpcrdma.message.MessageXdr;

/** What calls go up to. */
@FunctionalInterface
public interface Dispatcher {
    /**
     * A call. It may be answered by any thread, once, by {@link Endpoint#reply}.
     *
     * @param xid     the call's XID
     * @param message the RPC message, with its XID in front; its context is what {@link Endpoint#reply} needs
     */
    void onCall(int xid, MessageXdr message);
}
