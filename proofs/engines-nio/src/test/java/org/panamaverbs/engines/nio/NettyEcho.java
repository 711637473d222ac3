package org.panamaverbs.engines.nio;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * An echo by Netty's NIO channels, as a program that knows nothing of verbs has it: {@code serve ADDRESS PORT}, or
 * {@code measure ADDRESS PORT BYTES ROUND_TRIPS [PAUSE]}, which prints the median of half a round trip in microseconds. Before each round
 * trip that counts it pauses for so many microseconds.
 */
public final class NettyEcho {
    private static final int WARM_UP = 200_000;

    private NettyEcho() {
    }

    /** @param arguments see above */
    public static void main(String[] arguments) throws Exception {
        InetSocketAddress address = new InetSocketAddress(arguments[1], Integer.parseInt(arguments[2]));
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        if (arguments[0].equals("serve")) {
            Channel server = new ServerBootstrap().group(group).channel(NioServerSocketChannel.class)
                    .childOption(ChannelOption.TCP_NODELAY, true).childHandler(new Echo()).bind(address).sync().channel();
            System.out.println("ready");
            server.closeFuture().sync();
        } else {
            Pings pings = new Pings(Integer.parseInt(arguments[3]), Integer.parseInt(arguments[4]),
                    arguments.length > 5 ? Integer.parseInt(arguments[5]) : 0);
            Channel client = new Bootstrap().group(group).channel(NioSocketChannel.class).option(ChannelOption.TCP_NODELAY, true)
                    .handler(pings).connect(address).sync().channel();
            System.out.printf("%.2f%n", pings.median.get() / 2000.0);
            client.close().sync();
            group.shutdownGracefully().sync();
        }
    }

    @io.netty.channel.ChannelHandler.Sharable
    private static final class Echo extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            context.write(message, context.voidPromise());
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            context.flush();
        }
    }

    private static final class Pings extends ChannelInboundHandlerAdapter {
        private final CompletableFuture<Long> median = new CompletableFuture<>();
        private final int bytes;
        private final long[] times;
        private final int pause;
        private int count = -WARM_UP;
        private int missing;
        private long begin;

        Pings(int bytes, int roundTrips, int pause) {
            this.bytes = bytes;
            this.pause = pause;
            times = new long[roundTrips];
        }

        @Override
        public void channelActive(ChannelHandlerContext context) {
            ping(context);
        }

        private void ping(ChannelHandlerContext context) {
            missing = bytes;
            begin = System.nanoTime();
            context.writeAndFlush(context.alloc().directBuffer(bytes).writeZero(bytes), context.voidPromise());
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf part = (ByteBuf) message;
            missing -= part.readableBytes();
            part.release();
            if (missing > 0) {
                return;
            }
            if (count >= 0) {
                times[count] = System.nanoTime() - begin;
            }
            count++;
            if (count < times.length && (count < 0 || pause == 0)) {
                ping(context);
            } else if (count < times.length) {
                context.executor().schedule(() -> ping(context), pause, TimeUnit.MICROSECONDS);
            } else {
                Arrays.sort(times);
                median.complete(times[times.length / 2]);
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            median.completeExceptionally(cause);
        }
    }
}
