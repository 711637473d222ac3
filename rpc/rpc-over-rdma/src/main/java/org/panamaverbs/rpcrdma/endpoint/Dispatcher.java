package org.panamaverbs.rpcrdma.endpoint;

import java.lang.foreign.MemorySegment;
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

    /**
     * Whether an argument of a call may come in a Read chunk of its own (RFC 8166, 6.1). Called under the endpoint's lock.
     *
     * @param call     the RPC message, put together
     * @param position of the chunk in it, a multiple of 4 and not 0
     */
    default boolean isEligible(MemorySegment call, long position) {
        return true;
    }
}
