/**
 * A server of NFS version 4.1: the files of one directory, and nothing outside of it. {@link org.panamaverbs.nfs.server.NfsServer} is a
 * program of oncrpc4j, so one server answers over RDMA ({@link org.panamaverbs.rpcrdma}) and TCP at a time, and
 * {@link org.panamaverbs.nfs.server.ServerOptions} has the rights and the limits of its clients.
 *
 * <p>There is no login: each client acts with the rights of the server's user. Clients read unless the options let them write.
 */
package org.panamaverbs.nfs.server;
