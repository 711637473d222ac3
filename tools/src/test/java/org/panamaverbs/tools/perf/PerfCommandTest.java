package org.panamaverbs.tools.perf;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.panamaverbs.tools.Program;

class PerfCommandTest {
    private static Program.Server server;

    @BeforeAll
    static void listen() throws Exception {
        server = new Program.Server("perf", "--listen", "127.0.0.1:0");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @ParameterizedTest
    @CsvSource({ "write, false, block, 64", "write, false, spin, 1MiB", "read, false, block, 64KiB", "send, false, block, 1",
            "send, false, spin, 24",
            "send, false, block, 256KiB", "write, true, spin, 64", "write, true, spin, 4KiB", "read, true, block, 64",
            "send, true, spin, 24",
            "send, true, block, 64" })
    void shouldMeasureEveryOperation(String operation, boolean latency, String waiting, String size) throws Exception {
        Program.Outcome outcome = Program.run("perf", operation, latency ? "--latency" : "--depth=7", "--wait", waiting, "--size", size,
                "--seconds", "0.1", "--warm-up", "0.05", "--json", "--connect", server.address());
        assertEquals(0, outcome.status(), outcome.errors());
        JsonNode result = new ObjectMapper().readTree(outcome.out());
        long bytes = result.get("messages").asLong() * result.get("size").asLong();
        assertAll(result::toString, () -> assertEquals(operation, result.get("operation").asText()),
                () -> assertTrue(result.get("messages").asLong() > 0),
                () -> assertTrue(result.get("latencyMicros").get("p50").asDouble() > 0),
                () -> assertTrue(result.get("latencyMicros").get("p999").asDouble() >= result.get("latencyMicros").get("p50").asDouble()),
                () -> assertEquals("soft-iwarp", result.get("provider").asText()), () -> assertEquals("on", result.get("crc").asText()),
                // Every byte is accounted for, at the end where it landed.
                () -> assertEquals(bytes, result.get("placedDirectly").asLong() + result.get("staged").asLong()));
    }

    @Test
    void shouldStartItsOwnPeer() {
        Program.Outcome outcome = Program.run("perf", "write", "--size", "64KiB", "--seconds", "0.2", "--warm-up", "0", "--crc", "off");
        assertAll(() -> assertEquals(0, outcome.status(), outcome.errors()),
                () -> assertTrue(outcome.out().contains("CRC off"), outcome.out()),
                () -> assertTrue(outcome.out().lines().anyMatch(line -> line.matches(" +64KiB +\\d+ .*")), outcome.out()));
    }

    @Test
    void shouldShowWhatWasMeasuredBeforeThePeerDied() throws Exception {
        try (Program.Server mortal = new Program.Server("perf", "--listen", "127.0.0.1:0")) {
            CompletableFuture<Program.Outcome> run = CompletableFuture.supplyAsync(() -> Program.run("perf", "write", "--size", "64KiB",
                    "--seconds", "60", "--warm-up", "0.1", "--json", "--connect", mortal.address()));
            while (!mortal.said().contains("write, 65536 bytes")) {
                Thread.onSpinWait();
            }
            assertThrows(TimeoutException.class, () -> run.get(1500, TimeUnit.MILLISECONDS));
            mortal.kill();
            Program.Outcome outcome = run.get(30, TimeUnit.SECONDS);
            JsonNode result = new ObjectMapper().readTree(outcome.out());
            assertAll(() -> assertEquals(1, outcome.status()), () -> assertFalse(result.get("complete").asBoolean()),
                    () -> assertTrue(result.get("messages").asLong() > 0), () -> assertEquals(1, outcome.errors().lines().count()),
                    () -> assertTrue(outcome.errors().contains(mortal.address() + " was lost"), outcome.errors()));
        }
    }

    @Test
    void shouldRefuseAPeerThatIsNoPerf() throws Exception {
        try (Program.Server ping = new Program.Server("ping", "--listen", "127.0.0.1:0")) {
            Program.Outcome outcome = Program.run("perf", "write", "--size", "64", "--connect", ping.address());
            assertAll(() -> assertEquals(1, outcome.status()),
                    () -> assertTrue(outcome.errors().contains("is not a pverbs perf --listen"), outcome.errors()));
        }
    }
}
