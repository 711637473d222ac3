package org.panamaverbs.ddp;

import java.util.OptionalInt;

/**
 * How a buffer is registered. On a transport with many receivers all of them choose the same STag and offset
 * (draft-bailey-roi-ddpp-core-00, 4).
 *
 * @param stag   the STag; if it is empty, the context chooses a random STag that is not in use and was not in use lately
 * @param offset the offset of the buffer's first byte, unsigned
 */
public record BufferAttributes(OptionalInt stag, long offset) {
    /** A random STag, and offsets that begin at 0. */
    public static final BufferAttributes DEFAULT = new BufferAttributes(OptionalInt.empty(), 0);

    /**
     * The same with an STag of the program's choice. A peer can guess such an STag: choose it only if many receivers must share it.
     *
     * @param chosen any 32 bits
     * @return new attributes
     */
    public BufferAttributes withStag(int chosen) {
        return new BufferAttributes(OptionalInt.of(chosen), offset);
    }

    /**
     * The same with another offset of the first byte.
     *
     * @param first unsigned; first and the buffer's size together must not exceed 2^64
     * @return new attributes
     */
    public BufferAttributes withOffset(long first) {
        return new BufferAttributes(stag, first);
    }
}
