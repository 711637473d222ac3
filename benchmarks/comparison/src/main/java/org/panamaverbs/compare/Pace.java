package org.panamaverbs.compare;

import java.time.Duration;

/**
 * How long a subject runs.
 *
 * @param seconds measured
 * @param warmUp  seconds before, in which JVMs compile; programs in C need none
 */
record Pace(double seconds, double warmUp) {
    /** The seconds that everything that starts, connects or ends may take besides. */
    private static final double REST = 60;

    /** After how long a process of this pace is taken for hung. */
    Duration limit() {
        return Duration.ofMillis((long) (1000 * (warmUp + 2 * seconds + REST)));
    }

    Pace withWarmUpAtLeast(double least) {
        return new Pace(seconds, Math.max(warmUp, least));
    }
}
