package org.panamaverbs.compare;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;
import java.util.Map;

/**
 * The program in C that makes the calls of soft-iwarp and nothing else: the part of the socket's speed that is left if each frame of
 * 64 KiB is received into its place by a call of its own.
 *
 * @param program the path that it was compiled to, if it could be
 */
record Frames(Peer peer, Network network, String program) implements Subject {
    @Override
    public String name() {
        return "C, frames of 64 KiB";
    }

    @Override
    public Reading measure(Pace pace) throws ProgramException, InterruptedException {
        String limit = Long.toString(pace.limit().toSeconds());
        Map<String, String> environment = network.option().isEmpty() ? Map.of() : Map.of("CONGESTION_CONTROL", network.option());
        try (Child server = new Child(name() + " (server)", network.inside(List.of(program, "serve", limit)), environment, pace.limit());
                Child client = new Child(name(), network.inside(List.of(program, server.awaitPort(), limit,
                        Double.toString(Math.min(pace.warmUp(), 0.2)), Double.toString(pace.seconds()))), environment, pace.limit())) {
            String said = client.awaitOutput();
            network.check(name(), said);
            return parse(said);
        }
    }

    /** The one line of its client. */
    static Reading parse(String json) throws ProgramException {
        try {
            JsonNode rate = new ObjectMapper().readTree(json).path("bytesPerSecond");
            if (!rate.isNumber() || rate.asDouble() <= 0) {
                throw new ProgramException("the frames in C did not say their bytesPerSecond");
            }
            return Reading.of(Metric.BYTES_PER_SECOND, rate.asDouble());
        } catch (JsonProcessingException e) {
            throw new ProgramException("the frames in C said no JSON: " + e.getOriginalMessage(), e);
        }
    }
}
