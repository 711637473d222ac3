package org.panamaverbs.softiwarp.mpa;

/**
 * The terms that both sides agreed on.
 *
 * @param crc         whether CRCs are used
 * @param ird         how many Reads of the peer may be outstanding
 * @param ord         how many of our Reads may be outstanding
 * @param sendReady   whether our first message is a zero-length RDMA Write (RFC 6581, 9.2)
 * @param privateData the peer's private data
 */
public record Agreement(boolean crc, int ird, int ord, boolean sendReady, byte[] privateData) {
}
