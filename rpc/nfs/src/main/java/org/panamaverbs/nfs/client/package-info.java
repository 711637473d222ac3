/**
 * A client of NFS version 4.1: one session, files read into and written from memory segments.
 *
 * {@snippet :
 * try (NfsClient client = NfsClient.open(transport, NfsOptions.defaults())) {
 *     OpenFile file = client.open(client.lookup("/folder/file"));
 *     long bytes = client.read(file, 0, memory, progress);
 *     client.close(file);
 * }
 * }
 *
 * <p>The transport is a connection of {@link org.panamaverbs.rpcrdma} or one of oncrpc4j over TCP. Over RDMA the server writes into the
 * segment of a read, and reads out of that of a write, so the data is not copied here. Any thread may use a client; each method waits for
 * its answers. No argument may be null.
 */
package org.panamaverbs.nfs.client;
