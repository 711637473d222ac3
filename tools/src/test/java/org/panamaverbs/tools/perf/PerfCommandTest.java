package org.panamaverbs.tools.perf;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.panamaverbs.testing.Proofs;
import org.panamaverbs.tools.Program;

class PerfCommandTest {
    private static Program.Server server;

    @BeforeAll
    static void listen() throws Exception {
        server = new Program.Server("perf", "--listen", "127.0.0.1:0", "--allow-spin", "--timeout", "60");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    /** In the profile all, in the default build the first ones, whose words lie apart by spaces. */
    private static List<Arguments> first(int count, String... cases) {
        return Stream.of(cases).limit(Proofs.run() ? cases.length : count).map(each -> Arguments.of((Object[]) each.split(" "))).toList();
    }

    static List<Arguments> operations() {
        return first(5, "write false block 64", "read false block 64KiB", "send false channel 64", "write true spin 64",
                "send true block 64", "write false spin 1MiB", "send false block 1", "send false spin 48", "send false block 256KiB",
                "write true spin 4KiB", "read true block 64", "send true spin 48", "send true channel 64");
    }

    @ParameterizedTest
    @MethodSource("operations")
    void shouldMeasureEveryOperation(String operation, boolean latency, String waiting, String size) throws Exception {
        Program.Outcome outcome = Program.run("perf", operation, latency ? "--latency" : "--depth=7", "--wait", waiting, "--size", size,
                "--seconds", "0.1", "--warm-up", "0.05", "--json", "--timeout", "60", "--connect", server.address());
        assertEquals(0, outcome.status(), outcome.errors());
        JsonNode result = new ObjectMapper().readTree(outcome.out());
        long bytes = result.get("messages").asLong() * result.get("size").asLong();
        assertAll(result::toString, () -> assertEquals("pverbs.perf", result.get("schema").asText()),
                () -> assertEquals(1, result.get("schemaVersion").asInt()), () -> assertEquals(operation, result.get("operation").asText()),
                () -> assertTrue(result.get("messages").asLong() > 0),
                () -> assertTrue(result.get("latencyMicros").get("p50").asDouble() > 0),
                () -> assertTrue(result.get("latencyMicros").get("p999").asDouble() >= result.get("latencyMicros").get("p50").asDouble()),
                () -> assertEquals("soft-iwarp", result.get("provider").asText()),
                () -> assertEquals("shared memory", result.get("path").asText()), () -> assertEquals("off", result.get("crc").asText()),
                // Every byte is accounted for, at the end where it landed.
                () -> assertEquals(bytes, result.get("placedDirectly").asLong() + result.get("staged").asLong()));
    }

    static Stream<String> extensions() {
        return Stream
                .of("fetch-add", "compare-swap --latency", "write --immediate --both", "immediate", "fetch-add --latency", "compare-swap",
                        "write --immediate", "write --immediate --latency --wait channel", "immediate --both", "immediate --latency")
                .limit(Proofs.run() ? 10 : 4);
    }

    /** RFC 7306. */
    @ParameterizedTest
    @MethodSource("extensions")
    void shouldMeasureAtomicsAndImmediateData(String what) throws Exception {
        List<String> arguments = new ArrayList<>(List.of("perf"));
        arguments.addAll(List.of(what.split(" ")));
        arguments.addAll(List.of("--seconds", "0.1", "--warm-up", "0.05", "--json", "--timeout", "60", "--connect", server.address()));
        Program.Outcome outcome = Program.run(arguments.toArray(String[]::new));
        assertEquals(0, outcome.status(), outcome.errors());
        JsonNode result = new ObjectMapper().readTree(outcome.out());
        assertAll(result::toString, () -> assertTrue(result.get("operation").asText().startsWith(what.split(" ")[0])),
                () -> assertTrue(result.get("messages").asLong() > 0),
                () -> assertTrue(result.get("latencyMicros").get("p50").asDouble() > 0));
    }

    static List<Arguments> several() {
        return first(1, "send 64KiB", "write 64", "read 4KiB");
    }

    @ParameterizedTest
    @MethodSource("several")
    void shouldMeasureSeveralConnectionsBesideIdleOnes(String operation, String size) throws Exception {
        Program.Outcome outcome = Program.run("perf", operation, "--size", size, "--connections", "3", "--idle", "20", "--seconds", "0.1",
                "--warm-up", "0.05", "--json", "--timeout", "60", "--connect", server.address());
        assertEquals(0, outcome.status(), outcome.errors());
        JsonNode result = new ObjectMapper().readTree(outcome.out());
        long bytes = result.get("messages").asLong() * result.get("size").asLong();
        assertAll(result::toString, () -> assertEquals(3, result.get("connections").asInt()), () -> assertTrue(bytes > 0),
                () -> assertEquals(bytes, result.get("placedDirectly").asLong() + result.get("staged").asLong()),
                () -> assertEquals(20, result.get("idle").get("queuePairs").asInt()),
                () -> assertTrue(result.get("idle").get("nativeBytesEach").isNumber()));
    }

    /** The lengths of messages that are not measured, 1 and 72, are among those that are. */
    static List<Arguments> both() {
        return first(3, "write 64 block", "read 4KiB block", "send 1 block", "send 72 spin", "send 64KiB channel", "write 1MiB spin");
    }

    @ParameterizedTest
    @MethodSource("both")
    void shouldMeasureBothDirections(String operation, String size, String waiting) throws Exception {
        long start = System.nanoTime();
        Program.Outcome outcome = Program.run("perf", operation, "--both", "--size", size, "--connections", "2", "--wait", waiting,
                "--seconds", "0.2", "--warm-up", "0.05", "--json", "--timeout", "60", "--connect", server.address());
        assertEquals(0, outcome.status(), outcome.errors());
        JsonNode result = new ObjectMapper().readTree(outcome.out());
        long took = System.nanoTime() - start;
        JsonNode reverse = result.get("reverse");
        JsonNode sum = result.get("sum");
        assertAll(result::toString, () -> assertEquals("both", result.get("mode").asText()),
                () -> assertTrue(result.get("messages").asLong() > 0), () -> assertTrue(reverse.get("messages").asLong() > 0),
                () -> assertEquals(reverse.get("messages").asLong() / reverse.get("seconds").asDouble(),
                        reverse.get("messagesPerSecond").asDouble(), 1),
                // Of this measurement, not since the other end began.
                () -> assertTrue(reverse.get("seconds").asDouble() > 0 && reverse.get("seconds").asDouble() < took / 1e9),
                () -> assertSum("messagesPerSecond", result, reverse, sum), () -> assertSum("bytesPerSecond", result, reverse, sum),
                () -> assertSum("gigabitsPerSecond", result, reverse, sum));
    }

    private static void assertSum(String name, JsonNode one, JsonNode other, JsonNode sum) {
        assertEquals(one.get(name).asDouble() + other.get(name).asDouble(), sum.get(name).asDouble(), sum.get(name).asDouble() / 1e9);
    }

    static List<Arguments> threads() {
        return first(2, "send --both", "read --latency", "write --depth=7");
    }

    @ParameterizedTest
    @MethodSource("threads")
    void shouldMeasureInSeveralThreads(String operation, String option) throws Exception {
        Program.Outcome outcome = Program.run("perf", operation, option, "--size", "64", "--threads", "3", "--connections",
                option.equals("--latency") ? "1" : "2", "--seconds", "0.2", "--warm-up", "0.05", "--json", "--timeout", "60", "--connect",
                server.address());
        assertEquals(0, outcome.status(), outcome.errors());
        JsonNode result = new ObjectMapper().readTree(outcome.out());
        List<JsonNode> threads = new ArrayList<>();
        result.get("threads").forEach(threads::add);
        long bytes = 64 * result.get("messages").asLong();
        assertAll(result::toString, () -> assertEquals(3, threads.size()),
                () -> assertEquals(option.equals("--latency") ? 3 : 6, result.get("connections").asInt()),
                () -> assertTrue(threads.stream().allMatch(thread -> thread.get("messages").asLong() > 0)),
                () -> assertTrue(threads.stream().allMatch(thread -> thread.get("latencyMicros").get("p50").asDouble() > 0)),
                () -> assertEquals(result.get("messages").asLong(),
                        threads.stream().mapToLong(thread -> thread.get("messages").asLong()).sum()),
                () -> assertEquals(threads.stream().mapToDouble(thread -> thread.get("seconds").asDouble()).max().orElseThrow(),
                        result.get("seconds").asDouble()),
                () -> assertTrue(result.get("placedDirectly").asLong() + result.get("staged").asLong() >= bytes));
    }

    @ParameterizedTest
    @CsvSource({ "send --immediate, immediate data", "send --immediate --both, immediate data" })
    void shouldRefuseWhatTheDeviceLacks(String what, String capability) throws Exception {
        List<String> arguments = new ArrayList<>(List.of("perf"));
        arguments.addAll(List.of(what.split(" ")));
        arguments.addAll(List.of("--json", "--timeout", "60", "--connect", server.address()));
        Program.Outcome outcome = Program.run(arguments.toArray(String[]::new));
        JsonNode error = new ObjectMapper().readTree(outcome.out()).get("error");
        assertAll(outcome::errors, () -> assertEquals(1, outcome.status()), () -> assertEquals("unsupported", error.get("kind").asText()),
                () -> assertTrue(
                        error.get("message").asText().startsWith("device soft-iwarp0 (soft-iwarp) has no " + capability + ": use ")),
                () -> assertTrue(error.get("message").asText().contains("pverbs devices --verbose")));
    }

    @Test
    void shouldCountSystemCallsAndAllocationsOfBothEnds() throws Exception {
        Program.Outcome outcome = Program.run("perf", "write", "--size", "64KiB", "--seconds", "0.1", "--warm-up", "0.05", "--json",
                "--timeout", "60", "--connect", server.address());
        JsonNode result = new ObjectMapper().readTree(outcome.out());
        assertAll(result::toString, () -> assertTrue(result.get("near").get("writeCalls").asLong() > 0),
                () -> assertTrue(result.get("far").get("readCalls").asLong() > 0),
                () -> assertTrue(result.get("systemCallsPerMiB").asDouble() > 0),
                () -> assertTrue(result.get("far").get("allocatedBytes").asLong() >= 0));
    }

    @ParameterizedTest
    @CsvSource({ "--depth=0, depth is 1 to", "--connections=0, connections is 1 to", "--idle=-1, idle is 0 to", "--size=0, 1 to",
            "--size=2GiB, 1 to", "--seconds=0, more than 0", "--interval=-1, 0.1 to 86400", "--interval=0.01, 0.1 to 86400",
            "--warm-up=-1, 0 to 3600", "--warm-up=2-1, 0 to 3600", "--warm-up=1e3, 0 to 3600", "--warm-up=3601, 0 to 3600",
            "--latency --connections=2, one connection", "--threads=0, threads is 1 to 128",
            "--threads=65 --connections=2, threads is 1 to 64 with 2 connections each", "--latency --both, leave --both out",
            "--latency --wait=channel, cannot block" })
    void shouldRefuseNonsense(String options, String reason) {
        List<String> arguments = new ArrayList<>(List.of("perf", "write"));
        arguments.addAll(List.of(options.split(" ")));
        Program.Outcome outcome = Program.run(arguments.toArray(String[]::new));
        assertAll(outcome::errors, () -> assertEquals(2, outcome.status()), () -> assertEquals("", outcome.out()),
                () -> assertEquals(1, outcome.errors().lines().count()), () -> assertTrue(outcome.errors().contains(reason)));
    }

    @ParameterizedTest
    @CsvSource({ "fetch-add --size=64, fetch-add has messages of 8 bytes", "immediate --size=4, immediate has messages of 8 bytes",
            "read --immediate, goes with write and send", "fetch-add --immediate, goes with write and send" })
    void shouldRefuseWhatAnOperationHasNot(String options, String reason) {
        Program.Outcome outcome = Program.run(("perf " + options).split(" "));
        assertAll(outcome::errors, () -> assertEquals(2, outcome.status()), () -> assertTrue(outcome.errors().contains(reason)));
    }

    @Test
    void shouldSayHowTheWarmUpWent() throws Exception {
        Program.Outcome outcome = Program.run("perf", "write", "--size", "64,4KiB", "--seconds", "0.1", "--warm-up", "0.5-0.6", "--json",
                "--timeout", "60", "--connect", server.address());
        assertEquals(0, outcome.status(), outcome.errors());
        List<JsonNode> results = new ArrayList<>();
        for (String line : outcome.out().lines().toList()) {
            results.add(new ObjectMapper().readTree(line));
        }
        JsonNode first = results.get(0).get("warmUp");
        assertAll(outcome::out, () -> assertTrue(first.get("seconds").asDouble() >= 0.5),
                () -> assertTrue(results.get(1).get("warmUp").get("seconds").asDouble() >= first.get("seconds").asDouble() / 10),
                () -> assertFalse(first.get("steady").asBoolean(), "two seconds are not over"),
                () -> assertTrue(first.get("compilerSeconds").asDouble() > 0), () -> assertTrue(first.get("messagesPerSecond").size() >= 1),
                () -> assertEquals(first.get("messagesPerSecond").size(), first.get("p50Micros").size()),
                () -> assertTrue(first.get("messagesPerSecond").valueStream().allMatch(rate -> rate.asDouble() > 0)),
                () -> assertTrue(results.get(0).get("far").get("compilerMillis").asLong() >= 0));
    }

    static List<Arguments> intervals() {
        return first(1, "write --threads=2", "write --depth=7", "read --latency");
    }

    @ParameterizedTest
    @MethodSource("intervals")
    void shouldReportIntervals(String operation, String option) throws Exception {
        Program.Outcome outcome = Program.run("perf", operation, option, "--size", "64", "--seconds", "1", "--warm-up", "0.05",
                "--interval", "0.2", "--json", "--timeout", "60", "--connect", server.address());
        assertEquals(0, outcome.status(), outcome.errors());
        List<JsonNode> objects = new ArrayList<>();
        for (String line : outcome.out().lines().toList()) {
            objects.add(new ObjectMapper().readTree(line));
        }
        JsonNode result = objects.removeLast();
        assertEquals("pverbs.perf", result.get("schema").asText());
        // A busy machine may let some go by.
        assertTrue(objects.size() >= (Proofs.run() ? 2 : 0) && objects.size() <= 5, outcome::out);
        double at = 0;
        long messages = 0;
        for (JsonNode object : objects) {
            assertEquals("pverbs.perf.interval", object.get("schema").asText());
            assertTrue(object.get("seconds").asDouble() >= 0.2, object::toString);
            assertEquals(at + object.get("seconds").asDouble(), object.get("atSeconds").asDouble(), 1e-6);
            at = object.get("atSeconds").asDouble();
            messages += object.get("messages").asLong();
        }
        assertTrue(messages > 0 && messages <= result.get("messages").asLong(), outcome::out);
    }

    @Test
    void shouldShowBitsBesideBytes() throws Exception {
        Program.Outcome outcome = Program.run("perf", "write", "--size", "64KiB", "--seconds", "0.5", "--warm-up", "0.05", "--interval",
                "0.1", "--timeout", "60", "--connect", server.address());
        assertAll(outcome::out, () -> assertEquals(0, outcome.status(), outcome.errors()),
                () -> assertTrue(outcome.out().contains("MB/s    Gbit/s")),
                () -> assertTrue(!Proofs.run() || outcome.out().lines().anyMatch(line -> line.matches(" +64KiB .* until \\d\\.\\d s"))),
                () -> assertTrue(outcome.out().lines().toList().getLast().matches(" +64KiB +\\d+ +[\\d.]+ +[\\d.]+ +\\d+ .*%.*")));
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
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            CompletableFuture<Program.Outcome> run = CompletableFuture.supplyAsync(() -> Program.runInto(out, "perf", "write", "--size",
                    "64KiB", "--seconds", "600", "--warm-up", "0.1", "--interval", "0.1", "--json", "--connect", mortal.address()));
            while (!out.toString(StandardCharsets.UTF_8).contains("pverbs.perf.interval")) {
                assertFalse(run.isDone());
                TimeUnit.MILLISECONDS.sleep(1);
            }
            mortal.kill();
            Program.Outcome outcome = run.get(60, TimeUnit.SECONDS);
            JsonNode result = new ObjectMapper().readTree(
                    out.toString(StandardCharsets.UTF_8).lines().filter(line -> line.contains("\"complete\"")).findFirst().orElseThrow());
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
