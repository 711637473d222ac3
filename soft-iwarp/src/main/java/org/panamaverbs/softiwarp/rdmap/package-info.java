/**
 * RDMAP (RFC 5040): what the messages mean. {@link org.panamaverbs.softiwarp.rdmap.Receiver} takes delivery of inbound ones,
 * {@link org.panamaverbs.softiwarp.rdmap.Sender} chooses the next outbound one; both share an
 * {@link org.panamaverbs.softiwarp.rdmap.StreamResources}.
 */
package org.panamaverbs.softiwarp.rdmap;
