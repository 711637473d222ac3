package org.panamaverbs.softiwarp.fuzz;

/** A model of atomics, by the text of RFC 7306, 5.1, and without the class under test. */
final class AtomicModel {
    static final int FETCH_ADD = 0;
    static final int COMPARE_SWAP = 2;
    /** Of FetchAdd the most significant bits of fields, of CmpSwap the bits that are compared or swapped. */
    static final long[] MASKS = { -1, 0, 0x8000_0000_8000_0000L, 0x00FF_F00F_0000_0001L };

    private AtomicModel() {
    }

    /** The number that an atomic leaves. */
    static long result(int operation, long old, long data, long mask, long compareData, long compareMask) {
        if (operation == FETCH_ADD) {
            return sum(old, data, mask);
        }
        return ((old ^ compareData) & compareMask) == 0 ? old & ~mask | data & mask : old;
    }

    /** Adds bit by bit; no carry leaves a bit that is set in {@code boundaries}. */
    private static long sum(long a, long b, long boundaries) {
        long sum = 0;
        long carry = 0;
        for (int bit = 0; bit < Long.SIZE; bit++) {
            long ones = (a >>> bit & 1) + (b >>> bit & 1) + carry;
            sum |= (ones & 1) << bit;
            carry = (boundaries >>> bit & 1) != 0 ? 0 : ones >>> 1;
        }
        return sum;
    }
}
