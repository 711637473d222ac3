package org.panamaverbs.tools;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.panamaverbs.cm.RejectedException;
import org.panamaverbs.tools.shared.Failure;

@Isolated("One of its tests changes the language of the whole process.")
class PverbsTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            --provider nonesuch config                      | 2 | Unknown option
            config --provider nonesuch                      | 1 | unknown provider "nonesuch"; known are: auto
            devices --provider nonesuch                     | 1 | unknown provider "nonesuch"; known are: rdma-core, soft-iwarp
            devices --device nonesuch                       | 1 | there is no device "nonesuch"; there are:
            devices --provider soft-iwarp --device nonesuch | 1 | there are: soft-iwarp0 (soft-iwarp)
            config --set panamaverbs.nonesuch=1             | 1 | unknown setting "panamaverbs.nonesuch"
            config --set panamaverbs.softiwarp.crc=perhaps  | 1 | "perhaps" is neither on nor off; it takes on
            config --device nonesuch                        | 1 | has no device "nonesuch"; it has: soft-iwarp0
            perf                                            | 2 | say what to measure: write, read, send, fetch-add
            perf rite                                       | 2 | rite
            perf write --size 64,1Q                         | 2 | "1Q" is not a number of bytes
            perf write --size 0                             | 2 | a message has 1 to
            perf write --size 2GiB                          | 2 | a message has 1 to
            perf write --depth 0                            | 2 | the depth is 1 to
            perf write --seconds 0                          | 2 | --seconds is more than 0
            perf write --latency --wait block               | 2 | cannot block; take send
            perf write --connect localhost:99999            | 1 | not a port: those are 0 to 65535
            perf write --connect nonesuch.invalid:1         | 1 | unknown host "nonesuch.invalid"
            ping                                            | 2 | say either whom to ping
            ping localhost --size 3                         | 2 | --size is
            ping localhost --count 0                        | 2 | --count is 1 or more
            serve /nonesuch                                 | 1 | /nonesuch: no such file or directory
            copy /nonesuch localhost/name                   | 1 | /nonesuch: no such file or directory
            copy /tmp/a /tmp/b                              | 2 | one of both is at a server
            """)
    void shouldSayInOneLineWhatIsWrong(String arguments, int status, String words) {
        Program.Outcome outcome = Program.run(arguments.split(" +"));
        assertAll(() -> assertEquals(status, outcome.status(), outcome.errors()),
                () -> assertEquals(1, outcome.errors().lines().count(), outcome.errors()),
                () -> assertTrue(outcome.errors().startsWith("pverbs: ") && outcome.errors().contains(words), outcome.errors()));
    }

    @Test
    void shouldNameAnAddressWhereNobodyListens() throws Exception {
        int port;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = socket.getLocalPort();
        }
        Program.Outcome outcome = Program.run("ping", "127.0.0.1:" + port);
        assertAll(() -> assertEquals(1, outcome.status()), () -> assertEquals(1, outcome.errors().lines().count(), outcome.errors()),
                () -> assertTrue(outcome.errors().contains("127.0.0.1:" + port), outcome.errors()),
                () -> assertTrue(outcome.errors().contains("ECONNREFUSED"), outcome.errors()));
    }

    @Test
    void shouldNameAnAddressInUse() throws Exception {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String address = "127.0.0.1:" + socket.getLocalPort();
            Program.Outcome outcome = Program.run("ping", "--listen", address);
            assertAll(() -> assertEquals(1, outcome.status()), () -> assertEquals(1, outcome.errors().lines().count(), outcome.errors()),
                    () -> assertTrue(outcome.errors().contains(address) && outcome.errors().contains("EADDRINUSE"), outcome.errors()));
        }
    }

    @Test
    void shouldShowTheFirstBytesOfAPeerThatSpeaksSomethingElse() throws Exception {
        try (ServerSocket http = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread.startVirtualThread(() -> {
                try (var socket = http.accept()) {
                    socket.getOutputStream().write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                    socket.getInputStream().readAllBytes();
                } catch (java.io.IOException e) {
                    // The client has left.
                }
            });
            Program.Outcome outcome = Program.run("ping", "127.0.0.1:" + http.getLocalPort());
            assertAll(() -> assertEquals(1, outcome.status()), () -> assertEquals(1, outcome.errors().lines().count(), outcome.errors()),
                    () -> assertTrue(outcome.errors().contains("not an MPA peer") && outcome.errors().contains("HTTP/1.1"),
                            outcome.errors()));
        }
    }

    @Test
    void shouldShowControlsOfAMessageAsNumbers() {
        assertEquals("10.0.0.1:7 refuses: \\u{9b}2J\\u{202e}", Pverbs.message(new Failure("10.0.0.1:7 refuses: \u009B2J\u202E")));
    }

    @Test
    void shouldListDevicesAsJson() throws Exception {
        JsonNode all = new ObjectMapper().readTree(Program.run("devices", "--provider", "soft-iwarp", "--json").out());
        JsonNode providers = all.get("providers");
        JsonNode device = providers.get(0).get("devices").get(0);
        assertAll(() -> assertEquals("pverbs.devices", all.get("schema").asText()), () -> assertEquals(1, all.get("schemaVersion").asInt()),
                () -> assertEquals(DEVICE_NAMES, names(device)), () -> assertEquals(PORT_NAMES, names(device.get("ports").get(0))),
                () -> assertEquals("soft-iwarp", providers.get(0).get("provider").asText()),
                () -> assertEquals("soft-iwarp0", device.get("name").asText()),
                () -> assertEquals("iWARP", device.get("transport").asText()), () -> assertTrue(device.get("active").asBoolean()),
                () -> assertTrue(device.get("identity").get("nodeIdentifier").asText().matches("([0-9a-f]{4}:){3}[0-9a-f]{4}"),
                        device::toPrettyString),
                () -> assertTrue(device.get("objects").get("protectionDomains").asInt() > 0, device::toPrettyString),
                () -> assertEquals("ACTIVE", device.get("ports").get(0).get("state").asText()),
                () -> assertTrue(device.get("capabilities").isArray()));
    }

    @Test
    void shouldListOneDeviceWithItsPorts() {
        String out = Program.run("devices", "--device", "soft-iwarp0", "--verbose").out();
        assertAll(() -> assertTrue(out.lines().anyMatch(line -> line.equals("    soft-iwarp0")), out),
                () -> assertTrue(out.lines().anyMatch(line -> line.equals("        port 1")), out),
                () -> assertTrue(out.lines().anyMatch(line -> line.matches(" +state +ACTIVE")), out),
                () -> assertTrue(out.lines().anyMatch(line -> line.matches(" +node identifier +([0-9a-f]{4}:){3}[0-9a-f]{4}")), out));
    }

    @Test
    void shouldSayWhoHasSetASetting() {
        String out = Program.run("config", "--provider", "soft-iwarp", "--set", "panamaverbs.softiwarp.transport=nio").out();
        assertAll(() -> assertTrue(out.startsWith("provider soft-iwarp, device soft-iwarp0 (chosen by panamaverbs.provider"), out),
                () -> assertTrue(out.lines().anyMatch(line -> line.matches("panamaverbs.softiwarp.transport +nio +builder")), out),
                () -> assertTrue(out.lines().anyMatch(line -> line.matches("panamaverbs.softiwarp.crc +on +default")), out));
    }

    private static final List<String> DEVICE_NAMES = List.of("name", "transport", "active", "vendor", "firmware", "identity",
            "maximumQueuePairs", "maximumWorkRequests", "maximumScatterGather", "maximumInline", "maximumCompletionQueueEntries",
            "maximumRegions", "maximumRegionSize", "maximumMessageSize", "maximumInboundReads", "maximumOutboundReads",
            "maximumPrivateData", "objects", "capabilities", "ports");
    private static final List<String> PORT_NAMES = List.of("number", "state", "physicalState", "maximumMtu", "activeMtu", "linkLayer",
            "maximumMessageSize", "localIdentifier", "subnetManager", "localIdentifierMask", "partitionKeys", "speed", "identifiers");

    private static List<String> names(JsonNode object) {
        List<String> names = new ArrayList<>();
        object.fieldNames().forEachRemaining(names::add);
        return names;
    }

    @Test
    void shouldListDevicesInALineEach() {
        Program.Outcome outcome = Program.run("devices", "--device", "soft-iwarp0");
        List<String> lines = outcome.out().lines().toList();
        assertAll(() -> assertEquals(0, outcome.status()),
                () -> assertTrue(lines.getFirst().matches("NAME +PROVIDER +TRANSPORT +STATE +ADDRESS"), outcome.out()),
                () -> assertTrue(lines.get(1).matches("soft-iwarp0 +soft-iwarp +iWARP +active +-"), outcome.out()),
                () -> assertTrue(lines.size() <= 3, outcome.out()));
    }

    /** In Turkish the small letter of I is another one than i. */
    @Test
    void shouldWriteTheSameInEveryLanguage() {
        Locale before = Locale.getDefault();
        Locale.setDefault(Locale.of("tr", "TR"));
        try {
            String out = Program.run("devices", "--device", "soft-iwarp0", "--verbose").out();
            assertTrue(out.contains("maximum inline ") && out.codePoints().noneMatch(each -> each == 0x131), out);
        } finally {
            Locale.setDefault(before);
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            config --json --provider nonesuch            | 1 | pverbs.config  | usage   | unknown provider "nonesuch"
            devices --json --device nonesuch             | 1 | pverbs.devices | usage   | there is no device "nonesuch"
            perf write --size 0 --json                   | 2 | pverbs.perf    | usage   | a message has 1 to
            perf write --connect nonesuch.invalid --json | 1 | pverbs.perf    | failed  | unknown host "nonesuch.invalid"
            perf --listen --json                         | 2 | pverbs.perf    | usage   | leave one out
            ping --json                                  | 2 | pverbs.ping    | usage   | say either whom to ping
            ping --json --listen                         | 2 | pverbs.ping    | usage   | leave one out
            ping --json --nonesuch                       | 2 | pverbs.ping    | usage   | Unknown option
            ping --json localhost:1                      | 1 | pverbs.ping    | system  | ECONNREFUSED
            copy --json /nonesuch localhost/name         | 1 | pverbs.copy    | file    | /nonesuch: no such file or directory
            """)
    void shouldSayAsJsonWhatIsWrong(String arguments, int status, String schema, String kind, String words) throws Exception {
        Program.Outcome outcome = Program.run(arguments.split(" +"));
        JsonNode object = new ObjectMapper().readTree(outcome.out());
        assertAll(outcome::out, () -> assertEquals(status, outcome.status()), () -> assertEquals(1, outcome.out().lines().count()),
                () -> assertEquals(schema, object.get("schema").asText()), () -> assertEquals(1, object.get("schemaVersion").asInt()),
                () -> assertEquals(kind, object.get("error").get("kind").asText()),
                () -> assertTrue(object.get("error").get("message").asText().contains(words)),
                () -> assertTrue(outcome.errors().startsWith("pverbs: " + object.get("error").get("message").asText())));
    }

    @Test
    void shouldDescribeTheSettingsAsJson() throws Exception {
        JsonNode config = new ObjectMapper().readTree(Program.run("config", "--provider", "soft-iwarp", "--json").out());
        assertAll(() -> assertEquals(List.of("schema", "schemaVersion", "provider", "device", "reason", "settings"), names(config)),
                () -> assertEquals(List.of("name", "value", "source", "values", "description"), names(config.get("settings").get(0))));
    }

    @Test
    void shouldShowControlsOfATraceAsNumbers() {
        String trace = Pverbs.trace(new Failure("refuses: \u009B2J", new Failure("\u202E")));
        assertAll(() -> assertTrue(trace.contains("refuses: \\u{9b}2J") && trace.contains("\\u{202e}"), trace),
                () -> assertTrue(trace.contains(System.lineSeparator() + "    at ")));
    }

    @Test
    void shouldShowTheReasonOfARefusal() {
        RejectedException rejected = new RejectedException("10.0.0.1:7 refuses", "full\u009B2J\0\0".getBytes(StandardCharsets.UTF_8));
        assertAll(() -> assertEquals("10.0.0.1:7 refuses: full\\u{9b}2J", Pverbs.message(rejected)),
                () -> assertEquals("refused", Pverbs.kind(rejected)));
    }
}
