package org.panamaverbs.rpcrdma;

import java.lang.foreign.MemorySegment;

/**
 * The arguments of a program that a caller may leave in its memory, for the service to read: the upper-layer binding of RFC 8166, 6.1. A
 * {@link org.dcache.oncrpc4j.rpc.RpcDispatchable} that implements this interface is asked for each Read chunk of its calls. If it refuses
 * one, {@link RdmaRpcService} answers the call with ERR_CHUNK and does not carry it out. A program without a binding gets all calls.
 */
public interface UpperLayerBinding {
    /**
     * Whether an argument is eligible. The connection's thread asks, so the method neither waits nor throws.
     *
     * @param call     the call from its XID on, with all arguments in place
     * @param position where the argument's data begin in the call: a multiple of 4, within the call or at its end, behind its length
     * @return whether it may come in a Read chunk
     */
    boolean isEligible(MemorySegment call, long position);
}
