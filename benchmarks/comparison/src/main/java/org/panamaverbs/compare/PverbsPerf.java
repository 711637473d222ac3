package org.panamaverbs.compare;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Ours, as a user runs it: {@code pverbs perf ...}, which starts its own peer in a second process.
 *
 * @param command   that starts pverbs
 * @param name      of the measurement, in a few words
 * @param arguments after {@code perf}
 * @param steady    whether this perf finds out when its JVMs are steady; else its warm-up has a fixed time
 */
record PverbsPerf(Peer peer, Network network, List<String> command, String name, List<String> arguments,
        boolean steady) implements Subject {
    @Override
    public Reading measure(Pace pace) throws ProgramException, InterruptedException {
        return run(pace, pace, List.of()).getLast().reading();
    }

    /** By the size of a message, one after another in the same two processes. */
    Map<Long, Reading> measure(long[] sizes, Pace pace) throws ProgramException, InterruptedException {
        List<String> texts = new ArrayList<>();
        for (long size : sizes) {
            texts.add(Long.toString(size));
        }
        Map<Long, Reading> readings = new TreeMap<>();
        Pace all = new Pace(pace.seconds() * sizes.length, pace.warmUp() * (1 + sizes.length / 10.0));
        for (Line line : run(pace, all, List.of("--size", String.join(",", texts)))) {
            readings.put(line.size(), line.reading());
        }
        return readings;
    }

    private List<Line> run(Pace pace, Pace whole, List<String> more) throws ProgramException, InterruptedException {
        List<String> all = new ArrayList<>(command);
        all.add("perf");
        all.addAll(arguments);
        all.addAll(more);
        all.addAll(List.of("--seconds", Double.toString(pace.seconds()), "--warm-up", steady ? pace.bounds() : pace.fixed(), "--json"));
        // Thousands of connections take their time to be made.
        try (Child child = new Child("pverbs perf, " + name, network.inside(all), Map.of(), whole.limit().plusSeconds(90))) {
            return parse(child.awaitOutput());
        }
    }

    /**
     * A size, and the measurement with it.
     *
     * @param size of a message, in bytes
     */
    record Line(long size, Reading reading) {
    }

    /** The lines of {@code pverbs perf --json}. */
    static List<Line> parse(String output) throws ProgramException {
        List<Line> lines = new ArrayList<>();
        try {
            for (String line : output.lines().filter(each -> each.startsWith("{")).toList()) {
                JsonNode result = new ObjectMapper().readTree(line);
                if (!result.path("complete").asBoolean()) {
                    throw new ProgramException("pverbs perf was cut short");
                }
                lines.add(new Line(required(result, "size").asLong(), reading(result)));
            }
        } catch (JsonProcessingException e) {
            throw new ProgramException("pverbs perf said no JSON: " + e.getOriginalMessage(), e);
        }
        if (lines.isEmpty()) {
            throw new ProgramException("pverbs perf said nothing");
        }
        return lines;
    }

    private static Reading reading(JsonNode result) throws ProgramException {
        double messages = required(result, "messages").asDouble();
        JsonNode latency = required(result, "latencyMicros");
        double direct = required(result, "placedDirectly").asDouble();
        double arrived = direct + required(result, "staged").asDouble();
        double allocated = required(result.path("near"), "allocatedBytes").asDouble()
                + required(result.path("far"), "allocatedBytes").asDouble();
        Reading reading = Reading.of(Metric.BYTES_PER_SECOND, required(result, "bytesPerSecond").asDouble())
                .with(Metric.MESSAGES_PER_SECOND, required(result, "messagesPerSecond").asDouble())
                .with(Metric.MINIMUM_MICROS, required(latency, "minimum").asDouble())
                .with(Metric.P50_MICROS, required(latency, "p50").asDouble()).with(Metric.P99_MICROS, required(latency, "p99").asDouble())
                .with(Metric.P999_MICROS, required(latency, "p999").asDouble())
                .with(Metric.MAXIMUM_MICROS, required(latency, "maximum").asDouble())
                .with(Metric.ALLOCATED_PER_MESSAGE, allocated / messages)
                .with(Metric.SYSTEM_CALLS_PER_MIB, required(result, "systemCallsPerMiB").asDouble());
        reading = reading.after(Beginning.parse(result.path("warmUp")));
        if (arrived > 0) {
            reading = reading.with(Metric.DIRECT_SHARE, direct / arrived);
        }
        if (result.has("idle")) {
            double heap = required(result.get("idle"), "heapBytesEach").asDouble();
            double outside = required(result.get("idle"), "nativeBytesEach").asDouble();
            reading = reading.with(Metric.HEAP_BYTES_EACH, heap).with(Metric.NATIVE_BYTES_EACH, outside).with(Metric.BYTES_EACH,
                    heap + outside);
        }
        return reading;
    }

    private static JsonNode required(JsonNode object, String field) throws ProgramException {
        if (!object.hasNonNull(field)) {
            throw new ProgramException("pverbs perf did not say its " + field);
        }
        return object.get(field);
    }
}
