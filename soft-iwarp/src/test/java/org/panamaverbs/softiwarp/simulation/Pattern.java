package org.panamaverbs.softiwarp.simulation;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** The value of each byte of each message: a function of the message and of the byte's place in it. */
final class Pattern {
    private Pattern() {
    }

    static byte at(long message, long index) {
        long mixed = message * 0x9E3779B97F4A7C15L + index * 0xC2B2AE3D27D4EB4FL;
        return (byte) (mixed >>> 40 ^ mixed >>> 17);
    }

    static void fill(MemorySegment memory, long from, long length, long message) {
        for (long i = 0; i < length; i++) {
            memory.set(ValueLayout.JAVA_BYTE, from + i, at(message, i));
        }
    }

    /** The first byte that is not as expected, or -1. */
    static long mismatch(MemorySegment memory, long from, long length, long message) {
        return mismatch(memory, from, length, message, 0);
    }

    /** The first byte that is not as expected, or -1, of a part of a message that begins at {@code index} in it. */
    static long mismatch(MemorySegment memory, long from, long length, long message, long index) {
        for (long i = 0; i < length; i++) {
            if (memory.get(ValueLayout.JAVA_BYTE, from + i) != at(message, index + i)) {
                return i;
            }
        }
        return -1;
    }

    /** The first byte that has another value, or -1. */
    static long mismatch(MemorySegment memory, long from, long length, byte value) {
        for (long i = 0; i < length; i++) {
            if (memory.get(ValueLayout.JAVA_BYTE, from + i) != value) {
                return i;
            }
        }
        return -1;
    }
}
