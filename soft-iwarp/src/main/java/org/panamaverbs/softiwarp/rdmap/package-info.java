/**
 * RDMAP (RFC 5040), a client of DDP: what the messages mean. {@link org.panamaverbs.softiwarp.rdmap.Receiver} takes delivery of inbound
 * messages; {@link org.panamaverbs.softiwarp.rdmap.Requester} starts our requests, {@link org.panamaverbs.softiwarp.rdmap.ReadResponder}
 * answers the peer's Reads, {@link org.panamaverbs.softiwarp.rdmap.OutboundMessages} chooses between the two, and
 * {@link org.panamaverbs.softiwarp.rdmap.Terminator} owns the Terminate. It may touch {@code ddp}, {@code queue}, {@code memory} and
 * {@code wire}.
 */
package org.panamaverbs.softiwarp.rdmap;
