package org.panamaverbs.compare;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * One stream of iperf3: bytes over TCP, and nothing done with them.
 *
 * @param size of a write, in bytes
 */
record Iperf3(Peer peer, Network network, long size) implements Subject {
    @Override
    public String name() {
        return "iperf3, one stream, -l " + Sizes.text(size);
    }

    @Override
    public Reading measure(Pace pace) throws ProgramException, InterruptedException {
        String port = Integer.toString(Programs.freePort());
        // It takes whole seconds.
        String seconds = Integer.toString((int) Math.max(1, Math.ceil(pace.seconds())));
        List<String> client = new ArrayList<>(
                List.of("iperf3", "-c", "127.0.0.1", "-p", port, "-l", Long.toString(size), "-t", seconds, "-J"));
        if (!network.option().isEmpty()) {
            // It tells the server.
            client.addAll(List.of("-C", network.option()));
        }
        String said = Programs.meet(name(), network.inside(List.of("iperf3", "-s", "-1", "-B", "127.0.0.1", "-p", port)),
                network.inside(client), Map.of(), pace.limit().plusSeconds(1));
        Reading reading = parse(said);
        network.check(name(), said);
        return reading;
    }

    /** The reading from the output of {@code iperf3 -J}: the received bytes count. */
    static Reading parse(String json) throws ProgramException {
        try {
            JsonNode result = new ObjectMapper().readTree(json);
            if (result.hasNonNull("error")) {
                throw new ProgramException("iperf3: " + result.get("error").asText());
            }
            JsonNode rate = result.path("end").path("sum_received").path("bits_per_second");
            if (!rate.isNumber() || rate.asDouble() <= 0) {
                throw new ProgramException("iperf3 said nothing of what was received");
            }
            return Reading.of(Metric.BYTES_PER_SECOND, rate.asDouble() / 8);
        } catch (JsonProcessingException e) {
            throw new ProgramException("iperf3 said no JSON: " + e.getOriginalMessage(), e);
        }
    }
}
