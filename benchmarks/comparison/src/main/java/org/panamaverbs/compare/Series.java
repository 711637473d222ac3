package org.panamaverbs.compare;

import java.util.Map;
import java.util.TreeMap;

/**
 * A line of a chart.
 *
 * @param name   of the line
 * @param points by the number on the horizontal axis
 */
record Series(String name, Map<Long, Double> points) {
    Series(String name) {
        this(name, new TreeMap<>());
    }
}
