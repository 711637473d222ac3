package org.panamaverbs.nio;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.panamaverbs.Configuration;
import org.panamaverbs.Verbs;
import org.panamaverbs.sockets.EmptyClaims;

/** What a peer announces without writing it holds no byte of another peer. */
@Timeout(value = 20, unit = TimeUnit.MINUTES)
class EmptyClaimsTest {
    private static final int BUFFER = 64 << 10;

    @Test
    void shouldReadAsZeros() throws IOException {
        VerbsSelectorProvider provider = (VerbsSelectorProvider) Providers.of("epoll");
        try (ServerSocketChannel server = provider.openServerSocketChannel().bind(Providers.anyPort());
                Verbs verbs = Verbs.open(Configuration.builder().set("panamaverbs.provider", "soft-iwarp")
                        .set("panamaverbs.softiwarp.transport", "epoll").build())) {
            Thread.ofPlatform().daemon().start(() -> accept(server));
            EmptyClaims.check(verbs, (InetSocketAddress) server.getLocalAddress());
        }
    }

    private static void accept(ServerSocketChannel server) {
        try {
            while (true) {
                SocketChannel channel = server.accept();
                Thread.ofPlatform().daemon().start(() -> echo(channel));
            }
        } catch (IOException e) {
            // The server was closed.
        }
    }

    private static void echo(SocketChannel channel) {
        try (channel) {
            ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER);
            while (channel.read(buffer.clear()) >= 0) {
                channel.write(buffer.flip());
            }
        } catch (IOException e) {
            // The peer has left.
        }
    }
}
