package org.panamaverbs.benchmarks.compare;

import java.util.Arrays;
import java.util.List;

/**
 * The result of some runs.
 *
 * @param values in the order measured; at least one
 */
record Summary(List<Double> values) {
    Summary {
        if (values.isEmpty()) {
            throw new IllegalArgumentException("there is nothing to sum up");
        }
        values = List.copyOf(values);
    }

    /** The one in the middle; of an even number, the mean of both. */
    double median() {
        double[] sorted = sorted();
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    double least() {
        return sorted()[0];
    }

    double greatest() {
        return sorted()[values.size() - 1];
    }

    private double[] sorted() {
        double[] sorted = values.stream().mapToDouble(Double::doubleValue).toArray();
        Arrays.sort(sorted);
        return sorted;
    }
}
