package org.panamaverbs.sockets;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.panamaverbs.Configuration;
import org.panamaverbs.Verbs;

/** What a peer announces without writing it holds no byte of another peer. */
@Timeout(value = 20, unit = TimeUnit.MINUTES)
class EmptyClaimsTest {
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final int BUFFER = 64 << 10;

    @Test
    void shouldReadAsZeros() throws IOException {
        try (Verbs verbs = Verbs.open(Configuration.builder().set("panamaverbs.provider", "soft-iwarp").build());
                VerbsSockets sockets = VerbsSockets.open(verbs);
                VerbsServerSocket server = sockets.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 8)) {
            Thread.ofPlatform().daemon().start(() -> accept(server));
            EmptyClaims.check(verbs, server.address());
        }
    }

    private static void accept(VerbsServerSocket server) {
        while (true) {
            try {
                VerbsSocket socket = server.accept(SOON);
                Thread.ofPlatform().daemon().start(() -> echo(socket));
            } catch (IOException e) {
                return;
            }
        }
    }

    private static void echo(VerbsSocket socket) {
        try (socket) {
            socket.setTimeout(SOON);
            byte[] buffer = new byte[BUFFER];
            InputStream in = socket.inputStream();
            OutputStream out = socket.outputStream();
            for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                out.write(buffer, 0, count);
            }
        } catch (IOException e) {
            // The peer has left.
        }
    }
}
