package org.panamaverbs.compare;

import java.time.Duration;
import java.util.Locale;

/**
 * How long a subject runs. Programs in C need no warm-up.
 *
 * @param seconds  measured
 * @param shortest seconds of warm-up, at the least
 * @param warmUp   seconds of warm-up, at the most: it ends before, when the JVMs are steady
 */
record Pace(double seconds, double shortest, double warmUp) {
    /** Of a warm-up that shows how a JVM begins. */
    static final int FIRST_SECONDS = 10;

    /** The warm-up of a perf that does not find out when it is steady. */
    private static final double FIXED = 10;
    /** The seconds that everything that starts, connects or ends may take besides. */
    private static final double REST = 60;

    /** Shows the first seconds, if the warm-up may be that long. */
    Pace(double seconds, double warmUp) {
        this(seconds, warmUp >= FIRST_SECONDS ? FIRST_SECONDS : 0, warmUp);
    }

    /** After how long a process of this pace is taken for hung. */
    Duration limit() {
        return Duration.ofMillis((long) (1000 * (warmUp + 2 * seconds + REST)));
    }

    /** The same if nobody wants to see the first seconds. */
    Pace withoutFirstSeconds() {
        return new Pace(seconds, 0, warmUp);
    }

    /** A warm-up of this time, whatever the compilers do. */
    Pace withWarmUp(double fixed) {
        return new Pace(seconds, fixed, fixed);
    }

    /** Twice as long. */
    Pace twice() {
        return new Pace(2 * seconds, 2 * shortest, 2 * warmUp);
    }

    /** The warm-up as an option of those that find out when they are steady. */
    String bounds() {
        return String.format(Locale.ROOT, "%.3f-%.3f", shortest, warmUp);
    }

    /** The warm-up as an option of a perf that warms up for a fixed time. */
    String fixed() {
        return Double.toString(Math.max(shortest, Math.min(warmUp, FIXED)));
    }
}
