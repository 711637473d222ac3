package org.panamaverbs.rpcrdma;

/**
 * The traffic of a connection so far, in both directions.
 *
 * @param callsSent         calls of this side
 * @param callsReceived     calls of the peer
 * @param repliesSent       replies of this side
 * @param repliesReceived   replies of the peer
 * @param bytesPlacedOut    bytes of this side's messages that went by RDMA Read or Write
 * @param bytesPlacedIn     bytes of the peer's messages that came by RDMA Read or Write
 * @param bytesCopied       bytes that the transport copied between messages and other memory
 * @param errorsSent        errors of the transport header that this side sent
 * @param errorsReceived    errors of the transport header that the peer sent
 * @param discarded         messages that were dropped, since they could not be decoded, or belong to no call
 * @param exposures         how often memory of this side was opened to the peer
 * @param invalidatedByPeer how often the peer closed it by a Send with Invalidate
 */
public record RdmaRpcStatistics(long callsSent, long callsReceived, long repliesSent, long repliesReceived, long bytesPlacedOut,
        long bytesPlacedIn, long bytesCopied, long errorsSent, long errorsReceived, long discarded, long exposures,
        long invalidatedByPeer) {
}
