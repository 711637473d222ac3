package org.panamaverbs.tools.copy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.panamaverbs.Configuration;
import org.panamaverbs.Device;
import org.panamaverbs.Verbs;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.cm.RejectedException;
import org.panamaverbs.tools.shared.HostPort;
import org.panamaverbs.tools.shared.Service;
import org.panamaverbs.tools.shared.SilentClient;

class CopyServerTest {
    private static final CopyServer.Policy POLICY = new CopyServer.Policy(true, false, 1 << 20, 0, SilentClient.PATIENCE);

    @TempDir
    private Path here;
    @TempDir
    private Path there;

    /** There is one place: a second client has it when the server is done with the first. */
    @Test
    void shouldLogALostClientOnce() throws Exception {
        StringWriter said = new StringWriter();
        try (Verbs verbs = Verbs.open(Configuration.builder().set("panamaverbs.provider", "soft-iwarp").build());
                CopyServer server = new CopyServer(ConnectionManager.of(verbs), there, POLICY, new InetSocketAddress("127.0.0.1", 0),
                        new Service.Limits(1, Duration.ofDays(1)), new PrintWriter(said))) {
            Thread.ofPlatform().daemon().start(server::serve);
            try (StalledPut put = new StalledPut(HostPort.text(server.address()), 1 << 20)) {
                put.trespass();
                put.awaitEnd();
            }
            connect(verbs.device(), server.address()).close();
        }
        List<String> lines = said.toString().lines().filter(line -> !line.contains("listening on ") && !line.contains(" refused: "))
                .toList();
        assertEquals(1, lines.size(), said::toString);
        assertTrue(lines.getFirst().contains(": PUT stalled: the connection to "), said::toString);
    }

    @Test
    void shouldServeANewClientInPlaceOfASilentOne() throws Exception {
        Path source = Files.writeString(here.resolve("source"), "text");
        try (Verbs verbs = Verbs.open(Configuration.builder().set("panamaverbs.provider", "soft-iwarp").build());
                CopyServer server = new CopyServer(ConnectionManager.of(verbs), there, POLICY, new InetSocketAddress("127.0.0.1", 0),
                        new Service.Limits(1, Duration.ofMillis(1)), new PrintWriter(Writer.nullWriter()))) {
            Thread.ofPlatform().daemon().start(server::serve);
            try (StalledPut silent = new StalledPut(HostPort.text(server.address()), 1 << 20);
                    CopyClient client = connect(verbs.device(), server.address())) {
                client.put(source, "name", false, ignored -> {
                });
                silent.awaitEnd();
            }
        }
        assertEquals("text", Files.readString(there.resolve("name")));
    }

    /** The other one has to be silent for some time. */
    private static CopyClient connect(Device device, InetSocketAddress server) throws InterruptedException {
        long patience = System.nanoTime() + SilentClient.PATIENCE.toNanos();
        while (true) {
            try {
                return new CopyClient(device, server, SilentClient.PATIENCE);
            } catch (RejectedException e) {
                if (System.nanoTime() > patience) {
                    throw e;
                }
                TimeUnit.MILLISECONDS.sleep(10);
            }
        }
    }
}
