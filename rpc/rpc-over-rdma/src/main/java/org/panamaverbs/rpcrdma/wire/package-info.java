/**
 * The transport headers of RPC-over-RDMA, versions 1 (RFC 8166) and 2 (draft-cel-nfsv4-rpcrdma-version-two-05), and the private data of
 * connections (RFC 8797): how they lie in memory, and nothing else. No class here knows a connection, a thread or a clock.
 */
package org.panamaverbs.rpcrdma.wire;
