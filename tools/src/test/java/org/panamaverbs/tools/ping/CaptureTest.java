package org.panamaverbs.tools.ping;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
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

    /** Of a pcap file, one of its packets, and an Ethernet frame, in bytes. */
    private static final int FILE_HEADER = 24;
    private static final int PACKET_HEADER = 16;
    private static final int ETHERNET = 14;

    @TempDir
    private Path folder;

    @Test
    void shouldDecodeWithoutAFaultAndWithGoodChecksums() throws Exception {
        assumeTrue(installed("tshark") && installed("tcpdump"), "tshark and tcpdump are needed (Debian packages of those names)");
        Path file = folder.resolve("ping.pcap");
        // Shared memory passes no network interface.
        try (Program.Server server = new Program.Server("ping", "--listen", "127.0.0.1:0", "--set", "panamaverbs.softiwarp.transport=epoll",
                "--set", "panamaverbs.softiwarp.crc=on")) {
            // Its usual buffer has places for 30 packets: too few if it gets no processor for some milliseconds.
            Process capture = new ProcessBuilder("tcpdump", "-i", "lo", "-s", "0", "-B", "65536", "-U", "--immediate-mode", "-w",
                    file.toString(), "port", Integer.toString(server.port())).redirectErrorStream(true).start();
            try (BufferedReader said = capture.inputReader()) {
                // It says "listening on lo" once it does.
                String begin = said.lines().filter(line -> line.contains("listening on") || line.contains("ermission")).findFirst()
                        .orElse("nothing");
                assumeTrue(begin.contains("listening on"), "tcpdump may not capture here: " + begin);
                assertEquals(0, Program
                        .run("ping", server.address(), "--warm-up", "0", "--count", "" + ROUNDS, "--size", "4000", "--verify").status());
                awaitEndOfConnection(file);
                capture.toHandle().destroy();
                String end = String.join(", ", said.lines().toList());
                assertTrue(end.contains("0 packets dropped by kernel"), end);
            } finally {
                capture.destroyForcibly();
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

    /** Two FINs, or a reset, mean that all is in the file. */
    private static void awaitEndOfConnection(Path file) throws IOException, InterruptedException {
        long patience = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (ends(Files.readAllBytes(file)) < 2) {
            assertTrue(System.nanoTime() < patience, "the end of the connection was not captured");
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }

    /** How many FINs are in a capture; a reset counts as two. The last packet may be written in part. */
    private static int ends(byte[] capture) {
        ByteBuffer file = ByteBuffer.wrap(capture).order(ByteOrder.nativeOrder());
        int ends = 0;
        for (int at = FILE_HEADER; at + PACKET_HEADER <= capture.length;) {
            int length = file.getInt(at + 8);
            int ip = at + PACKET_HEADER + ETHERNET;
            at += PACKET_HEADER + length;
            if (at > capture.length) {
                break;
            }
            int flags = capture[ip + 4 * (capture[ip] & 0x0F) + 13];
            ends += (flags & 0x04) != 0 ? 2 : flags & 0x01;
        }
        return ends;
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
