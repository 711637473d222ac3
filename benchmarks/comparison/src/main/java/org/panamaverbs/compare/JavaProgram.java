package org.panamaverbs.compare;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A program of ours in Java that is measured beside: see the package {@code programs}.
 *
 * @param java the command that starts a JVM with our class path
 * @param main its class
 * @param ends how many processes it has: 1, or 2 of which one serves
 * @param what it does, in a few words
 * @param size of a message, in bytes
 */
record JavaProgram(Peer peer, Network network, List<String> java, Class<?> main, int ends, String what, long size) implements Subject {
    @Override
    public String name() {
        return what + " " + Sizes.text(size);
    }

    @Override
    public Reading measure(Pace pace) throws ProgramException, InterruptedException {
        String bytes = Long.toString(size);
        List<String> times = List.of(bytes, pace.bounds(), Double.toString(pace.seconds()));
        if (ends == 1) {
            return run(pace.limit(), times);
        }
        try (Child server = new Child(name() + " (server)", command("serve", bytes), UcxPut.ENVIRONMENT, pace.limit())) {
            // The port that it serves at, and the one for the time of its compilers.
            String[] ports = server.awaitPort().split(" ");
            List<String> arguments = new ArrayList<>(times);
            arguments.addFirst(ports[0]);
            arguments.add(ports[1]);
            return run(pace.limit(), arguments);
        }
    }

    private Reading run(Duration limit, List<String> arguments) throws ProgramException, InterruptedException {
        try (Child child = new Child(name(), command(arguments.toArray(String[]::new)), UcxPut.ENVIRONMENT, limit)) {
            return parse(child.awaitOutput());
        }
    }

    private List<String> command(String... arguments) {
        List<String> command = new ArrayList<>(java);
        command.add(main.getName());
        command.addAll(List.of(arguments));
        return network.inside(command);
    }

    /** The line of JSON; libraries may say something before it. */
    static Reading parse(String output) throws ProgramException {
        String json = output.lines().filter(line -> line.startsWith("{")).reduce((first, second) -> second).orElse("");
        try {
            JsonNode result = new ObjectMapper().readTree(json);
            if (!result.path("bytesPerSecond").isNumber() || !result.path("messagesPerSecond").isNumber()) {
                throw new ProgramException("the program did not say how fast it was");
            }
            Reading reading = Reading.of(Metric.BYTES_PER_SECOND, result.get("bytesPerSecond").asDouble()).with(Metric.MESSAGES_PER_SECOND,
                    result.get("messagesPerSecond").asDouble());
            for (Metric metric : List.of(Metric.P50_MICROS, Metric.P99_MICROS, Metric.ARRIVED_SHARE, Metric.ALLOCATED_PER_MESSAGE,
                    Metric.COPIED_PER_BYTE)) {
                if (result.path(metric.key()).isNumber()) {
                    reading = reading.with(metric, result.get(metric.key()).asDouble());
                }
            }
            return reading.after(Beginning.parse(result.path("warmUp")));
        } catch (JsonProcessingException e) {
            throw new ProgramException("the program said no JSON: " + e.getOriginalMessage(), e);
        }
    }
}
