package org.panamaverbs.tools.ping;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.panamaverbs.tools.Program;

/** Our traffic on the wire, as tshark sees it: a decoder that is not ours. */
class CaptureTest {
    private static final int ROUNDS = 3;
    /** Per round: an advertisement, a Read Request, its answer, "go on", an advertisement, a Write, "go on"; beforehand ready to receive. */
    private static final int MESSAGES = 7 * ROUNDS + 1;

    @TempDir
    private Path folder;

    @Test
    void shouldDecodeWithoutAFaultAndWithGoodChecksums() throws Exception {
        assumeTrue(installed("tshark") && installed("tcpdump"), "tshark and tcpdump are needed (Debian packages of those names)");
        Path file = folder.resolve("ping.pcap");
        try (Program.Server server = new Program.Server("ping", "--listen", "127.0.0.1:0")) {
            Process capture = new ProcessBuilder("tcpdump", "-i", "lo", "-s", "0", "-U", "--immediate-mode", "-w", file.toString(), "port",
                    Integer.toString(server.port())).redirectErrorStream(true).start();
            try {
                // It says "listening on lo" once it does.
                String said = capture.inputReader().lines().filter(line -> line.contains("listening on") || line.contains("ermission"))
                        .findFirst().orElse("nothing");
                assumeTrue(said.contains("listening on"), "tcpdump may not capture here: " + said);
                assertEquals(0, Program
                        .run("ping", server.address(), "--warm-up", "0", "--count", "" + ROUNDS, "--size", "4000", "--verify").status());
                awaitEndOfConnection(file);
            } finally {
                capture.destroy();
                capture.waitFor(10, TimeUnit.SECONDS);
            }
        }
        List<String> opcodes = fields(file, "iwarp_mpa.fpdu", "iwarp_rdma.opcode");
        List<String> checks = verbose(file, "CRC check");
        assertAll(() -> assertEquals(1, fields(file, "iwarp_mpa.req", "frame.number").size(), "Requests"),
                () -> assertEquals(1, fields(file, "iwarp_mpa.rep", "frame.number").size(), "Replies"),
                () -> assertEquals(MESSAGES, opcodes.size(), () -> "messages " + opcodes),
                () -> assertEquals(MESSAGES, checks.size(), () -> "checksums " + checks),
                () -> assertTrue(checks.stream().allMatch(line -> line.contains("Good CRC32")), checks::toString),
                () -> assertEquals(List.of(), fields(file, "_ws.malformed || iwarp_mpa.bad_length", "frame.number"), "malformed"));
    }

    private static void awaitEndOfConnection(Path file) throws IOException, InterruptedException {
        // Two FINs, or a reset, mean that all is in the file.
        for (int i = 0; i < 200 && fields(file, "tcp.flags.fin == 1 || tcp.flags.reset == 1", "frame.number").size() < 2; i++) {
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }

    /** One entry per value: a packet may carry several messages. */
    private static List<String> fields(Path file, String filter, String field) throws IOException {
        return tshark("-r", file.toString(), "-Y", filter, "-T", "fields", "-e", field).stream().flatMap(line -> Stream.of(line.split(",")))
                .filter(value -> !value.isBlank()).toList();
    }

    private static List<String> verbose(Path file, String words) throws IOException {
        return tshark("-r", file.toString(), "-Y", "iwarp_mpa.fpdu", "-V").stream().filter(line -> line.contains(words)).toList();
    }

    private static List<String> tshark(String... arguments) throws IOException {
        // Without names of hosts; and with the end of FPDUs found across TCP segments, which is its default.
        Process process = new ProcessBuilder(Stream.concat(Stream.of("tshark", "-n"), Stream.of(arguments)).toList())
                .redirectError(ProcessBuilder.Redirect.DISCARD).start();
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).lines().toList();
    }

    private static boolean installed(String program) {
        return Stream.of(System.getenv("PATH").split(":")).anyMatch(place -> Files.isExecutable(Path.of(place, program)));
    }
}
