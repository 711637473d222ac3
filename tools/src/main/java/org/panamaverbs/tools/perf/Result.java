package org.panamaverbs.tools.perf;

import org.HdrHistogram.Histogram;

/**
 * What one run has measured.
 *
 * @param plan           what was run
 * @param connections    how many carried messages
 * @param messages       how many were done
 * @param nanos          how long it took
 * @param latencies      in nanoseconds: from posting to completion, or of round trips
 * @param waysPerLatency 2 where a latency is that of a round trip and half of it is reported
 * @param near           what this end did
 * @param far            what the other end did
 * @param failure        why the run ended early, or {@code null}
 */
record Result(Plan plan, int connections, long messages, long nanos, Histogram latencies, int waysPerLatency, Tally near, Tally far,
        RuntimeException failure) {
    private static final double MEBIBYTE = 1 << 20;

    /** Of the end where the messages landed. */
    Tally landed() {
        return plan.operation() == Operation.READ ? near : far;
    }

    /** System calls that received or sent, of both ends, for each MiB of messages; 0 where the device does not count them. */
    double systemCallsPerMebibyte() {
        long calls = near.readCalls() + near.writeCalls() + far.readCalls() + far.writeCalls();
        return calls * MEBIBYTE / (messages * (double) plan.size());
    }

    double bytesPerSecond() {
        return messages * (double) plan.size() * 1e9 / nanos;
    }

    double gigabitsPerSecond() {
        return bytesPerSecond() * 8 / 1e9;
    }

    double messagesPerSecond() {
        return messages * 1e9 / nanos;
    }

    double micros(double percentile) {
        return latencies.getValueAtPercentile(percentile) / 1e3 / waysPerLatency;
    }

    double minimumMicros() {
        return latencies.getMinValue() / 1e3 / waysPerLatency;
    }

    double maximumMicros() {
        return latencies.getMaxValue() / 1e3 / waysPerLatency;
    }
}
