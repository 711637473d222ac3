package org.panamaverbs.tools.perf;

import java.util.List;
import java.util.Objects;
import org.HdrHistogram.Histogram;

/**
 * The result of one thread, or of all threads together.
 *
 * @param plan        that was run
 * @param connections how many carried messages
 * @param messages    how many were done
 * @param nanos       how long it took
 * @param latencies   in nanoseconds: from posting to completion, or of round trips
 * @param near        the work of this end
 * @param far         the work of the other end; of messages of its own, too, if both ends measured
 * @param failure     why the run ended early, or {@code null}
 */
record Result(Plan plan, int connections, long messages, long nanos, Histogram latencies, Tally near, Tally far, RuntimeException failure) {
    private static final double MEBIBYTE = 1 << 20;

    /** All threads together: they began at the same time, and the last one's end counts. */
    static Result sum(List<Result> threads) {
        Result first = threads.getFirst();
        Histogram latencies = new Histogram(first.latencies);
        Tally near = Tally.NOTHING;
        Tally far = Tally.NOTHING;
        for (Result thread : threads) {
            latencies.add(thread.latencies);
            near = near.plus(thread.near);
            far = far.plus(thread.far);
        }
        return new Result(first.plan, threads.stream().mapToInt(Result::connections).sum(),
                threads.stream().mapToLong(Result::messages).sum(), threads.stream().mapToLong(Result::nanos).max().orElseThrow(),
                latencies, near, far, threads.stream().map(Result::failure).filter(Objects::nonNull).findFirst().orElse(null));
    }

    /** Of the end where the messages landed. */
    Tally landed() {
        return plan.operation().fetches() ? near : far;
    }

    /** System calls that received or sent, of both ends, for each MiB of messages; 0 if the device does not count them. */
    double systemCallsPerMebibyte() {
        long calls = near.readCalls() + near.writeCalls() + far.readCalls() + far.writeCalls();
        return calls * MEBIBYTE / ((messages + far.sent()) * (double) plan.size());
    }

    /** Of the messages that this end has asked for. */
    Rate rate() {
        return Rate.of(messages, plan.size(), nanos);
    }

    /** Of the messages that the other end has asked for, by its own clock. */
    Rate reverse() {
        return Rate.of(far.sent(), plan.size(), far.nanos());
    }

    double micros(double percentile) {
        return latencies.getValueAtPercentile(percentile) / 1e3 / plan.waysPerLatency();
    }

    double minimumMicros() {
        return latencies.getMinValue() / 1e3 / plan.waysPerLatency();
    }

    double maximumMicros() {
        return latencies.getMaxValue() / 1e3 / plan.waysPerLatency();
    }
}
