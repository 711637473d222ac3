package org.panamaverbs.netty;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.panamaverbs.Configuration;
import org.panamaverbs.Verbs;
import org.panamaverbs.posix.SocketCalls;
import org.panamaverbs.softiwarp.transport.epoll.Deafness;

/** A link that is cut: both channels close within the times of the settings, writes that wait fail, and others go on. */
class CutChannelTest {
    private static final int LIMIT = 60;
    private static final int MANY = 16 << 20;

    private final BlockingQueue<Channel> accepted = new LinkedBlockingQueue<>();

    /** Echoes bytes, and keeps the failure of its channel. */
    private static final class Echo extends ChannelInboundHandlerAdapter {
        private final CompletableFuture<Throwable> failure = new CompletableFuture<>();

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            context.writeAndFlush(message);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            failure.complete(cause);
            context.close();
        }
    }

    /** Waits for an answer. */
    private static final class Client extends ChannelInboundHandlerAdapter {
        private final CompletableFuture<Boolean> answer = new CompletableFuture<>();

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ((ByteBuf) message).release();
            answer.complete(true);
        }
    }

    private static Channel connect(EventLoopGroup group, Channel server, Client client) throws InterruptedException {
        return new Bootstrap().group(group).channel(VerbsSocketChannel.class).handler(client).connect(server.localAddress()).sync()
                .channel();
    }

    @Test
    void shouldCloseBothChannelsAlone() throws Exception {
        assumeTrue(SocketCalls.unavailable() == null, SocketCalls::unavailable);
        try (Verbs verbs = Verbs
                .open(Configuration.builder().set("panamaverbs.provider", "soft-iwarp").set("panamaverbs.softiwarp.transport", "epoll")
                        .set("panamaverbs.softiwarp.keepalive", "2000").set("panamaverbs.softiwarp.user-timeout", "1000").build())) {
            EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, VerbsIoHandler.newFactory(verbs.device()));
            Channel server = new ServerBootstrap().group(group).channel(VerbsServerSocketChannel.class)
                    .childHandler(new ChannelInitializer<>() {
                        @Override
                        protected void initChannel(Channel channel) {
                            channel.pipeline().addLast(new Echo());
                            accepted.add(channel);
                        }
                    }).bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)).sync().channel();
            Channel active = connect(group, server, new Client());
            Channel passive = accepted.poll(LIMIT, TimeUnit.SECONDS);
            Echo echo = passive.pipeline().get(Echo.class);

            // The socket of each end is that whose peer is the other end.
            Deafness.begin(Deafness.descriptor((InetSocketAddress) active.localAddress()));
            Deafness.begin(Deafness.descriptor((InetSocketAddress) server.localAddress()));
            Client other = new Client();
            Channel bystander = connect(group, server, other);
            ChannelFuture write = active.writeAndFlush(active.alloc().directBuffer(MANY).writeZero(MANY));

            assertTrue(write.await(LIMIT, TimeUnit.SECONDS) && !write.isSuccess());
            String lost = assertInstanceOf(IOException.class, write.cause()).getMessage();
            assertTrue(lost.contains("acknowledged nothing for 1 s"), lost);
            assertTrue(active.closeFuture().await(LIMIT, TimeUnit.SECONDS));
            String silent = echo.failure.get(LIMIT, TimeUnit.SECONDS).getMessage();
            assertTrue(silent.contains("nothing for"), silent);
            assertTrue(passive.closeFuture().await(LIMIT, TimeUnit.SECONDS));

            bystander.writeAndFlush(bystander.alloc().directBuffer(1).writeByte(1)).sync();
            assertTrue(other.answer.get(LIMIT, TimeUnit.SECONDS));
            group.shutdownGracefully(0, LIMIT, TimeUnit.SECONDS).sync();
        }
        LeakRecorder.check();
    }
}
