package org.panamaverbs.compare;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;
import java.util.Map;

/**
 * One stream of iperf3 over UDP, as fast as it can.
 *
 * @param size of a datagram's payload, in bytes
 */
record Iperf3Udp(Peer peer, Network network, long size) implements Subject {
    @Override
    public String name() {
        return "iperf3 -u -b 0, -l " + size;
    }

    @Override
    public Reading measure(Pace pace) throws ProgramException, InterruptedException {
        String port = Integer.toString(Programs.freePort());
        // It takes whole seconds.
        String seconds = Integer.toString((int) Math.max(1, Math.ceil(pace.seconds())));
        return parse(Programs.meet(name(), network.inside(List.of("iperf3", "-s", "-1", "-B", "127.0.0.1", "-p", port)),
                network.inside(
                        List.of("iperf3", "-c", "127.0.0.1", "-p", port, "-u", "-b", "0", "-l", Long.toString(size), "-t", seconds, "-J")),
                Map.of(), pace.limit().plusSeconds(1)));
    }

    /** The reading from the output of {@code iperf3 -u -J}: the received bytes count. */
    static Reading parse(String json) throws ProgramException {
        try {
            JsonNode result = new ObjectMapper().readTree(json);
            if (result.hasNonNull("error")) {
                throw new ProgramException("iperf3: " + result.get("error").asText());
            }
            JsonNode received = result.path("end").path("sum_received");
            JsonNode rate = received.path("bits_per_second");
            JsonNode lost = received.path("lost_percent");
            if (!rate.isNumber() || rate.asDouble() <= 0 || !lost.isNumber()) {
                throw new ProgramException("iperf3 said nothing of what was received over UDP");
            }
            return Reading.of(Metric.BYTES_PER_SECOND, rate.asDouble() / 8).with(Metric.ARRIVED_SHARE, 1 - lost.asDouble() / 100);
        } catch (JsonProcessingException e) {
            throw new ProgramException("iperf3 said no JSON: " + e.getOriginalMessage(), e);
        }
    }
}
