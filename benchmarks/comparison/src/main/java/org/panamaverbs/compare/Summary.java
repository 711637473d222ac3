package org.panamaverbs.compare;

import java.util.Arrays;
import java.util.List;

/**
 * The result of some runs.
 *
 * @param values in the order measured; at least one
 */
record Summary(List<Double> values) {
    /** The fewest values that have an {@link #interval}. */
    static final int LEAST_FOR_INTERVAL = 6;

    private static final double UNCERTAIN = 0.05;

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

    /**
     * The interval in which the median of all possible values lies with a certainty of 95 % or more. It follows from the order of the values
     * alone: the median is below the k-th of n values only if fewer than k of n throws of a coin are heads.
     *
     * @return its ends; {@code null} for fewer than 6 values
     */
    double[] interval() {
        double[] sorted = sorted();
        int n = sorted.length;
        double chance = Math.pow(0.5, n);
        double below = chance;
        int k = 0;
        while (below <= UNCERTAIN / 2) {
            k++;
            chance *= (double) (n - k + 1) / k;
            below += chance;
        }
        return k == 0 ? null : new double[] { sorted[k - 1], sorted[n - k] };
    }

    private double[] sorted() {
        double[] sorted = values.stream().mapToDouble(Double::doubleValue).toArray();
        Arrays.sort(sorted);
        return sorted;
    }
}
