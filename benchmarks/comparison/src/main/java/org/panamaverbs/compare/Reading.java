package org.panamaverbs.compare;

import java.util.EnumMap;
import java.util.Map;

/**
 * The measurement of one run of a subject.
 *
 * @param values by their metrics
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

    /** The value, or {@code null} if the subject does not measure it. */
    Double get(Metric metric) {
        return values.get(metric);
    }
}
