package org.panamaverbs.tools.ping;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HexFormat;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.panamaverbs.Access;
import org.panamaverbs.Configuration;
import org.panamaverbs.Device;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.SendRequest;
import org.panamaverbs.Verbs;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.cm.Connector;
import org.panamaverbs.cm.Listener;
import org.panamaverbs.testing.Transports;
import org.panamaverbs.tools.Program;
import org.panamaverbs.tools.shared.Dialogue;
import org.panamaverbs.tools.shared.HostPort;
import org.panamaverbs.tools.shared.Resources;

@Execution(ExecutionMode.CONCURRENT)
class PingCommandTest {
    @ParameterizedTest
    @Transports({ "epoll", "nio" })
    void shouldVerifyWhatComesBack(String transport) throws Exception {
        String setting = "panamaverbs.softiwarp.transport=" + transport;
        try (Program.Server server = new Program.Server("ping", "--listen", "127.0.0.1:0", "--set", setting)) {
            Program.Outcome outcome = Program.run("ping", server.address(), "--verify", "--count", "3", "--size", "100000", "--set",
                    setting);
            assertAll(() -> assertEquals(0, outcome.status(), outcome.errors()),
                    () -> assertEquals(3, outcome.out().lines().filter(line -> line.endsWith(" verified")).count(), outcome.out()),
                    () -> assertTrue(outcome.out().contains("3 rounds of 100000 bytes, all verified"), outcome.out()));
        }
    }

    @Test
    void shouldNotLetTheServersTextSteerTheTerminal() throws Exception {
        String setting = "panamaverbs.provider=soft-iwarp";
        try (Verbs verbs = Verbs.open(Configuration.builder().set("panamaverbs.provider", "soft-iwarp").build());
                Listener listener = ConnectionManager.of(verbs.device()).listen(new InetSocketAddress("127.0.0.1", 0), 1)) {
            Thread server = Thread.ofPlatform().start(() -> answerWithControls(verbs.device(), listener));
            Program.Outcome outcome = Program.run("ping", HostPort.text(listener.address()), "--count", "1", "--warm-up", "0", "--size",
                    "64", "--verbose", "--set", setting);
            server.join();
            assertAll(() -> assertEquals(0, outcome.status(), outcome.errors()),
                    () -> assertTrue(outcome.out().contains("\\u{9b}".repeat(64)), outcome.out()),
                    () -> assertFalse(outcome.out().contains("\u009B"), outcome.out()));
        }
    }

    @Test
    void shouldAskWhetherTheServerAnswersPings(@TempDir Path folder) throws Exception {
        try (Program.Server server = new Program.Server("serve", folder.toString(), "--listen", "127.0.0.1:0")) {
            Program.Outcome outcome = Program.run("ping", server.address());
            assertEquals(
                    "pverbs: " + server.address()
                            + " has closed the connection after 0 rounds of warm-up: is a pverbs ping --listen or rping -s " + "there?",
                    outcome.errors().strip());
        }
    }

    /** The warm-up's rounds are rounds to the server. */
    @Test
    void shouldWarmUpBeforeItCounts() throws Exception {
        try (Program.Server server = new Program.Server("ping", "--listen", "127.0.0.1:0")) {
            Program.Outcome warm = Program.run("ping", server.address());
            String answered = server.await(" rounds");
            assertAll(() -> assertEquals(6, warm.out().lines().count(), warm.out()),
                    () -> assertTrue(warm.out().contains("round=0 ") && warm.out().contains("round=4 "), warm.out()),
                    () -> assertTrue(Long.parseLong(answered.split(" ")[1]) > 5, answered));
        }
        try (Program.Server server = new Program.Server("ping", "--listen", "127.0.0.1:0")) {
            Program.Outcome cold = Program.run("ping", server.address(), "--warm-up", "0");
            assertAll(() -> assertEquals(0, cold.status()), () -> assertTrue(server.await(" rounds").endsWith(": 5 rounds")));
        }
    }

    @Test
    void shouldDescribeItsRoundsAsJson() throws Exception {
        try (Program.Server server = new Program.Server("ping", "--listen", "127.0.0.1:0")) {
            Program.Outcome outcome = Program.run("ping", server.address(), "--verify", "--count", "3", "--size", "100", "--json");
            JsonNode ping = new ObjectMapper().readTree(outcome.out());
            assertAll(outcome::out, () -> assertEquals(1, outcome.out().lines().count()),
                    () -> assertEquals("pverbs.ping", ping.get("schema").asText()),
                    () -> assertEquals(1, ping.get("schemaVersion").asInt()),
                    () -> assertEquals(server.address(), ping.get("peer").asText()), () -> assertTrue(ping.get("warmUpRounds").asInt() > 0),
                    () -> assertEquals(3, ping.get("rounds").asInt()), () -> assertEquals(100, ping.get("size").asInt()),
                    () -> assertTrue(ping.get("verified").asBoolean()),
                    () -> assertTrue(ping.get("latencyMicros").get("p50").asDouble() > 0), () -> assertTrue(
                            ping.get("latencyMicros").get("maximum").asDouble() >= ping.get("latencyMicros").get("p50").asDouble()));
        }
    }

