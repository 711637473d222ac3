package org.panamaverbs.softiwarp.memory;

/**
 * The order in which a memory window uses its 256 keys: random, without early repeats. The next key is one of the 128 keys that were not
 * used for the longest time.
 *
 * <p>The choice is SipHash-2-4 (Aumasson and Bernstein, 2012) of a counter, under 128 bits that are hard to guess. SipHash is a
 * pseudorandom function, so earlier choices do not reveal the next one. SecureRandom would do as well, but allocates in each call, and
 * binding must allocate nothing.
 */
final class KeyOrder {
    private static final int KEYS = 256;
    private static final int CANDIDATES = KEYS / 2;
    private static final int LENGTH_SHIFT = 56;

    private final long secret0;
    private final long secret1;
    private long counter;
    private final int first;
    /**
     * All keys, as a ring: from {@link #oldest} on, in the order of their last use. Each entry is the difference from the first order, 0 to
     * 255, so that a new ring is all zeros and needs no loop: Lincheck takes a loop of that length for an endless one.
     */
    private final byte[] differences = new byte[KEYS];
    private int oldest;

    /**
     * Makes an order.
     *
     * @param secret0 64 bits that are hard to guess
     * @param secret1 another 64
     * @param last    the key in use, 8 bits
     */
    KeyOrder(long secret0, long secret1, int last) {
        this.secret0 = secret0;
        this.secret1 = secret1;
        this.first = last + 1;
    }

    /** The next key: 8 bits. */
    int next() {
        int at = oldest + ((int) hash(secret0, secret1, counter++) & CANDIDATES - 1) & KEYS - 1;
        int key = key(at);
        put(at, key(oldest));
        put(oldest, key);
        oldest = oldest + 1 & KEYS - 1;
        return key;
    }

    private int key(int at) {
        return first + at + differences[at] & KEYS - 1;
    }

    private void put(int at, int key) {
        differences[at] = (byte) (key - first - at);
    }

    /** SipHash-2-4 of 8 bytes, which are given as a number in little-endian order, as are the halves of the secret. */
    static long hash(long secret0, long secret1, long bytes) {
        long v0 = secret0 ^ 0x736f6d6570736575L;
        long v1 = secret1 ^ 0x646f72616e646f6dL;
        long v2 = secret0 ^ 0x6c7967656e657261L;
        long v3 = secret1 ^ 0x7465646279746573L;
        long length = (long) Long.BYTES << LENGTH_SHIFT;
        // Two rounds for the bytes, two for their length, four to finish. The input of a group of rounds is added before its first round.
        for (int round = 0; round < 8; round++) {
            switch (round) {
                case 0 -> v3 ^= bytes;
                case 2 -> {
                    v0 ^= bytes;
                    v3 ^= length;
                }
                case 4 -> {
                    v0 ^= length;
                    v2 ^= 0xFF;
                }
                default -> {
                    // Nothing is added.
                }
            }
            v0 += v1;
            v2 += v3;
            v1 = Long.rotateLeft(v1, 13) ^ v0;
            v3 = Long.rotateLeft(v3, 16) ^ v2;
            v0 = Long.rotateLeft(v0, 32);
            v2 += v1;
            v0 += v3;
            v1 = Long.rotateLeft(v1, 17) ^ v2;
            v3 = Long.rotateLeft(v3, 21) ^ v0;
            v2 = Long.rotateLeft(v2, 32);
        }
        return v0 ^ v1 ^ v2 ^ v3;
    }
}
