package org.panamaverbs.contract;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.AssertionFailureBuilder;

/** Bytes that no two places or seeds have in common, written and verified. */
final class Pattern {
    private Pattern() {
    }

    static byte at(long seed, long index) {
        long mixed = (seed * 0x9E3779B97F4A7C15L + (index >>> 3) + 1) * 0xBF58476D1CE4E5B9L;
        mixed ^= mixed >>> 31;
        return (byte) (mixed >>> ((index & 7) << 3));
    }

    /** Fills a part of a segment with the pattern's first {@code length} bytes. */
    static void fill(MemorySegment segment, long offset, long length, long seed) {
        for (long i = 0; i < length; i++) {
            segment.set(ValueLayout.JAVA_BYTE, offset + i, at(seed, i));
        }
    }

    /** Asserts that a part of a segment is the pattern's first {@code length} bytes. */
    static void verify(MemorySegment segment, long offset, long length, long seed) {
        verify(segment, offset, length, seed, 0);
    }

    /** Asserts that a part of a segment is {@code length} bytes of the pattern from its byte {@code from} on. */
    static void verify(MemorySegment segment, long offset, long length, long seed, long from) {
        for (long i = 0; i < length; i++) {
            byte expected = at(seed, from + i);
            byte actual = segment.get(ValueLayout.JAVA_BYTE, offset + i);
            if (expected != actual) {
                throw AssertionFailureBuilder.assertionFailure()
                        .message("byte " + i + " of " + length + " (at " + (offset + i) + " of the segment, pattern " + seed + ")")
                        .expected(expected).actual(actual).build();
            }
        }
    }

    /** Asserts that every byte of a part of a segment has one value. */
    static void verifyAll(MemorySegment segment, long offset, long length, int value, String what) {
        for (long i = offset; i < offset + length; i++) {
            byte actual = segment.get(ValueLayout.JAVA_BYTE, i);
            if (actual != (byte) value) {
                throw AssertionFailureBuilder.assertionFailure().message(what + ": byte " + i + " was changed").expected((byte) value)
                        .actual(actual).build();
            }
        }
    }
}
