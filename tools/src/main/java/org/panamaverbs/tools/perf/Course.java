package org.panamaverbs.tools.perf;

import java.util.concurrent.Phaser;

/** The state that the threads of a measurement share: its warm-up, its duration, and their progress. */
final class Course {
    /** Another thread has failed, and its failure is the one to report. */
    static final class Abandoned extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    private final WarmUp warmUp;
    private final long nanos;
    private final Intervals intervals;
    private final Progress progress;
    private final Phaser barrier;

    /** @param nanos how long to measure, after the warm-up */
    Course(int threads, WarmUp warmUp, long nanos, Intervals intervals) {
        this.warmUp = warmUp;
        this.nanos = nanos;
        this.intervals = intervals;
        progress = new Progress(threads);
        barrier = new Phaser(threads);
    }

    /** That of all threads together, which the first one keeps. */
    WarmUp warmUp() {
        return warmUp;
    }

    long nanos() {
        return nanos;
    }

    /** Reports of all threads together, by the first one. */
    Intervals intervals() {
        return intervals;
    }

    Progress progress() {
        return progress;
    }

    /** Waits until all threads have come as far. */
    void awaitAll() {
        if (barrier.arriveAndAwaitAdvance() < 0) {
            throw new Abandoned();
        }
    }

    /** A thread has failed: none waits for it. */
    void abandon() {
        barrier.forceTermination();
    }
}
