package org.panamaverbs.tools.perf;

/** Reports what a run has done, every so many seconds while it is measured. */
final class Intervals {
    /** Takes reports. */
    interface Reports {
        void interval(Plan plan, long at, long nanos, long messages);
    }

    private final Reports reports;
    private final Plan plan;
    private final long lengthNanos;
    private boolean measuring;
    private long start;
    private long last;
    private long doneAtLast;

    /** @param lengthNanos of an interval; 0 for no reports */
    Intervals(Reports reports, Plan plan, long lengthNanos) {
        this.reports = reports;
        this.plan = plan;
        this.lengthNanos = lengthNanos;
    }

    /** The measurement begins, after so many messages of the warm-up. */
    void begin(long nanoTime, long done) {
        measuring = lengthNanos > 0;
        start = nanoTime;
        last = nanoTime;
        doneAtLast = done;
    }

    /** Whether a report is due: a run asks between its messages. */
    boolean isDue(long nanoTime) {
        return measuring && nanoTime - last >= lengthNanos;
    }

    void report(long nanoTime, long done) {
        reports.interval(plan, nanoTime - start, nanoTime - last, done - doneAtLast);
        last = nanoTime;
        doneAtLast = done;
    }
}
