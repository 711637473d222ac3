package org.panamaverbs.tools.ping;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.Writer;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.panamaverbs.Configuration;
import org.panamaverbs.Device;
import org.panamaverbs.Verbs;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.cm.RejectedException;
import org.panamaverbs.tools.shared.Service;
import org.panamaverbs.tools.shared.SilentClient;

class PingServerTest {
    @Test
    void shouldAnswerANewClientInPlaceOfASilentOne() throws Exception {
        try (Verbs verbs = Verbs.open(Configuration.builder().set("panamaverbs.provider", "soft-iwarp").build());
                PingServer server = new PingServer(ConnectionManager.of(verbs), new InetSocketAddress("127.0.0.1", 0),
                        new Service.Limits(1, Duration.ofMillis(1)), SilentClient.PATIENCE, new PrintWriter(Writer.nullWriter()), false)) {
            Thread.ofPlatform().daemon().start(() -> server.serve(false));
            try (SilentClient silent = new SilentClient(verbs.device(), server.address());
                    PingClient client = connect(verbs.device(), server.address())) {
                client.round(0);
                assertTrue(client.verify(), "answered");
                assertTrue(silent.awaitEnd(), "ended");
            }
        }
    }

    /** The other one has to be silent for some time. */
    private static PingClient connect(Device device, InetSocketAddress server) throws InterruptedException {
        long patience = System.nanoTime() + SilentClient.PATIENCE.toNanos();
        while (true) {
            try {
                return new PingClient(device, server, 64, SilentClient.PATIENCE);
            } catch (RejectedException e) {
                if (System.nanoTime() > patience) {
                    throw e;
                }
                TimeUnit.MILLISECONDS.sleep(10);
            }
        }
    }
}
