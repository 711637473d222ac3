package org.panamaverbs.compare;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * The measurement of one run of a subject.
 *
 * @param values    by their metrics
 * @param beginning of its JVMs; {@code null} if it has none, or does not say
 */
record Reading(Map<Metric, Double> values, Beginning beginning) {
    static Reading of(Metric metric, double value) {
        return new Reading(Map.of(), null).with(metric, value);
    }

    /** The same with one value more. */
    Reading with(Metric metric, double value) {
        Map<Metric, Double> more = new EnumMap<>(Metric.class);
        more.putAll(values);
        more.put(metric, value);
        return new Reading(more, beginning);
    }

    /** The same after this beginning. */
    Reading after(Beginning other) {
        return new Reading(values, other);
    }

    /** A metric in each of the first seconds; empty if that is not known. */
    List<Double> bySecond(Metric metric) {
        return beginning == null ? List.of() : beginning.bySecond(metric, this);
    }

    /** The value, or {@code null} if the subject does not measure it. */
    Double get(Metric metric) {
        return values.get(metric);
    }
}
