package org.panamaverbs.tools.perf;

import org.HdrHistogram.Histogram;

/**
 * What one run has measured.
 *
 * @param plan           what was run
 * @param messages       how many were done
 * @param nanos          how long it took
 * @param latencies      in nanoseconds: from posting to completion, or of round trips
 * @param waysPerLatency 2 where a latency is that of a round trip and half of it is reported
 * @param tally          what arrived, of the end where it landed
 * @param failure        why the run ended early, or {@code null}
 */
record Result(Plan plan, long messages, long nanos, Histogram latencies, int waysPerLatency, Tally tally, RuntimeException failure) {
    double bytesPerSecond() {
        return messages * (double) plan.size() * 1e9 / nanos;
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
