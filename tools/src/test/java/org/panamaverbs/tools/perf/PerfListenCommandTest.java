package org.panamaverbs.tools.perf;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.testing.Proofs;
import org.panamaverbs.tools.Program;

/** A listener that its user has limited, and ends that hang. */
@Execution(ExecutionMode.CONCURRENT)
class PerfListenCommandTest {
    private static String[] perf(String address, String... options) {
        List<String> arguments = new ArrayList<>(List.of("perf"));
        arguments.addAll(List.of(options));
        arguments.addAll(List.of("--warm-up", "0", "--connect", address));
        return arguments.toArray(String[]::new);
    }

    private static void assertRefused(Program.Outcome outcome, String words) {
        assertAll(() -> assertEquals(1, outcome.status()), () -> assertEquals(1, outcome.errors().lines().count(), outcome.errors()),
                () -> assertTrue(outcome.errors().contains(words), outcome.errors()));
    }

    @Test
    void shouldSayWhatAListenerRefuses() throws Exception {
        try (Program.Server server = new Program.Server("perf", "--listen", "127.0.0.1:0", "--max-memory", "1MiB")) {
            assertRefused(Program.run(perf(server.address(), "write", "--size", "1MiB")), "start the listener with a larger --max-memory");
            assertRefused(Program.run(perf(server.address(), "write", "--latency", "--size", "64")),
                    "start the listener with --allow-spin");
            Program.Outcome sends = Program.run(perf(server.address(), "send", "--latency", "--size", "64", "--seconds", "0.1", "--json"));
            JsonNode result = new ObjectMapper().readTree(sends.out());
            assertAll(() -> assertEquals(0, sends.status(), sends.errors()), () -> assertEquals("spin", result.get("waiting").asText()),
                    () -> assertEquals("block", result.get("peerWaiting").asText()));
        }
    }

    static List<String> operations() {
        return Proofs.cases("write", "read", "send");
    }

    @ParameterizedTest
    @MethodSource("operations")
    void shouldNotWaitForAListenerThatStops(String operation) throws Exception {
        try (Program.Server server = new Program.Server("perf", "--listen", "127.0.0.1:0")) {
            Process perf = Program.start(perf(server.address(), operation, "--size", "64KiB", "--seconds", "600", "--timeout", "4"));
            server.await("65536 bytes");
            server.freeze();
            String said = new String(perf.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertTrue(perf.waitFor(180, TimeUnit.SECONDS));
            assertAll(() -> assertEquals(1, perf.exitValue(), said),
                    () -> assertTrue(said.contains("nothing has come from " + server.address() + " for 4 s"), said));
        }
    }

    @ParameterizedTest
    @MethodSource("operations")
    void shouldNotWaitForAMeasurementThatStops(String operation) throws Exception {
        try (Program.Server server = new Program.Server("perf", "--listen", "127.0.0.1:0", "--timeout", "3")) {
            Process perf = Program.start(perf(server.address(), operation, "--size", "64KiB", "--seconds", "600"));
            try {
                server.await("65536 bytes");
                Program.freeze(perf);
                String line = server.await("has done nothing for 3 s");
                assertTrue(line.startsWith("127.0.0.1:"), line);
            } finally {
                perf.destroyForcibly();
            }
        }
    }

    /** For longer than the listener waits, it sees nothing but signs of life. */
    @Tag(Proofs.TAG)
    @ParameterizedTest
    @ValueSource(strings = { "write", "read", "read --latency" })
    void shouldNotTakeAMeasurementForOneThatStopped(String what) throws Exception {
        try (Program.Server server = new Program.Server("perf", "--listen", "127.0.0.1:0", "--timeout", "1")) {
            List<String> options = new ArrayList<>(List.of(what.split(" ")));
            options.addAll(List.of("--size", "64", "--seconds", "5"));
            Program.Outcome outcome = Program.run(perf(server.address(), options.toArray(String[]::new)));
            assertEquals(0, outcome.status(), outcome.errors());
        }
    }
}
