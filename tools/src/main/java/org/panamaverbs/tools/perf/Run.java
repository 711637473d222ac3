package org.panamaverbs.tools.perf;

import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** One measurement over connections that stand: a warm-up that does not count, then messages until the time is up. */
abstract sealed class Run permits BandwidthRun, LatencyRun {
    private static final long LONGEST_LATENCY_NANOS = TimeUnit.SECONDS.toNanos(60);

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
        warmUp();
        // Messages in flight do not count as carried: the far end answers once everything before has arrived.
        Tally farBefore = side.far(this);
        Tally nearBefore = side.near();
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

    private void warmUp() {
        WarmUp warmUp = course.warmUp();
        if (thread == 0) {
            warmUp.begin(System.nanoTime());
        }
        do {
            long doneBefore = course.progress().total();
            long begin = System.nanoTime();
            runFor(warmUp.partNanos());
            long end = System.nanoTime();
            course.progress().set(thread, done());
            Tally far = side.far(this);
            Tally near = side.near();
            course.awaitAll();
            if (thread == 0) {
                double median = latencies.getValueAtPercentile(50) / 1e3 / side.plan().waysPerLatency();
                warmUp.onPart(System.nanoTime(), end - begin, course.progress().total() - doneBefore, median, near, far);
            }
            latencies.reset();
            // All see whether it is over.
            course.awaitAll();
        } while (!warmUp.isOver());
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
