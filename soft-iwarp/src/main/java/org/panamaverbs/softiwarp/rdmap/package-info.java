/**
 * RDMAP (RFC 5040) as a client of DDP: it gives the messages their meaning. {@link org.panamaverbs.softiwarp.rdmap.Receiver} handles
 * inbound messages; {@link org.panamaverbs.softiwarp.rdmap.Requester} starts our requests,
 * {@link org.panamaverbs.softiwarp.rdmap.ReadResponder} answers the peer's Reads, {@link org.panamaverbs.softiwarp.rdmap.OutboundMessages}
 * chooses between the two, and {@link org.panamaverbs.softiwarp.rdmap.Terminator} owns the Terminate.
 *
 * <p>Atomics share queue 1, the message sequence numbers, the IRD and the ORD with Reads. A Write with immediate data is one request and
 * two messages: {@code Requester} begins the Immediate Data as soon as the Write is whole. A bind and a local invalidate send nothing:
 * {@code Requester} carries each out once all requests before it are done, fenced or not, and requests behind it wait.
 */
package org.panamaverbs.softiwarp.rdmap;
