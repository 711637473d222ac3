package org.panamaverbs.tools.cast;

import java.util.concurrent.TimeUnit;

/** Spreads octets over time. A caller that comes late may catch up, but never by more than {@value #CATCH_UP_MILLIS} ms. */
final class Pacer {
    static final int CATCH_UP_MILLIS = 2;

    private static final long CATCH_UP = TimeUnit.MILLISECONDS.toNanos(CATCH_UP_MILLIS);

    private final double nanosPerOctet;
    private boolean begun;
    private long next;

    /** @param octetsPerSecond {@link Long#MAX_VALUE} for no limit */
    Pacer(long octetsPerSecond) {
        nanosPerOctet = octetsPerSecond == Long.MAX_VALUE ? 0 : 1e9 / octetsPerSecond;
    }

    /**
     * Plans the next octets.
     *
     * @param nanoTime the time of {@link System#nanoTime}
     * @return how many nanoseconds the caller waits before it sends them
     */
    long plan(long nanoTime, long octets) {
        if (nanosPerOctet == 0) {
            return 0;
        }
        if (!begun || nanoTime - next > CATCH_UP) {
            next = begun ? nanoTime - CATCH_UP : nanoTime;
            begun = true;
        }
        long wait = Math.max(0, next - nanoTime);
        next += (long) (octets * nanosPerOctet);
        return wait;
    }
}
