package org.panamaverbs.sockets.protocol;

/**
 * An entry of a table of targets, the place for the next data: address (64 bits), key (32), length in bytes (32). The peer of the
 * table's owner writes it in the owner's byte order.
 */
public final class Target {
    /** How long an entry is, in bytes. */
    public static final int LENGTH = 16;
    /** The offset of the key. */
    public static final int KEY = 8;
    /** The offset of the length. */
    public static final int SIZE = 12;

    private Target() {
    }

    /**
     * Checks a range of a peer's addresses.
     *
     * @throws StreamProtocolException if it goes beyond the last address
     */
    public static void check(long address, long length) throws StreamProtocolException {
        if (length != 0 && Long.compareUnsigned(address + length - 1, address) < 0) {
            throw new StreamProtocolException(
                    "its memory of " + length + " bytes at 0x" + Long.toHexString(address) + " goes beyond the last address");
        }
    }
}
