package org.panamaverbs.tools;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.cm.RejectedException;
import org.panamaverbs.tools.shared.Failure;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Isolated("One of its tests changes the language of the whole process.")
class PverbsTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            --provider nonesuch config                      | 2 | Unknown option
            config --provider nonesuch                      | 2 | unknown provider "nonesuch"; known are: auto
            devices --provider nonesuch                     | 2 | unknown provider "nonesuch"; known are: auto, rdma-core, soft-iwarp
            devices --device nonesuch                       | 2 | there is no device "nonesuch"; there are:
            devices --provider soft-iwarp --device nonesuch | 2 | there are: soft-iwarp0 (soft-iwarp)
            config --set panamaverbs.nonesuch=1             | 2 | unknown setting "panamaverbs.nonesuch"
            config --set panamaverbs.softiwarp.crcs=off     | 2 | unknown setting "panamaverbs.softiwarp.crcs" (--set); did you mean panamaverbs.softiwarp.crc?
            config --set panamaverbs.softiwarp.crc=perhaps  | 2 | "perhaps" is not one of auto, on, off; it takes auto
            config --device nonesuch                        | 2 | has no device "nonesuch"; it has: soft-iwarp0
            pref                                            | 2 | there is no command "pref"; take perf,
            pref --json                                     | 2 | there is no command "pref"; take perf,
            Devcies --verbose                               | 2 | there is no command "Devcies"; take devices,
            --jsn                                           | 2 | Unknown option: '--jsn'
            nfs gett nfs://localhost/a                      | 2 | there is no command "gett"; take get,
            nfs                                             | 2 | say what to do: one of ls, get, put, serve
            perf                                            | 2 | say what to measure: write, read, send, fetch-add
            perf rite                                       | 2 | rite
            perf write --size 64,1Q                         | 2 | "1Q" is not a number of bytes
            perf write --size 0                             | 2 | a message has 1 to
            perf write --size 2GiB                          | 2 | a message has 1 to
            perf write --depth 0                            | 2 | the depth is 1 to
            perf write --seconds 0                          | 2 | --seconds is more than 0
            perf write --latency --wait block               | 2 | cannot block; take send
            perf write --connect nonesuch.invalid:1         | 1 | unknown host "nonesuch.invalid"
            ping                                            | 2 | say either whom to ping
            ping localhost --size 3                         | 2 | --size is
            ping localhost --count 0                        | 2 | --count is 1 or more
            ping localhost --warm-up -1                     | 2 | --warm-up is 0 to 3600 seconds
            serve /nonesuch                                 | 1 | /nonesuch: no such file or directory
            copy /nonesuch localhost/name                   | 1 | /nonesuch: no such file or directory
            copy /tmp/a /tmp/b                              | 2 | name a server in one argument, as HOST[:PORT]/NAME; "/tmp/a" and "/tmp/b" are both local
            copy a b                                        | 2 | "a" and "b" are both local
            copy localhost/a nonesuch.invalid/b             | 2 | are both at servers: one must be a file of this machine
            copy / localhost/                               | 1 | /: is not a regular file
            decode /                                        | 1 | / is a directory
            catch / --replace --size 1 --stag 1 --notify 1 tcp://localhost:0 | 1 | /: is a directory
            ping localhost --size abc                       | 2 | --size: "abc" is not a number of bytes
            ping localhost:99999                            | 2 | "99999" in "localhost:99999" is not a port
            ping --listen x:y                               | 2 | --listen: "y" in "x:y" is not a port
            serve /tmp --max-size x                         | 2 | --max-size: "x" is not
            serve /tmp --keep-free x                        | 2 | --keep-free: "x" is not
            serve /tmp --listen x:y                         | 2 | --listen: "y" in "x:y" is not a port
            copy /dev/null localhost:99999/name             | 2 | is not a port
            perf --listen --max-memory x                    | 2 | --max-memory: "x" is not
            perf --listen x:y                               | 2 | --listen: "y"
            perf write --connect localhost:99999            | 2 | --connect: "99999"
            perf write --size x                             | 2 | --size: "x" is not
            perf wrote                                      | 2 | pverbs: "wrote" is not an operation; take write, read, send, fetch-add, compare-swap or immediate
            perf write --crc maybe                          | 2 | crc (--crc): "maybe" is not one of auto, on, off
            ping localhost --provider nonesuch              | 2 | unknown provider "nonesuch"
            ping localhost --device nonesuch                | 2 | has no device "nonesuch"
            ping localhost --set panamaverbs.nonesuch=1     | 2 | unknown setting "panamaverbs.nonesuch" (--set)
            config --set panamaverbs.softiwarp.crc=maybe    | 2 | setting panamaverbs.softiwarp.crc (--set): "maybe" is not one of auto, on, off
            cast pom.xml --stag 1 --notify 1 --set panamaverbs.nonesuch=1 tcp://localhost:1 | 2 | unknown setting "panamaverbs.nonesuch" (--set)
            capture --max-size x f -- true                  | 2 | --max-size: "x" is not
            capture f ./pverbs ping --count 1               | 2 | put -- before the program, as capture FILE -- COMMAND...
            nfs ls foo                                      | 2 | "foo" is not the URL of a file at a server
            nfs get foo bar                                 | 2 | "foo" is not the URL of a file at a server
            nfs get nfs://localhost/folder/ bar             | 2 | does not name a file
            nfs put /dev/null foo                           | 2 | "foo" is not the URL of a file at a server
            nfs ls nfs://localhost:99999/                   | 2 | is not a port
            nfs ls nfs://localhost/ --provider nonesuch     | 2 | unknown provider "nonesuch"
            nfs get nfs://localhost/a /nonesuch/a --provider nonesuch | 2 | unknown provider "nonesuch"
            nfs serve /tmp --listen x:y                     | 2 | --listen: "y" in "x:y" is not a port
            """)
    void shouldSayInOneLineWhatIsWrong(String arguments, int status, String words) {
        Program.Outcome outcome = Program.run(arguments.split(" +"));
        assertAll(() -> assertEquals(status, outcome.status(), outcome.errors()),
                () -> assertEquals(1, outcome.errors().lines().count(), outcome.errors()),
                () -> assertTrue(outcome.errors().startsWith("pverbs: ") && outcome.errors().contains(words), outcome.errors()));
    }

    @Test
    void shouldListAllCommandsIfItKnowsNoneOfThatName() {
        assertEquals("pverbs: there is no command \"list\\u{1b}\"; take ls, get, put, serve (pverbs nfs --help tells more)",
                Program.run("nfs", "list\u001B").errors().strip());
    }

    @ParameterizedTest
    @ValueSource(strings = { "config", "devices --json", "--help" })
    void shouldSayThatItsOutputCannotBeWritten(String arguments) throws Exception {
        Program.Outcome outcome;
        try (OutputStream full = new FileOutputStream("/dev/full")) {
            outcome = Program.runInto(full, arguments.split(" +"));
        }
        assertAll(() -> assertEquals(1, outcome.status()),
                () -> assertEquals("pverbs: standard output cannot be written: No space left on device", outcome.errors().strip()));
    }

    @ParameterizedTest
    @ValueSource(strings = { "config", "devices --json" })
    void shouldBeQuietIfItsReaderHasGone(String arguments) {
        Program.Outcome outcome = Program.runInto(new OutputStream() {
            @Override
            public void write(int octet) throws IOException {
                throw new IOException("Broken pipe");
            }
        }, arguments.split(" +"));
        assertAll(() -> assertEquals(0, outcome.status()), () -> assertEquals("", outcome.errors()));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "-", textBlock = """
            cannot read /a: | Is a directory | cannot read /a: Is a directory
            -               | Is a directory | Is a directory
            """)
    void shouldSayTheWordsAroundAnErrorOfAFile(String words, String reason, String said) {
        IOException cause = new IOException(reason);
        assertEquals(said,
                Pverbs.message(words == null ? new UncheckedIOException(cause) : new UncheckedIOException(words + " " + reason, cause)));
    }

    @Test
    void shouldSayTheReasonOfAnErrorOfAFileWithinOtherWords() {
        assertEquals("cannot read /a: permission denied",
                Pverbs.message(new UncheckedIOException("cannot read /a: a", new AccessDeniedException("a"))));
    }

    @Command(name = "starve")
    static final class Starving implements Runnable {
        @Option(names = "--json")
        private boolean json;

        @Override
        public void run() {
            throw new OutOfMemoryError("Java heap space");
        }
    }

    /** Start-up time: each command costs some milliseconds. */
    @Test
    void shouldHaveOnlyTheCommandThatItsFirstArgumentNames() {
        assertAll(() -> assertEquals(Set.of("perf"), commands("perf", "--seconds", "1")), () -> assertEquals(Set.of(), commands("-V")),
                () -> assertEquals(ALL, commands().size()), () -> assertEquals(ALL, commands("--help").size()),
                () -> assertEquals(ALL, commands("pref", "perf").size()));
    }

    private static Set<String> commands(String... arguments) {
        return Pverbs.commandLine(System.err, arguments).getSubcommands().keySet();
    }

    @Test
    void shouldSayInOneLineThatMemoryHasRunOut() throws Exception {
        ByteArrayOutputStream errors = new ByteArrayOutputStream();
        StringWriter out = new StringWriter();
        CommandLine commandLine = Pverbs.commandLine(new PrintStream(errors, true, StandardCharsets.UTF_8));
        commandLine.addSubcommand(new Starving());
        commandLine.setOut(new PrintWriter(out));
        int status = commandLine.execute("starve", "--json");
        assertEquals(1, status);
        assertEquals("pverbs: there is not enough memory: Java heap space; -Xmx in JAVA_TOOL_OPTIONS allows a larger heap, "
                + "-XX:MaxDirectMemorySize more memory outside of it", errors.toString(StandardCharsets.UTF_8).strip());
        assertTrue(out.toString().contains("resource"), out::toString);
    }

    /** They are those of the program, which prints its own. */
    @Test
    void shouldNotTakeTheArgumentsOfAProgramForItsOwn() {
        Program.Outcome outcome = Program.run("capture", "/tmp/none.pcapng", "--", "/nonesuch/program", "--json");
        assertAll(() -> assertEquals("", outcome.out()), () -> assertEquals(1, outcome.status()),
                () -> assertEquals("pverbs: /nonesuch/program cannot be started: no such file or directory; nothing was captured",
                        outcome.errors().strip()));
    }

    @Test
    void shouldNameTheOptionThatWaitsLonger() throws Exception {
        // Nobody accepts: the handshake gets no answer.
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Program.Outcome outcome = Program.run("ping", "127.0.0.1:" + socket.getLocalPort(), "--timeout", "1");
            assertAll(() -> assertEquals(1, outcome.status()),
                    () -> assertTrue(outcome.errors().strip().endsWith("; --timeout waits longer"), outcome.errors()));
        }
    }

    /** The kernel drops a SYN as long as the listener's backlog is full, as a firewall does. */
    @Test
    void shouldSayWhatToDoIfTcpGetsNoAnswer() throws Exception {
        List<Socket> fill = new ArrayList<>();
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            try {
                while (true) {
                    fill.add(new Socket());
                    fill.getLast().connect(socket.getLocalSocketAddress(), 100);
                }
            } catch (SocketTimeoutException e) {
                // It is full.
            }
            Program.Outcome outcome = Program.run("ping", "127.0.0.1:" + socket.getLocalPort(), "--timeout", "1", "--provider",
                    "soft-iwarp");
            assertEquals("pverbs: could not connect to 127.0.0.1:" + socket.getLocalPort() + " within 1 s: no answer to TCP; see whether "
                    + "the host runs and no firewall drops packets; --timeout waits longer", outcome.errors().strip());
        } finally {
            for (Socket each : fill) {
                each.close();
            }
        }
    }

    @Test
    void shouldNotSpeakOfLocalPortsToAListener() {
        Program.Outcome outcome = Program.run("ping", "--listen", "192.0.2.77:0");
        assertAll(() -> assertEquals(1, outcome.status()),
                () -> assertTrue(
                        outcome.errors().strip()
                                .endsWith("no network interface of this machine has this address: \"ip address\" lists those it has"),
                        outcome.errors()));
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
                () -> assertTrue(out.lines().anyMatch(line -> line.matches("panamaverbs.softiwarp.crc +auto +default")), out));
    }

    /** The number of commands. */
    private static final int ALL = 13;
    private static final List<String> DEVICE_NAMES = List.of("name", "transport", "active", "vendor", "firmware", "identity",
            "maximumQueuePairs", "maximumWorkRequests", "maximumScatterGather", "maximumInline", "maximumCompletionQueueEntries",
            "maximumRegions", "maximumRegionSize", "maximumMessageSize", "maximumInboundReads", "maximumOutboundReads",
            "maximumPrivateData", "maximumPinnedMemory", "objects", "capabilities", "ports");
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
            config --json --provider nonesuch            | 2 | pverbs.config  | usage   | unknown provider "nonesuch"
            devices --json --device nonesuch             | 2 | pverbs.devices | usage   | there is no device "nonesuch"
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
