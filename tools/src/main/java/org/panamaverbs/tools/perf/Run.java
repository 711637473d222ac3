package org.panamaverbs.tools.perf;

import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** One measurement over a connection that stands: a warm-up that does not count, then messages until the time is up. */
abstract sealed class Run permits BandwidthRun, LatencyRun {
    private static final long LONGEST_LATENCY_NANOS = TimeUnit.SECONDS.toNanos(60);

    protected final Requester requester;
    /** In nanoseconds. */
    protected final Histogram latencies = new Histogram(LONGEST_LATENCY_NANOS, 3);
    private final long warmUpNanos;
    private final long nanos;

    Run(Requester requester, long warmUpNanos, long nanos) {
        this.requester = requester;
        this.warmUpNanos = warmUpNanos;
        this.nanos = nanos;
    }

    /** A signalled message is done, and with it all before. */
    abstract void onCompletion(long id);

    /** A Send of the peer has come. */
    abstract void onReceive(long length);

    /** Sends messages until the time is up, and waits until all are done. */
    protected abstract void runFor(long nanos);

    /** How many messages are done. */
    protected abstract long done();

    /** How many messages a latency stands for: 2 where it is that of a round trip. */
    protected abstract int waysPerLatency();

    /**
     * Measures.
     *
     * @return what was measured; where the peer was lost on the way, the part until then, with the failure
     */
    final Result measure() {
        runFor(warmUpNanos);
        Tally before = start();
        latencies.reset();
        long doneBefore = done();
        long start = System.nanoTime();
        RuntimeException failure = null;
        Tally after = before;
        try {
            runFor(nanos);
            after = end();
        } catch (RuntimeException e) {
            failure = e;
        }
        long elapsed = System.nanoTime() - start;
        return new Result(requester.plan(), done() - doneBefore, elapsed, latencies, waysPerLatency(), after.minus(before), failure);
    }

    /** What has arrived before, at the end where the bytes land: of a Read, here. */
    private Tally start() {
        Tally far = requester.mark(this);
        return isRead() ? Tally.of(requester.pair(), 0) : far;
    }

    /** The far end's answer comes after everything has arrived: what is on the way does not count as carried. */
    private Tally end() {
        Tally near = isRead() ? Tally.of(requester.pair(), 0) : null;
        Tally far = requester.mark(this);
        return isRead() ? near : far;
    }

    /** Takes one latency into account; emulated machines have clocks that go back. */
    protected final void record(long nanos) {
        latencies.recordValue(Math.clamp(nanos, 0L, LONGEST_LATENCY_NANOS));
    }

    private boolean isRead() {
        return requester.plan().operation() == Operation.READ;
    }
}
