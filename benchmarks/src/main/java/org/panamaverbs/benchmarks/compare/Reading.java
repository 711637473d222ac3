package org.panamaverbs.benchmarks.compare;

import java.util.EnumMap;
import java.util.Map;

/**
 * What one run of a subject has measured.
 *
 * @param values by what they are
 */
record Reading(Map<Metric, Double> values) {
    static Reading of(Metric metric, double value) {
        return new Reading(Map.of()).with(metric, value);
    }

    /** The same with one value more. */
    Reading with(Metric metric, double value) {
        Map<Metric, Double> more = new EnumMap<>(Metric.class);
        more.putAll(values);
        more.put(metric, value);
        return new Reading(more);
    }

    /** The value, or {@code null} where the subject does not measure it. */
    Double get(Metric metric) {
        return values.get(metric);
    }
}
