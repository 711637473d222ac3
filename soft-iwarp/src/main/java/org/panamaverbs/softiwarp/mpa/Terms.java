package org.panamaverbs.softiwarp.mpa;

/**
 * What one side of a connection in the making wants.
 *
 * @param revision    of MPA: 1 or 2
 * @param crc         whether it wants CRCs; they are used if either side does
 * @param ird         how many Reads of the peer it serves at a time, 0 to 16,382
 * @param ord         how many Reads of its own it wants outstanding, 0 to 16,382
 * @param privateData what the peer's program is told, at most 508 bytes
 */
public record Terms(int revision, boolean crc, int ird, int ord, byte[] privateData) {
}
