package org.panamaverbs.netty;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.Version;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.panamaverbs.Configuration;
import org.panamaverbs.Verbs;

/** A program that {@link OldestVersionsTest} runs: it registers, connects, echoes, and closes one half, then all. */
final class CoreExchange {
    private static final int BYTES = 100_000;
    private static final int SECONDS = 60;

    private CoreExchange() {
    }

    /** Echoes bytes, and closes when the peer has shut down its output. */
    private static final class Echo extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            context.writeAndFlush(message);
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            if (event == ChannelInputShutdownEvent.INSTANCE) {
                context.close();
            }
        }
    }

    /** Counts the bytes that come back. */
    private static final class Count extends SimpleChannelInboundHandler<ByteBuf> {
        private final CompletableFuture<Integer> all = new CompletableFuture<>();
        private int count;

        @Override
        protected void channelRead0(ChannelHandlerContext context, ByteBuf message) {
            count += message.readableBytes();
            if (count == BYTES) {
                all.complete(count);
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            all.completeExceptionally(cause);
        }
    }

    private static Channel await(ChannelFuture future) throws Exception {
        future.get(SECONDS, TimeUnit.SECONDS);
        return future.channel();
    }

    public static void main(String[] arguments) throws Exception {
        try (Verbs verbs = Verbs.open(Configuration.builder().set("panamaverbs.provider", "soft-iwarp").build())) {
            EventLoopGroup group = new MultiThreadIoEventLoopGroup(2, new DefaultThreadFactory("exchange", true),
                    VerbsIoHandler.newFactory(verbs.device()));
            Channel server = await(
                    new ServerBootstrap().group(group).channel(VerbsServerSocketChannel.class).childHandler(new ChannelInitializer<>() {
                        @Override
                        protected void initChannel(Channel channel) {
                            channel.pipeline().addLast(new Echo());
                        }
                    }).childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                            .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)));
            Count counter = new Count();
            SocketChannel client = (SocketChannel) await(new Bootstrap().group(group).channel(VerbsSocketChannel.class).handler(counter)
                    .option(ChannelOption.ALLOCATOR, new VerbsByteBufAllocator()).connect(server.localAddress()));
            client.write(Unpooled.wrappedBuffer(new byte[BYTES / 2]));
            await(client.writeAndFlush(client.alloc().directBuffer().writeZero(BYTES / 2)));
            counter.all.get(SECONDS, TimeUnit.SECONDS);
            await(client.shutdownOutput());
            await(client.closeFuture());
            await(server.close());
            group.shutdownGracefully(0, SECONDS, TimeUnit.SECONDS).get(2 * SECONDS, TimeUnit.SECONDS);
        }
        System.out.println("exchanged by " + Version.identify().get("netty-transport").artifactVersion());
    }
}
