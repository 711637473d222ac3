package org.panamaverbs.tools.capture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
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
                    "org.panamaverbs.tools.Pverbs", "ping", server.address(), "--provider", "soft-iwarp", "--warm-up", "0", "--count",
                    "" + ROUNDS, "--size", "4000", "--verify");
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertTrue(process.waitFor(180, TimeUnit.SECONDS), said);
            assertEquals(0, process.exitValue(), said);
            assertTrue(said.contains("captured to"), said);
        }
        Program.Outcome decoded = Program.run("decode", "--json", file.toString());
        List<String> lines = decoded.out().lines().toList();
        JsonNode totals = new ObjectMapper().readTree(lines.getLast());
        assertEquals(List.of(1, MESSAGES, 0, 0, 0),
                Stream.of("connections", "fpdus", "badCrcs", "malformed", "lost").map(name -> totals.path(name).asInt()).toList(),
                decoded::out);
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
    void shouldNotRunAProgramWhoseCaptureCannotBeWritten() {
        Path missing = folder.resolve("nodir");
        Path ran = folder.resolve("ran");
        Program.Outcome outcome = Program.run("capture", missing.resolve("c.pcapng").toString(), "--", "touch", ran.toString());
        Program.Outcome directory = Program.run("capture", folder.toString(), "--", "touch", ran.toString());
        assertEquals("pverbs: " + missing + ": no such file or directory", outcome.errors().strip());
        assertEquals("pverbs: " + folder + ": is a directory: name a file", directory.errors().strip());
        assertEquals(1, outcome.status());
        assertTrue(Files.notExists(ran));
    }

    @Test
    void shouldSayThatAProgramCannotBeStarted() {
        String program = folder.resolve("nosuchprogram").toString();
        Program.Outcome outcome = Program.run("capture", folder.resolve("c.pcapng").toString(), "--", program);
        assertEquals("pverbs: " + program + " cannot be started: no such file or directory; nothing was captured",
                outcome.errors().strip());
    }

    @Test
    void shouldNameAllFiles() throws Exception {
        Path file = folder.resolve("c.pcapng");
        // Of an earlier run.
        Files.copy(capture("full"), folder.resolve("c.77.pcapng"));
        Program.Outcome outcome = Program.run("capture", file.toString(), "--", "sh", "-c", "cp \"$0\" \"$1\" && cp \"$0\" \"$2\"",
                capture("full").toString(), file.toString(), folder.resolve("c.1234.pcapng").toString());
        assertEquals("pverbs: captured to " + file + " and " + folder.resolve("c.1234.pcapng") + "; pverbs decode " + file
                + " prints the first; each process has a file of its own", outcome.out().strip());
    }

    @Test
    void shouldSayThatACaptureHasNoPacket() throws Exception {
        Path file = folder.resolve("c.pcapng");
        Program.Outcome outcome = Program.run("capture", file.toString(), "--", "cp", capture("none").toString(), file.toString());
        assertEquals("pverbs: " + file + " has no packet: no connection was made", outcome.out().strip());
    }

    @Test
    void shouldNameFilesWithPacketsBeforeThoseWithout() throws Exception {
        Path file = folder.resolve("c.pcapng");
        Path other = folder.resolve("c.1234.pcapng");
        Program.Outcome outcome = Program.run("capture", file.toString(), "--", "sh", "-c", "cp \"$0\" \"$2\" && cp \"$1\" \"$3\"",
                capture("none").toString(), capture("full").toString(), file.toString(), other.toString());
        assertEquals("pverbs: captured to " + other + "; pverbs decode " + other + " prints it; " + file + " has no packet",
                outcome.out().strip());
    }

    /** The blocks of soft-iwarp's captures: a section, an interface and, if it is full, a packet without content. */
    private Path capture(String name) throws IOException {
        ByteBuffer blocks = ByteBuffer.allocate(80);
        blocks.putInt(0x0A0D0D0A).putInt(28).putInt(0x1A2B3C4D).putInt(0x10000).putLong(-1).putInt(28);
        blocks.putInt(1).putInt(20).putInt(101 << 16).putInt(0).putInt(20);
        if (name.equals("full")) {
            blocks.putInt(6).putInt(32).putInt(0).putInt(0).putInt(0).putInt(0).putInt(0).putInt(32);
        }
        return Files.write(folder.resolve(name), Arrays.copyOf(blocks.array(), blocks.position()));
    }

    @Test
    void shouldTellTheEndAfterASignal() throws Exception {
        Process capture = Program.start("capture", folder.resolve("none.pcapng").toString(), "--", "sh", "-c", "echo runs; exec sleep 60");
        try (BufferedReader lines = capture.inputReader(StandardCharsets.UTF_8)) {
            assertEquals("runs", lines.readLine());
            // Process.destroy would close its output here.
            assertEquals(0, new ProcessBuilder("kill", "-TERM", Long.toString(capture.pid())).start().waitFor());
            String line = lines.readLine();
            assertTrue(line != null && line.startsWith("pverbs: nothing was captured"), line);
            assertNull(lines.readLine());
        } finally {
            capture.destroyForcibly();
        }
    }

    @Test
    void shouldShowWhereTheProgramStands() {
        assertTrue(Program.run("capture", "--help").out().contains("FILE -- COMMAND..."));
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
