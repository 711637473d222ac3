package org.panamaverbs;

import java.math.BigInteger;
import java.time.Duration;

/**
 * The clock by which a device stamps completions ({@code hca_core_clock}, {@code completion_timestamp_mask}). It counts from a moment of its
 * own, so only the difference of two stamps of one device means something.
 *
 * @param hertz ticks per second, 1 or more
 * @param mask  the bits of a stamp that count: the clock starts again at 0 after this
 */
public record CompletionClock(long hertz, long mask) {
    private static final BigInteger NANOS_PER_SECOND = BigInteger.valueOf(1_000_000_000);

    /** Checks both. */
    public CompletionClock {
        if (hertz < 1 || mask == 0 || (mask & mask + 1) != 0) {
            throw new IllegalArgumentException(
                    "a clock has 1 Hz or more and a mask of low bits, not " + hertz + " Hz and a mask of 0x" + Long.toHexString(mask));
        }
    }

    /**
     * The time between two completions, if the clock went around once at most.
     *
     * @param earlier {@link Completions#timestamp()} of the one
     * @param later   that of the other
     * @return 0 or more, to the nanosecond below
     */
    public Duration between(long earlier, long later) {
        long ticks = later - earlier & mask;
        long seconds = Long.divideUnsigned(ticks, hertz);
        long rest = Long.remainderUnsigned(ticks, hertz);
        // The product may have more than 64 bits.
        long nanos = BigInteger.valueOf(rest).multiply(NANOS_PER_SECOND).divide(BigInteger.valueOf(hertz)).longValue();
        return Duration.ofSeconds(seconds, nanos);
    }
}
