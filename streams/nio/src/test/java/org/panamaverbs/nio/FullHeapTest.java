package org.panamaverbs.nio;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.panamaverbs.testing.FullHeap;
import org.panamaverbs.testing.Proofs;

@Tag(Proofs.TAG)
@Timeout(value = 30, unit = TimeUnit.MINUTES)
class FullHeapTest {
    private static final int SOON_MILLIS = 5000;

    /** A server of blocking channels that takes one peer after the other. */
    static final class Server {
        private Server() {
        }

        public static void main(String[] arguments) throws Exception {
            ServerSocketChannel server = Providers.of("epoll").openServerSocketChannel().bind(Providers.anyPort(), 50);
            Thread.ofPlatform().start(() -> {
                while (true) {
                    serve(server);
                }
            });
            FullHeap.serve(((InetSocketAddress) server.getLocalAddress()).getPort());
        }

        private static void serve(ServerSocketChannel server) {
            try (SocketChannel peer = server.accept()) {
                ByteBuffer bytes = ByteBuffer.allocate(1);
                if (peer.read(bytes) == 1) {
                    peer.write(bytes.flip());
                }
            } catch (IOException | RuntimeException | OutOfMemoryError e) {
                // The next peer has more luck.
            }
        }
    }

    @Test
    void shouldServeAfterwards() throws Exception {
        SelectorProvider provider = Providers.of("epoll");
        FullHeap.fillAndServe(Server.class, port -> {
            try (SocketChannel channel = provider.openSocketChannel()) {
                channel.socket().connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), SOON_MILLIS);
                channel.socket().setSoTimeout(SOON_MILLIS);
                channel.socket().getOutputStream().write(1);
                if (channel.socket().getInputStream().read() != 1) {
                    throw new IOException("the server has ended the connection");
                }
            }
        }, "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED");
    }
}
