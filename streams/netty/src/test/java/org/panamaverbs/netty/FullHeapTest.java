package org.panamaverbs.netty;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.panamaverbs.Configuration;
import org.panamaverbs.Verbs;
import org.panamaverbs.sockets.VerbsSocket;
import org.panamaverbs.sockets.VerbsSockets;
import org.panamaverbs.testing.FullHeap;
import org.panamaverbs.testing.Proofs;

@Tag(Proofs.TAG)
@Timeout(value = 30, unit = TimeUnit.MINUTES)
class FullHeapTest {
    private static final Duration SOON = Duration.ofSeconds(5);
    /** Netty logs what a task throws, and ends the event loop if there is no memory for the message, over sockets as well. */
    private static final String NETTY_LOGS_NOTHING = "-Dorg.slf4j.simpleLogger.log.io.netty=off";

    /** Sends what it receives. */
    @Sharable
    private static final class Echo extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            context.writeAndFlush(message);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            context.close();
        }
    }

    /** A server of two loops. */
    static final class Server {
        private Server() {
        }

        public static void main(String[] arguments) throws Exception {
            Verbs verbs = Verbs.open(Configuration.load());
            EventLoopGroup group = new MultiThreadIoEventLoopGroup(2, VerbsIoHandler.newFactory(verbs.device()));
            Channel server = new ServerBootstrap().group(group).channel(VerbsServerSocketChannel.class).childHandler(new Echo())
                    .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)).sync().channel();
            FullHeap.serve(((InetSocketAddress) server.localAddress()).getPort());
        }
    }

    @Test
    void shouldServeAfterwards() throws Exception {
        Configuration configuration = Configuration.builder().set("panamaverbs.provider", "soft-iwarp")
                .set("panamaverbs.softiwarp.transport", "epoll").build();
        try (Verbs verbs = Verbs.open(configuration); VerbsSockets sockets = VerbsSockets.open(verbs)) {
            FullHeap.fillAndServe(Server.class, port -> {
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
