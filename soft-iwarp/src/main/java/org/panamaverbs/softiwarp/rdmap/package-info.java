/**
 * RDMAP (RFC 5040) as a client of DDP: it gives the messages their meaning. {@link org.panamaverbs.softiwarp.rdmap.Receiver} handles
 * inbound messages; {@link org.panamaverbs.softiwarp.rdmap.Requester} starts our requests,
 * {@link org.panamaverbs.softiwarp.rdmap.ReadResponder} answers the peer's Reads,
 * {@link org.panamaverbs.softiwarp.rdmap.OutboundMessages} chooses between the two, and
 * {@link org.panamaverbs.softiwarp.rdmap.Terminator} owns the Terminate. This package may use {@code ddp}, {@code queue}, {@code memory}
 * and {@code wire}.
 */
package org.panamaverbs.softiwarp.rdmap;
