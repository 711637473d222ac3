/**
 * Connecting and accepting through librdmacm. An identifier keeps the events of its connection until a thread waits for them. The queue
 * pair of a connection is an interface here, and the device makes it.
 *
 * <p>Options of a connection are bytes for {@code rdma_set_option}: the type of service before the route is sought or a listener listens,
 * the acknowledgement time-out before {@code rdma_connect} or {@code rdma_accept}. On iWARP the kernel takes that time-out and does nothing
 * with it. siw connects TCP inside {@code rdma_connect}, which cannot be cancelled: if the host does not answer, connecting can exceed the
 * time-out.
 */
package org.panamaverbs.rdmacore.cm;
