package org.panamaverbs.netty;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.panamaverbs.Configuration;
import org.panamaverbs.Verbs;
import org.panamaverbs.testing.BusyCarriers;
import org.panamaverbs.testing.ChildJvm;
import org.panamaverbs.testing.Transports;

/** While the program's virtual threads compute on all carriers, channels connect, exchange bytes, and close. */
class BusyCarriersTest {
    private static final String NIO = "Netty's NIO";
    private static final int ROUNDS = 10;

    /** Sends what it receives. */
    @Sharable
    private static final class Echo extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            context.writeAndFlush(message);
        }
    }

    /** Keeps the length of what it receives. */
    private static final class Lengths extends ChannelInboundHandlerAdapter {
        private final BlockingQueue<Integer> lengths = new LinkedBlockingQueue<>();

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf bytes = (ByteBuf) message;
            lengths.add(bytes.readableBytes());
            bytes.release();
        }
    }

    static final class Program {
        private Program() {
        }

        public static void main(String[] arguments) throws Exception {
            boolean overVerbs = !arguments[0].equals(NIO);
            BusyCarriers.occupy();
            Verbs verbs = Verbs.open(Configuration.load());
            IoHandlerFactory factory = overVerbs ? VerbsIoHandler.newFactory(verbs.device()) : NioIoHandler.newFactory();
            EventLoopGroup group = new MultiThreadIoEventLoopGroup(2, factory);
            Channel server = new ServerBootstrap().group(group)
                    .channel(overVerbs ? VerbsServerSocketChannel.class : NioServerSocketChannel.class).childHandler(new Echo())
                    .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)).sync().channel();
            for (int i = 0; i < ROUNDS; i++) {
                Lengths client = new Lengths();
                Channel channel = new Bootstrap().group(group).channel(overVerbs ? VerbsSocketChannel.class : NioSocketChannel.class)
                        .handler(client).connect(server.localAddress()).sync().channel();
                channel.writeAndFlush(channel.alloc().buffer(1).writeByte(i)).sync();
                if (client.lengths.poll(60, TimeUnit.SECONDS) != 1) {
                    throw new IllegalStateException("not the byte that was sent");
                }
                channel.close().sync();
            }
            server.close().sync();
            group.shutdownGracefully(0, 0, TimeUnit.SECONDS).sync();
            verbs.close();
            System.exit(0);
        }
    }

    @ParameterizedTest
    @Transports({ "auto", "epoll", NIO })
    void shouldServeChannels(String transport) throws Exception {
        ChildJvm.run(Program.class, transport.equals(NIO) ? "auto" : transport, ChildJvm.ONE_CARRIER, transport);
    }
}
