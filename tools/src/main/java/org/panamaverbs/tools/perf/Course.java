package org.panamaverbs.tools.perf;

import java.util.concurrent.Phaser;

/** The state that the threads of a measurement share: its duration, its start, and their progress. */
final class Course {
    /** Another thread has failed, and its failure is the one to report. */
    static final class Abandoned extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    private final long warmUpNanos;
    private final long nanos;
    private final Intervals intervals;
    private final Progress progress;
    private final Phaser start;

    /** @param nanos how long to measure, after the warm-up */
    Course(int threads, long warmUpNanos, long nanos, Intervals intervals) {
        this.warmUpNanos = warmUpNanos;
        this.nanos = nanos;
        this.intervals = intervals;
        progress = new Progress(threads);
        start = new Phaser(threads);
    }

    long warmUpNanos() {
        return warmUpNanos;
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

    /** Waits until all threads are ready to be measured. */
    void awaitStart() {
        if (start.arriveAndAwaitAdvance() < 0) {
            throw new Abandoned();
        }
    }

    /** A thread has failed: none waits for it. */
    void abandon() {
        start.forceTermination();
    }
}
