package org.panamaverbs.tools.capture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.panamaverbs.tools.Program;

/**
 * All that soft-iwarp can put on the wire, captured by itself and at the same time by tcpdump, and dissected by {@code pverbs decode} and by
 * tshark: each finds the same messages in both files, none malformed, each CRC good.
 */
class EveryOperationTest {
    private static final int OPCODES = 12;
    /** Those that tshark has no name for: Immediate Data (RFC 7306, 6). */
    private static final Set<Integer> NAMELESS = Set.of(8, 9);

    /** The value at the end of a line, behind its name. */
    private static final Pattern HEXADECIMAL = Pattern.compile("\\((0x\\p{XDigit}+)\\)$");
    /** The last packet of a capture. */
    private static final String END = "the end of EveryOperationTest";

    @TempDir
    private Path folder;

    /**
     * A file as a dissector sees it: for each pair of ports, the one that sent first, the opcodes of the FPDUs in their order.
     *
     * @param checked the number of FPDUs with a good CRC; those without CRCs are the others
     * @param markers the number of Requests and Replies that ask for Markers
     * @param layers  of all Terminates
     */
    private record Streams(Map<String, List<Integer>> byPorts, int checked, int markers, Set<Integer> layers) {
        int fpdus() {
            return byPorts.values().stream().mapToInt(List::size).sum();
        }

        Set<Integer> opcodes() {
            return byPorts.values().stream().flatMap(List::stream).collect(Collectors.toCollection(TreeSet::new));
        }
    }

    @Test
    void shouldLookTheSameToTsharkAndToOurDecoder() throws Exception {
        boolean both = capture(EveryOperation::run);
        Streams decoded = decode(ours());
        assertEquals(IntStream.range(0, OPCODES).boxed().collect(Collectors.toSet()), decoded.opcodes(), "the opcodes that were sent");
        assertEquals(Set.of(0, 1, 2), decoded.layers(), "the layers of Terminates");
        if (both) {
            assertEquals(decoded, decode(theirs()), "tcpdump's file, by pverbs decode");
        }
        assumeTrue(installed("tshark"), "tshark is needed (the Debian package of that name)");
        assertEquals(decoded, dissect(ours()), "our file, by tshark");
        assumeTrue(both, "tcpdump is needed, and the right to capture");
        assertEquals(decoded, dissect(theirs()), "tcpdump's file, by tshark");
    }

    /** tshark 4.0 does not follow more than one FPDU with Markers in a packet; and if the initiator asks for them, it seeks some in both directions. */
    @Test
    void shouldLookTheSameToOurDecoderWithMarkersInBothCaptures() throws Exception {
        boolean both = capture(EveryOperation::runMarked);
        Streams decoded = decode(ours());
        assertEquals(4 + 2, decoded.byPorts().size(), "directions that carried FPDUs");
        assertTrue(decoded.markers() == 4 && decoded.checked() > 10 && decoded.fpdus() > 1.5 * decoded.checked(), decoded::toString);
        assumeTrue(both, "tcpdump is needed, and the right to capture");
        assertEquals(decoded, decode(theirs()), "tcpdump's file");
    }

    private static boolean isLinux() {
        return System.getProperty("os.name").equals("Linux");
    }

    /** One that nobody else is likely to use, so that tcpdump sees this test alone; only Linux has all of 127/8. */
    private static InetAddress address() throws IOException {
        long pid = ProcessHandle.current().pid();
        return isLinux() ? InetAddress.getByAddress(new byte[] { 127, 77, (byte) (pid >> 8), (byte) (pid & 0x7F | 1) })
                : InetAddress.getLoopbackAddress();
    }

    private Path ours() {
        return folder.resolve("ours.pcapng");
    }

    private Path theirs() {
        return folder.resolve("theirs.pcap");
    }

    private interface Traffic {
        void run(InetAddress address, Path capture) throws Exception;
    }

    /** Captures it; says whether tcpdump could capture the same. */
    private boolean capture(Traffic traffic) throws Exception {
        InetAddress address = address();
        if (!isLinux() || !installed("tcpdump")) {
            traffic.run(address, ours());
            return false;
        }
        Process capture = new ProcessBuilder("tcpdump", "-i", "lo", "-s", "0", "-U", "--immediate-mode", "-B", "32768", "-w",
                theirs().toString(), "host", address.getHostAddress()).redirectErrorStream(true).start();
        try (BufferedReader said = capture.inputReader()) {
            String line = said.readLine();
            while (line != null && !line.contains("listening on")) {
                line = said.readLine();
            }
            traffic.run(address, ours());
            if (line == null) {
                return false;
            }
            awaitEnd(address, theirs());
            // Process.destroy would close the stream that still says how many packets were lost.
            capture.toHandle().destroy();
            String last = said.lines().collect(Collectors.joining("\n"));
            assertFalse(last.matches("(?s).*\\b[1-9]\\d* packets? dropped by kernel.*"), last);
            return true;
        } finally {
            capture.destroy();
            capture.waitFor(180, TimeUnit.SECONDS);
        }
    }

