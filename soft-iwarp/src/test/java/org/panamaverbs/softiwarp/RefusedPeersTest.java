package org.panamaverbs.softiwarp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.panamaverbs.Configuration;
import org.panamaverbs.Verbs;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.cm.Listener;

/** Peers that never become a connection are counted. */
class RefusedPeersTest {
    private static final long PATIENCE_NANOS = Duration.ofSeconds(60).toNanos();

    @Test
    void shouldCountAPeerThatSpeaksSomethingElse() throws Exception {
        Configuration.Builder configuration = Configuration.builder();
        SoftIwarp.settings("nio").forEach(configuration::set);
        try (Verbs verbs = Verbs.open(configuration.build());
                Listener listener = ConnectionManager.of(verbs.device()).listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        1);
                Socket stranger = new Socket(listener.address().getAddress(), listener.address().getPort())) {
            stranger.getOutputStream().write("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            long begin = System.nanoTime();
            while (verbs.device().statistics().requestsRefused().getAsLong() == 0 && System.nanoTime() - begin < PATIENCE_NANOS) {
                Thread.onSpinWait();
            }
            assertEquals("connections established 0, requests refused 1, requests rejected 0, ended orderly 0, ended by a local error 0, "
                    + "ended by a remote error 0, ended by loss 0", verbs.device().statistics().describe());
        }
    }
}
