package org.panamaverbs.netty;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.panamaverbs.Configuration;
import org.panamaverbs.Verbs;
import org.panamaverbs.sockets.EmptyClaims;

/** What a peer announces without writing it holds no byte of another peer. */
@Timeout(value = 20, unit = TimeUnit.MINUTES)
class EmptyClaimsTest {
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

    @Test
    void shouldReadAsZeros() throws Exception {
        try (Verbs verbs = Verbs.open(Configuration.builder().set("panamaverbs.provider", "soft-iwarp").build())) {
            EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, VerbsIoHandler.newFactory(verbs.device()));
            Channel server = new ServerBootstrap().group(group).channel(VerbsServerSocketChannel.class)
                    .childHandler(new ChannelInitializer<>() {
                        @Override
                        protected void initChannel(Channel channel) {
                            channel.pipeline().addLast(new Echo());
                        }
                    }).bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)).sync().channel();
            try {
                EmptyClaims.check(verbs, (InetSocketAddress) server.localAddress());
            } finally {
                group.shutdownGracefully(0, 60, TimeUnit.SECONDS).sync();
            }
        }
    }
}
