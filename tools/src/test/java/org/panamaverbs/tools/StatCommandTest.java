package org.panamaverbs.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.panamaverbs.Access;
import org.panamaverbs.Configuration;
import org.panamaverbs.Device;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.RemoteMemory;
import org.panamaverbs.SendRequest;
import org.panamaverbs.Verbs;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.cm.Connector;
import org.panamaverbs.cm.Listener;
import org.panamaverbs.statistics.StatisticsFile;

/** {@code pverbs stat} of this process, of one that has died, and of one that publishes nothing. */
class StatCommandTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final long SELF = ProcessHandle.current().pid();

    private record Said(int status, String output, String errors) {
    }

    private static Said pverbs(String... arguments) {
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        ByteArrayOutputStream errors = new ByteArrayOutputStream();
        int status = Pverbs.execute(output, new PrintStream(errors, true, StandardCharsets.UTF_8), arguments);
        return new Said(status, output.toString(StandardCharsets.UTF_8), errors.toString(StandardCharsets.UTF_8));
    }

    /** The process writes once a second. */
    private static String await(Predicate<String> condition) throws InterruptedException {
        long begin = System.nanoTime();
        while (true) {
            Said said = pverbs("stat", Long.toString(SELF));
            if (said.status == 0 && condition.test(said.output)) {
                return said.output;
            }
            assertTrue(System.nanoTime() - begin < LIMIT.toNanos(), said::toString);
            Thread.sleep(20);
        }
    }

    private static Verbs open(String statistics) {
        return Verbs.open(Configuration.builder().set("panamaverbs.provider", "soft-iwarp").set("panamaverbs.statistics", statistics)
                .set("panamaverbs.softiwarp.transport", "nio").build());
    }

    @Test
    void shouldShowCountersConnectionsMemoryAndErrors() throws Exception {
        try (Arena arena = Arena.ofShared(); Verbs verbs = open("on")) {
            Device device = verbs.device();
            ProtectionDomain domain = device.allocateProtectionDomain();
            MemoryRegion region = domain.register(arena.allocate(5000), Access.LOCAL_WRITE);
            try (Listener listener = ConnectionManager.of(device).listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1)) {
                CompletableFuture<Connection> accepted = CompletableFuture.supplyAsync(() -> {
                    ConnectionRequest request = listener.awaitRequest(LIMIT);
                    request.createQueuePair(domain, QueuePairAttributes.of(device.createCompletionQueue(16)));
                    return request.accept(ConnectionParameters.defaults(), LIMIT);
                });
                Connector connector = ConnectionManager.of(device).connector(listener.address(), LIMIT);
                connector.createQueuePair(domain, QueuePairAttributes.of(device.createCompletionQueue(16)));
                Connection connection = connector.connect(ConnectionParameters.defaults(), LIMIT);
                accepted.get();
                String shown = await(text -> text.contains("connections established 2"));
                assertTrue(shown.startsWith("process " + SELF + System.lineSeparator() + "device soft-iwarp0 (soft-iwarp)"), shown);
                assertTrue(shown.contains("connection 127.0.0.1:" + connection.localAddress().getPort() + " to 127.0.0.1:"
                        + connection.remoteAddress().getPort() + " by TCP, queue pair " + connection.queuePair().number()), shown);
                assertTrue(shown.contains("registered 5000 bytes, pinned 0"), shown);
                assertFalse(shown.contains("error, "), shown);
                connection.queuePair().post(new SendRequest().write(1).local(region, 0, 100).remote(new RemoteMemory(0, 0x1234, 100), 0));
                assertTrue(connection.awaitDisconnected(LIMIT));
                // Counts are taken before the connections, so one text may have the old counts and no connection.
                await(text -> text.contains("error, ") && text.contains("ended by a remote error 1")
                        && !text.contains("connection 127.0.0.1"));
                Said object = pverbs("stat", "--json", Long.toString(SELF));
                assertTrue(object.output.contains("\"process\" : " + SELF) && object.output.contains("\"kind\" : \"error\""),
                        object::toString);
            }
        }
        assertEquals(1, StatisticsFile.find(SELF).isEmpty() ? 1 : 0, "a session that closes removes its file");
    }

    @Test
    void shouldPublishNothingUnlessAsked() {
        try (Verbs verbs = open("off")) {
            assertEquals("soft-iwarp", verbs.provider());
            Said said = pverbs("stat", Long.toString(Long.MAX_VALUE));
            assertEquals(1, said.status);
            assertTrue(said.errors.contains("publishes no statistics") && said.errors.contains("panamaverbs.statistics=on"),
                    said::toString);
        }
    }

    @Test
    void shouldSayThatAProcessHasDiedAndRemoveItsFile() throws Exception {
        Process dead = new ProcessBuilder("true").start();
        dead.waitFor();
        Path file;
        try (Verbs verbs = open("on")) {
            await(text -> text.contains("connections established 0"));
            Path live = StatisticsFile.find(SELF).getFirst().file();
            file = live.resolveSibling(dead.pid() + "-1");
            byte[] content = Files.readAllBytes(live);
            ByteBuffer.wrap(content).order(ByteOrder.LITTLE_ENDIAN).putLong(16, dead.pid()).putLong(8, 2);
            Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            Files.write(file, content);
            assertEquals("soft-iwarp", verbs.provider());
        }
        Said said = pverbs("stat", Long.toString(dead.pid()));
        assertEquals(0, said.status, said::toString);
        assertTrue(said.output.startsWith("process " + dead.pid() + " has died: this was its state at "), said.output);
        assertFalse(Files.exists(file));
    }
}