    /** Packets are in the file in their order, and this one comes behind all others. */
    private static void awaitEnd(InetAddress address, Path file) throws IOException, InterruptedException {
        byte[] words = END.getBytes(StandardCharsets.US_ASCII);
        try (DatagramSocket socket = new DatagramSocket(0, address)) {
            socket.send(new DatagramPacket(words, words.length, address, socket.getLocalPort()));
        }
        for (int i = 0; !new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1).endsWith(END); i++) {
            assertTrue(i < 1000, "tcpdump does not come to the end");
            TimeUnit.MILLISECONDS.sleep(10);
        }
    }

    private static Streams decode(Path file) throws IOException {
        Program.Outcome outcome = Program.run("decode", "--json", file.toString());
        assertEquals(0, outcome.status(), outcome::errors);
        Map<String, List<Integer>> streams = new TreeMap<>();
        Set<Integer> layers = new TreeSet<>();
        int checked = 0;
        int markers = 0;
        JsonNode object = null;
        for (String line : outcome.out().lines().toList()) {
            object = new ObjectMapper().readTree(line);
            markers += object.path("markers").asBoolean() ? 1 : 0;
            if (object.path("kind").asText().equals("fpdu")) {
                streams.computeIfAbsent(port(object, "from") + " to " + port(object, "to"), _ -> new ArrayList<>())
                        .add(object.path("opcode").asInt());
                checked += object.path("crc").asText().equals("good") ? 1 : 0;
                if (object.has("layer")) {
                    layers.add(object.path("layer").asInt());
                }
            }
        }
        JsonNode totals = object;
        assertEquals(0, totals.path("badCrcs").asInt() + totals.path("malformed").asInt() + totals.path("lost").asInt(), totals::toString);
        return new Streams(streams, checked, markers, layers);
    }

    private static String port(JsonNode object, String end) {
        return object.path(end).asText().replaceFirst(".*:", "");
    }

    /** From what tshark prints of each packet: it takes a second to start, so there is one run for all. */
    private static Streams dissect(Path file) throws IOException {
        Process process = new ProcessBuilder("tshark", "-n", "-r", file.toString(), "-V").redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        List<String> all = process.inputReader(StandardCharsets.UTF_8).lines().map(String::strip).toList();
        Map<String, List<Integer>> streams = new TreeMap<>();
        Set<Integer> layers = new TreeSet<>();
        Set<Integer> nameless = new TreeSet<>();
        List<String> faults = new ArrayList<>();
        int checked = 0;
        int markers = 0;
        String ports = "";
        for (String line : all) {
            Matcher value = HEXADECIMAL.matcher(line);
            if (line.startsWith("Source Port: ")) {
                ports = line.substring("Source Port: ".length());
            } else if (line.startsWith("Destination Port: ")) {
                ports += " to " + line.substring("Destination Port: ".length());
            } else if (line.contains(" = OpCode: ") && value.find()) {
                int opcode = Integer.decode(value.group(1));
                streams.computeIfAbsent(ports, _ -> new ArrayList<>()).add(opcode);
                if (line.contains("Unknown")) {
                    nameless.add(opcode);
                }
            } else if (line.contains(" = Layer: ") && value.find()) {
                layers.add(Integer.decode(value.group(1)));
            } else if (line.contains("Marker flag: True")) {
                markers++;
            } else if (line.contains("CRC check: ") && line.contains("(Good CRC32)")) {
                checked++;
            } else if (line.contains("CRC check: ") || line.contains("Malformed")) {
                // A length that does not fit is malformed as well.
                faults.add(line);
            }
        }
        assertEquals(List.of(), faults);
        assertTrue(NAMELESS.containsAll(nameless), nameless::toString);
        return new Streams(streams, checked, markers, layers);
    }

    private static boolean installed(String program) {
        return Stream.of(System.getenv("PATH").split(":")).anyMatch(place -> Files.isExecutable(Path.of(place, program)));
    }
}
