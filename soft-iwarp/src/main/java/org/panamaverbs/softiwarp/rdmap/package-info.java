/**
 * RDMAP (RFC 5040): what the messages mean. {@link org.panamaverbs.softiwarp.rdmap.Receiver} takes delivery of inbound ones,
 * {@link org.panamaverbs.softiwarp.rdmap.Sender} chooses the next outbound one; both share an
 * {@link org.panamaverbs.softiwarp.rdmap.StreamResources}.
 *
 * <p>It may touch {@code ddp}, {@code queue}, {@code memory} and {@code wire}.
 */
package org.panamaverbs.softiwarp.rdmap;