    @Test
    void shouldNotWaitForAServerThatStops() throws Exception {
        try (Program.Server server = new Program.Server("ping", "--listen", "127.0.0.1:0")) {
            Process ping = Program.start("ping", server.address(), "--count", "100000000", "--timeout", "4");
            server.await("connected");
            server.freeze();
            String said = new String(ping.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertTrue(ping.waitFor(180, TimeUnit.SECONDS));
            assertAll(() -> assertEquals(1, ping.exitValue(), said), () -> assertEquals(1, said.lines().count(), said),
                    () -> assertTrue(said.contains(server.address() + " has not answered for 4 s"), said));
        }
    }

    @Test
    void shouldNotWaitForAClientThatStops() throws Exception {
        try (Program.Server server = new Program.Server("ping", "--listen", "127.0.0.1:0", "--timeout", "3")) {
            Process ping = Program.start("ping", server.address(), "--count", "100000000");
            try {
                server.await("connected");
                Program.freeze(ping);
                String line = server.await("has not answered for 3 s");
                assertTrue(line.startsWith("127.0.0.1:"), line);
            } finally {
                ping.destroyForcibly();
            }
        }
    }

    @Test
    void shouldNotLetTheClientsTextSteerTheServersTerminal() throws Exception {
        try (Program.Server server = new Program.Server("ping", "--listen", "127.0.0.1:0", "--verbose");
                Verbs verbs = Verbs.open(Configuration.builder().set("panamaverbs.provider", "soft-iwarp").build());
                Resources resources = new Resources(verbs.device(), 16)) {
            Dialogue dialogue = new Dialogue(resources, Advertisement.LENGTH, Duration.ofSeconds(60));
            Connection connection;
            try (Connector connector = ConnectionManager.of(verbs.device()).connector(HostPort.parse(server.address(), 0).resolve(),
                    Duration.ofSeconds(60))) {
                QueuePair pair = connector.createQueuePair(resources.domain(),
                        QueuePairAttributes.of(resources.queue()).withDepths(4, Dialogue.RECEIVES));
                dialogue.prepare(pair);
                connection = connector.connect(ConnectionParameters.defaults().withReads(1, 1), Duration.ofSeconds(60));
            }
            dialogue.connected(connection);
            MemoryRegion text = resources.domain().register(resources.arena().allocate(64), Access.REMOTE_READ);
            text.segment().fill((byte) 0x9B);
            new Advertisement(text.address(), text.remoteKey(), 64).encode(dialogue.outbound());
            dialogue.send(Advertisement.LENGTH);
            dialogue.receive();
            connection.close();
            // All of it: there is no zero at its end.
            assertEquals("\\u{9b}".repeat(64), server.await("9b}"));
        }
    }

    /** A server that Writes its own text instead of the client's: controls, and no zero at the end. */
    private static void answerWithControls(Device device, Listener listener) {
        try (ConnectionRequest request = listener.awaitRequest(Duration.ofSeconds(60)); Resources resources = new Resources(device, 16)) {
            Dialogue dialogue = new Dialogue(resources, Advertisement.LENGTH, Duration.ofSeconds(60));
            QueuePair pair = request.createQueuePair(resources.domain(),
                    QueuePairAttributes.of(resources.queue()).withDepths(4, Dialogue.RECEIVES));
            dialogue.prepare(pair);
            MemoryRegion text = resources.domain().register(resources.arena().allocate(64));
            text.segment().fill((byte) 0x9B);
            try (Connection connection = request.accept(ConnectionParameters.defaults(), Duration.ofSeconds(60))) {
                dialogue.connected(connection);
                dialogue.receive();
                dialogue.send(Advertisement.LENGTH);
                Advertisement sink = Advertisement.decode(dialogue.receive());
                pair.post(new SendRequest().write(0).local(text, 0, 64).remote(sink.remote(), 0).signaled());
                dialogue.posted();
                dialogue.send(Advertisement.LENGTH);
                connection.awaitDisconnected(Duration.ofSeconds(60));
            }
        }
    }

    @Test
    void shouldSendTheTextOfRping() {
        // The text that rping sends in its second round (soft-iwarp's captures, rping.pcap).
        String expected = "rdma-ping-1: BCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyzABC";
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment buffer = arena.allocate(expected.length() + 1);
            buffer.fill((byte) 1);
            Text.fill(buffer, buffer.byteSize(), 1);
            assertEquals(expected + "\0", new String(buffer.toArray(ValueLayout.JAVA_BYTE), StandardCharsets.US_ASCII));
        }
    }

    @Test
    void shouldAdvertiseInTheBytesOfRping() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment buffer = arena.allocate(Advertisement.LENGTH);
            Advertisement advertisement = new Advertisement(0x0000560011223344L, 0xa1b2c3d4, 100);
            advertisement.encode(buffer);
            assertAll(
                    () -> assertEquals("0000560011223344a1b2c3d400000064", HexFormat.of().formatHex(buffer.toArray(ValueLayout.JAVA_BYTE))),
                    () -> assertEquals(advertisement, Advertisement.decode(buffer)));
        }
    }
}
