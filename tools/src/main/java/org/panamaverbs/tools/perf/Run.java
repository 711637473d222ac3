package org.panamaverbs.tools.perf;

import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** One measurement over connections that stand: a warm-up that does not count, then messages until the time is up. */
abstract sealed class Run permits BandwidthRun, LatencyRun {
    private static final long LONGEST_LATENCY_NANOS = TimeUnit.SECONDS.toNanos(60);
    /**
     * The warm-up comes in so many parts, each begun and ended as the measurement is: a step that happens for the first time after seconds
     * of nothing but messages makes the JVM throw compiled methods away, and those of the path itself would be made anew while it is
     * measured.
     */
    private static final int WARM_UPS = 4;

    protected final ActiveSide side;
    /** In nanoseconds. */
    protected final Histogram latencies = new Histogram(LONGEST_LATENCY_NANOS, 3);
    private final Course course;
    private final int thread;

    /** @param thread which of the measurement's threads drives it, from 0 */
    Run(ActiveSide side, Course course, int thread) {
        this.side = side;
        this.course = course;
        this.thread = thread;
    }

    /** A signalled message is done, and with it all before on its connection. */
    abstract void onCompletion(int connection, long number);

    /** The peer can take more messages. */
    abstract void onCredits(int connection);

    /** A message of the peer has come: an echo, or one of the other direction. */
    abstract void onMessage(int connection);

    /** Sends messages until the time is up, and waits until all are done. */
    protected abstract void runFor(long nanos);

    /** How many messages are done. */
    protected abstract long done();

    /**
     * Measures.
     *
     * @return the measurement; if the peer was lost meanwhile, the part until then, with the failure
     */
    final Result measure() {
        Tally farBefore = Tally.NOTHING;
        Tally nearBefore = Tally.NOTHING;
        for (int i = 0; i < WARM_UPS; i++) {
            runFor(course.warmUpNanos() / WARM_UPS);
            if (i == WARM_UPS - 1) {
                course.progress().set(thread, done());
                course.awaitStart();
            }
            // Messages in flight do not count as carried: the far end answers once everything before has arrived.
            farBefore = side.far(this);
            nearBefore = side.near();
            latencies.reset();
        }
        long doneBefore = done();
        long start = System.nanoTime();
        if (thread == 0) {
            course.intervals().begin(start, course.progress().total());
        }
        RuntimeException failure = null;
        Tally near = nearBefore;
        Tally far = farBefore;
        try {
            runFor(course.nanos());
            near = side.near();
            far = side.far(this);
        } catch (RuntimeException e) {
            failure = e;
        }
        long elapsed = System.nanoTime() - start;
        return new Result(side.plan(), side.connections(), done() - doneBefore, elapsed, latencies, near.minus(nearBefore),
                far.minus(farBefore), failure);
    }

    /** The steps of a run now and then between its messages. */
    protected final void betweenMessages(long nanoTime) {
        side.giveSignOfLife(nanoTime);
        course.progress().set(thread, done());
        if (thread == 0 && course.intervals().isDue(nanoTime)) {
            course.intervals().report(nanoTime, course.progress().total());
        }
    }

    /** Takes one latency into account; emulated machines have clocks that go back. */
    protected final void record(long nanos) {
        latencies.recordValue(Math.clamp(nanos, 0L, LONGEST_LATENCY_NANOS));
    }
}
