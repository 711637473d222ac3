package org.panamaverbs.softiwarp.mpa;

/**
 * What both sides agreed on.
 *
 * @param crc         whether CRCs are used
 * @param ird         how many Reads of the peer may be outstanding
 * @param ord         how many Reads of ours may be outstanding
 * @param sendReady   whether our first message is a zero-length RDMA Write (RFC 6581, 9.2)
 * @param privateData what the peer's program said
 */
public record Agreement(boolean crc, int ird, int ord, boolean sendReady, byte[] privateData) {
}
