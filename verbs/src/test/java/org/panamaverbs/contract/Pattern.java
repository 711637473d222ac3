package org.panamaverbs.contract;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import org.junit.jupiter.api.AssertionFailureBuilder;

/** Bytes that no two places or seeds have in common, written and verified: eight at a time, since an emulated machine is slow. */
final class Pattern {
    private static final ValueLayout.OfLong EIGHT = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private Pattern() {
    }

    static byte at(long seed, long index) {
        return (byte) (eight(seed, index) >>> ((index & 7) << 3));
    }

    /** The eight bytes that a byte is one of; the first is the lowest. */
    private static long eight(long seed, long index) {
        long mixed = (seed * 0x9E3779B97F4A7C15L + (index >>> 3) + 1) * 0xBF58476D1CE4E5B9L;
        return mixed ^ mixed >>> 31;
    }

    /** Fills a part of a segment with the pattern's first {@code length} bytes. */
    static void fill(MemorySegment segment, long offset, long length, long seed) {
        long i = 0;
        for (; length - i >= 8; i += 8) {
            segment.set(EIGHT, offset + i, eight(seed, i));
        }
        for (; i < length; i++) {
            segment.set(ValueLayout.JAVA_BYTE, offset + i, at(seed, i));
        }
    }

    /** Asserts that a part of a segment is the pattern's first {@code length} bytes. */
    static void verify(MemorySegment segment, long offset, long length, long seed) {
        verify(segment, offset, length, seed, 0);
    }

    /** Asserts that a part of a segment is {@code length} bytes of the pattern from its byte {@code from} on. */
    static void verify(MemorySegment segment, long offset, long length, long seed, long from) {
        long i = 0;
        while (i < length) {
            if ((from + i & 7) == 0 && length - i >= 8 && segment.get(EIGHT, offset + i) == eight(seed, from + i)) {
                i += 8;
                continue;
            }
            byte expected = at(seed, from + i);
            byte actual = segment.get(ValueLayout.JAVA_BYTE, offset + i);
            if (expected != actual) {
                throw AssertionFailureBuilder.assertionFailure()
                        .message("byte " + i + " of " + length + " (at " + (offset + i) + " of the segment, pattern " + seed + ")")
                        .expected(expected).actual(actual).build();
            }
            i++;
        }
    }

    /** Asserts that every byte of a part of a segment has one value. */
    static void verifyAll(MemorySegment segment, long offset, long length, int value, String what) {
        long eight = (value & 0xFF) * 0x0101_0101_0101_0101L;
        long i = offset;
        while (i < offset + length) {
            if (offset + length - i >= 8 && segment.get(EIGHT, i) == eight) {
                i += 8;
                continue;
            }
            byte actual = segment.get(ValueLayout.JAVA_BYTE, i);
            if (actual != (byte) value) {
                throw AssertionFailureBuilder.assertionFailure().message(what + ": byte " + i + " was changed").expected((byte) value)
                        .actual(actual).build();
            }
            i++;
        }
    }
}
