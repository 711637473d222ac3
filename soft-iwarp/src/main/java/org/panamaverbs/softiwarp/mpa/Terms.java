package org.panamaverbs.softiwarp.mpa;

/**
 * What one side of a connection in the making wants.
 *
 * @param revision    of MPA: 1 or 2
 * @param crc         whether it wants CRCs; they are used where either side does
 * @param ird         how many Reads of the peer it serves at a time
 * @param ord         how many Reads of its own it wants outstanding
 * @param privateData what the peer's program is told
 */
public record Terms(int revision, boolean crc, int ird, int ord, byte[] privateData) {
}
