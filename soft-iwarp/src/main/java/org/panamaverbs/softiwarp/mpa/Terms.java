package org.panamaverbs.softiwarp.mpa;

/**
 * The terms that one side asks for when a connection is established.
 *
 * @param revision    revision of MPA: 1 or 2
 * @param crc         whether the side wants CRCs; they are used if either side wants them
 * @param ird         how many Reads of the peer the side serves at a time, 0 to 16,382
 * @param ord         how many of its own Reads the side wants outstanding, 0 to 16,382
 * @param privateData private data for the peer's program, at most 508 bytes
 */
public record Terms(int revision, boolean crc, int ird, int ord, byte[] privateData) {
}
