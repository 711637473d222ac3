package org.panamaverbs.rpcrdma.limits;

/**
 * What the limits of a service did so far, and what its peers hold now.
 *
 * @param connections the connections now
 * @param accepted    connections that got a place
 * @param refused     connections that got none
 * @param displaced   connections that lost their place to a new one
 * @param silent      connections that ended because they sent no first call
 * @param stalled     connections that ended because their peer took no reply, answered no Read, or sent no more of a call
 * @param memory      bytes of long calls and waiting replies now, beyond what each connection has for itself
 * @param waiting     connections now of which a call waits for memory
 */
public record ServiceCounts(int connections, long accepted, long refused, long displaced, long silent, long stalled, long memory,
        int waiting) {
}
