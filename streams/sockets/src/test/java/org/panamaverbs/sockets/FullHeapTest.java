package org.panamaverbs.sockets;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.panamaverbs.Configuration;
import org.panamaverbs.Verbs;
import org.panamaverbs.testing.FullHeap;
import org.panamaverbs.testing.Proofs;

@Tag(Proofs.TAG)
@Timeout(value = 30, unit = TimeUnit.MINUTES)
class FullHeapTest {
    private static final Duration SOON = Duration.ofSeconds(5);

    /** A server that takes one peer after the other. */
    static final class Server {
        private Server() {
        }

        public static void main(String[] arguments) throws Exception {
            VerbsSockets sockets = VerbsSockets.open(Verbs.open(Configuration.load()));
            VerbsServerSocket server = sockets.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
            Thread.ofPlatform().start(() -> {
                while (true) {
                    serve(server);
                }
            });
            FullHeap.serve(server.address().getPort());
        }

        private static void serve(VerbsServerSocket server) {
            try (VerbsSocket peer = server.accept(Duration.ofDays(1))) {
                peer.setTimeout(SOON);
                peer.outputStream().write(peer.inputStream().read());
            } catch (IOException | RuntimeException | OutOfMemoryError e) {
                // The next peer has more luck.
            }
        }
    }

    /** The same without a thread that waits. */
    static final class StageServer {
        private StageServer() {
        }

        public static void main(String[] arguments) throws Exception {
            VerbsSockets sockets = VerbsSockets.open(Verbs.open(Configuration.load()));
            VerbsServerSocket server = sockets.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
            Thread.ofPlatform().start(() -> {
                while (true) {
                    serve(server);
                }
            });
            FullHeap.serve(server.address().getPort());
        }

        /** A stage that is lost would end the service. */
        private static void serve(VerbsServerSocket server) {
            try (VerbsSocket peer = server.acceptAsync().toCompletableFuture().join()) {
                ByteBuffer bytes = ByteBuffer.allocate(1);
                peer.readAsync(bytes).toCompletableFuture().join();
                peer.writeAsync(bytes.flip()).toCompletableFuture().join();
            } catch (RuntimeException | OutOfMemoryError e) {
                // The next peer has more luck.
            }
        }
    }

    @Test
    void shouldServeAfterwards() throws Exception {
        serveAfterwards(Server.class);
    }

    @Test
    void shouldLoseNoStage() throws Exception {
        serveAfterwards(StageServer.class);
    }

    private static void serveAfterwards(Class<?> server) throws Exception {
        Configuration configuration = Configuration.builder().set("panamaverbs.provider", "soft-iwarp")
                .set("panamaverbs.softiwarp.transport", "epoll").build();
        try (Verbs verbs = Verbs.open(configuration); VerbsSockets sockets = VerbsSockets.open(verbs)) {
            FullHeap.fillAndServe(server, port -> {
                try (VerbsSocket socket = sockets.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), SOON)) {
                    socket.setTimeout(SOON);
                    socket.outputStream().write(1);
                    if (socket.inputStream().read() != 1) {
                        throw new IOException("the server has ended the connection");
                    }
                }
            });
        }
    }
}
