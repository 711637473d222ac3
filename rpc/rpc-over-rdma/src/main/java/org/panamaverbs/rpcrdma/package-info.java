/**
 * RPC-over-RDMA (RFC 8166, 8167, 8797; version 2 by draft-cel-nfsv4-rpcrdma-version-two-05): a transport of oncrpc4j. A service or client
 * of oncrpc4j runs over RDMA if it takes its {@link org.dcache.oncrpc4j.rpc.RpcTransport} from
 * {@code RdmaRpcClient}, or is served by {@code RdmaRpcService}; RPC and XDR stay those of
 * oncrpc4j.
 *
 * <p>Large opaque data travel by direct data placement if the program says so, since only the program knows its upper-layer binding
 * (RFC 8166, 6): it encodes eligible data by {@link org.panamaverbs.rpcrdma.OpaqueSegment}, and calls by
 * {@link org.panamaverbs.rpcrdma.PlacedCall} with a {@link org.panamaverbs.rpcrdma.Placement}. The same code works over TCP, which
 * copies the data.
 *
 * <h2>Rules that hold for every type here</h2>
 * <dl>
 * <dt>null</dt>
 * <dd>A {@code null} argument is a {@link java.lang.NullPointerException} unless the method says otherwise.</dd>
 * <dt>Threads</dt>
 * <dd>Clients, services and transports may be used by any thread. The other types belong to one thread at a time.</dd>
 * <dt>Memory</dt>
 * <dd>A segment that a call names belongs to the transport until the call is done: answered, failed or out of time. After that no peer can
 * touch it. Its arena cannot be closed before.</dd>
 * <dt>Errors</dt>
 * <dd>Calls fail with the exceptions of oncrpc4j, with {@link org.panamaverbs.rpcrdma.RdmaRpcException} if the peer refused the transport
 * header, and with {@link java.io.EOFException} if the connection ended.</dd>
 * </dl>
 */
package org.panamaverbs.rpcrdma;
