package org.panamaverbs.tools.capture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.panamaverbs.tools.Program;

/** {@code pverbs ping}, captured without tcpdump, decoded by us and, if it is there, by tshark. */
class CaptureCommandTest {
    private static final int ROUNDS = 3;
    /** Per round: an advertisement, a Read Request, its answer, "go on", an advertisement, a Write, "go on"; beforehand ready to receive. */
    private static final int MESSAGES = 7 * ROUNDS + 1;

    @TempDir
    private Path folder;

    @Test
    void shouldCaptureAProgram() throws Exception {
        Path file = folder.resolve("ping.pcapng");
        try (Program.Server server = new Program.Server("ping", "--listen", "127.0.0.1:0", "--provider", "soft-iwarp")) {
            Process process = Program.start("capture", file.toString(), "--", java(), "-XX:TieredStopAtLevel=1",
                    "--enable-native-access=ALL-UNNAMED", "-classpath", System.getProperty("java.class.path"),
                    "org.panamaverbs.tools.Pverbs", "ping", server.address(), "--provider", "soft-iwarp", "--count", "" + ROUNDS, "--size",
                    "4000", "--verify");
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertTrue(process.waitFor(40, TimeUnit.SECONDS), said);
            assertEquals(0, process.exitValue(), said);
            assertTrue(said.contains("captured to"), said);
        }
        Program.Outcome decoded = Program.run("decode", "--json", file.toString());
        List<String> lines = decoded.out().lines().toList();
        JsonNode totals = new ObjectMapper().readTree(lines.getLast());
        assertEquals(List.of(1, MESSAGES, 0, 0, 0), Stream.of("connections", "fpdus", "badCrcs", "malformed", "lost")
                .map(name -> totals.path(name).asInt()).toList(), decoded::out);
        if (Stream.of(System.getenv("PATH").split(":")).anyMatch(place -> Files.isExecutable(Path.of(place, "tshark")))) {
            assertEquals(MESSAGES, tshark(file, "iwarp_mpa.fpdu").size());
            assertEquals(List.of(), tshark(file, "_ws.malformed || iwarp_mpa.bad_length || tcp.analysis.flags"));
        }
    }

    private static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    private static List<String> tshark(Path file, String filter) throws Exception {
        Process process = new ProcessBuilder("tshark", "-n", "-r", file.toString(), "-Y", filter, "-T", "fields", "-e",
                filter.startsWith("iwarp") ? "iwarp_rdma.opcode" : "frame.number").redirectError(ProcessBuilder.Redirect.DISCARD).start();
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).lines()
                .flatMap(line -> Stream.of(line.split(","))).filter(value -> !value.isBlank()).toList();
    }

    @Test
    void shouldHaveTheStatusOfTheProgramAndSayThatItCapturedNothing() {
        Program.Outcome outcome = Program.run("capture", folder.resolve("none.pcapng").toString(), "--", "sh", "-c", "exit 7");
        assertEquals(7, outcome.status());
        assertTrue(outcome.out().contains("nothing was captured"), outcome::out);
    }

    @Test
    void shouldSetTheSettings() {
        String file = folder.resolve("a.pcapng").toString();
        String check = "test \"$PANAMAVERBS_SOFTIWARP_CAPTURE $PANAMAVERBS_SOFTIWARP_CAPTURE_SNAPLEN $PANAMAVERBS_SOFTIWARP_CAPTURE_SIZE\" = '"
                + file + " 100 3'";
        assertEquals(0, Program.run("capture", "--snaplen", "100", "--max-size", "3MiB", file, "--", "sh", "-c", check).status());
    }

    @Test
    void shouldRefuseOptionsThatMakeNoSense() {
        assertEquals(2, Program.run("capture", "--snaplen", "10", "f", "--", "true").status());
        assertEquals(2, Program.run("capture", "--max-size", "10", "f", "--", "true").status());
        assertEquals(2, Program.run("capture", "f").status());
        assertEquals(1, Program.run("capture", "f", "--", folder.resolve("no-such-program").toString()).status());
    }
}
