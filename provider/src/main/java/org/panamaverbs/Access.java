package org.panamaverbs;

/** What may be done with a region besides reading it locally, which is always allowed ({@code ibv_access_flags}). */
public enum Access {
    /** The device may write it: receives and Reads land there. */
    LOCAL_WRITE(1),
    /** The peer may write it; needs {@link #LOCAL_WRITE}. */
    REMOTE_WRITE(1 << 1),
    /** The peer may read it. */
    REMOTE_READ(1 << 2);

    private final int bit;

    Access(int bit) {
        this.bit = bit;
    }

    /**
     * The value in libibverbs.
     *
     * @return one bit
     */
    public int bit() {
        return bit;
    }

    /**
     * Several rights as one number.
     *
     * @param rights any of them, in any order
     * @return their bits together
     */
    public static int bits(Access... rights) {
        int bits = 0;
        for (Access right : rights) {
            bits |= right.bit;
        }
        return bits;
    }
}
