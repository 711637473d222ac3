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
    void begin(long now, long done) {
        measuring = lengthNanos > 0;
        start = now;
        last = now;
        doneAtLast = done;
    }

    /** Whether a report is due: a run asks between its messages. */
    boolean isDue(long now) {
        return measuring && now - last >= lengthNanos;
    }

    void report(long now, long done) {
        reports.interval(plan, now - start, now - last, done - doneAtLast);
        last = now;
        doneAtLast = done;
    }
}
