package org.panamaverbs.compare;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;
import java.util.Map;

/**
 * The ping-pong in C.
 *
 * @param program the path that it was compiled to, if it could be
 * @param spins   whether it polls its sockets, or sleeps in them
 * @param size    of a message, in bytes
 */
record PingPong(Peer peer, Network network, String program, boolean spins, long size) implements Subject {
    @Override
    public String name() {
        return "C ping-pong " + Sizes.text(size) + ", " + (spins ? "spinning" : "blocking");
    }

    @Override
    public Reading measure(Pace pace) throws ProgramException, InterruptedException {
        String how = spins ? "spin" : "block";
        String bytes = Long.toString(size);
        String limit = Long.toString(pace.limit().toSeconds());
        Map<String, String> environment = network.option().isEmpty() ? Map.of() : Map.of("CONGESTION_CONTROL", network.option());
        try (Child server = new Child(name() + " (server)", network.inside(List.of(program, "serve", how, bytes, limit)), environment,
                pace.limit());
                Child client = new Child(name(),
                        network.inside(List.of(program, server.awaitPort(), how, bytes, limit,
                                Double.toString(Math.min(pace.warmUp(), 0.2)), Double.toString(pace.seconds()))),
                        environment, pace.limit())) {
            String said = client.awaitOutput();
            network.check(name(), said);
            return parse(said);
        }
    }

    /** The one line of its client. */
    static Reading parse(String json) throws ProgramException {
        try {
            JsonNode result = new ObjectMapper().readTree(json);
            Reading reading = Reading.of(Metric.MINIMUM_MICROS, number(result, "minimum"));
            return reading.with(Metric.P50_MICROS, number(result, "p50")).with(Metric.P99_MICROS, number(result, "p99"))
                    .with(Metric.P999_MICROS, number(result, "p999")).with(Metric.MAXIMUM_MICROS, number(result, "maximum"));
        } catch (JsonProcessingException e) {
            throw new ProgramException("the C ping-pong said no JSON: " + e.getOriginalMessage(), e);
        }
    }

    private static double number(JsonNode result, String name) throws ProgramException {
        if (!result.path(name).isNumber()) {
            throw new ProgramException("the C ping-pong did not say its " + name);
        }
        return result.get(name).asDouble();
    }
}
