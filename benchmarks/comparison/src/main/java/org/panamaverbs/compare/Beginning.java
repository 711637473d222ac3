package org.panamaverbs.compare;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;

/**
 * The warm-up of the JVMs of a run: how they began.
 *
 * @param seconds         how long it was
 * @param steady          whether it ended because the compilers were quiet; else its time was up
 * @param compilerSeconds that the compilers of both ends had worked by then
 * @param rates           messages per second, of each part: a second, or longer on a busy machine
 * @param medians         the median latencies of these, in microseconds; empty if the run measures none
 */
record Beginning(double seconds, boolean steady, double compilerSeconds, List<Double> rates, List<Double> medians) {
    /** Of the object that our programs print; {@code null} if there is none. */
    static Beginning parse(JsonNode warmUp) {
        if (!warmUp.path("seconds").isNumber()) {
            return null;
        }
        return new Beginning(warmUp.get("seconds").asDouble(), warmUp.path("steady").asBoolean(), warmUp.path("compilerSeconds").asDouble(),
                numbers(warmUp.path("messagesPerSecond")), numbers(warmUp.path("p50Micros")));
    }

    private static List<Double> numbers(JsonNode array) {
        return array.valueStream().map(JsonNode::asDouble).toList();
    }

    /**
     * A metric in each of the first seconds.
     *
     * @param reading of the measurement after it, which says how many bytes a message has
     * @return of 10 parts at most; an empty list if it is not known
     */
    List<Double> bySecond(Metric metric, Reading reading) {
        if (seconds < Pace.FIRST_SECONDS) {
            return List.of();
        }
        return switch (metric) {
            case MESSAGES_PER_SECOND -> first(rates, 1);
            case BYTES_PER_SECOND -> first(rates, reading.get(Metric.BYTES_PER_SECOND) / reading.get(Metric.MESSAGES_PER_SECOND));
            case P50_MICROS -> first(medians, 1);
            default -> List.of();
        };
    }

    private static List<Double> first(List<Double> values, double scale) {
        return values.stream().limit(Pace.FIRST_SECONDS).map(value -> value * scale).toList();
    }
}
