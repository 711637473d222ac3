package org.panamaverbs.ddp;

/**
 * The address of a byte in a registered buffer, as a peer uses it ({@code ddp_addr_t} of RFC 4296, 2.1.2).
 *
 * @param stag   the STag of the buffer, any 32 bits
 * @param offset the offset, unsigned; the offset of a buffer's first byte need not be 0
 */
public record BufferAddress(int stag, long offset) {
    @Override
    public String toString() {
        return "STag 0x" + Integer.toHexString(stag) + ", offset " + Long.toUnsignedString(offset);
    }
}
