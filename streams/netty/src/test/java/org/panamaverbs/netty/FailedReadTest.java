package org.panamaverbs.netty;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.RecvByteBufAllocator;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.panamaverbs.Configuration;
import org.panamaverbs.Verbs;

/** A read that fails, and whose failure cannot be told to the program either. */
class FailedReadTest {
    private static final int LIMIT = 60;

    /** Reads a byte at a time, and fails from one of them on, as if memory was lacking. */
    private static final class Failing extends DefaultMaxMessagesRecvByteBufAllocator {
        private final int last;

        Failing(int last) {
            super(1);
            this.last = last;
        }

        @Override
        public RecvByteBufAllocator.ExtendedHandle newHandle() {
            return new MaxMessageHandle() {
                private int reads;

                @Override
                public int guess() {
                    return 1;
                }

                @Override
                public void readComplete() {
                    reads++;
                    if (reads > last) {
                        throw new OutOfMemoryError("of the test");
                    }
                }
            };
        }
    }

    /** Sends some bytes. */
    private static final class Greeting extends ChannelInboundHandlerAdapter {
        @Override
        public void channelActive(ChannelHandlerContext context) {
            context.writeAndFlush(context.alloc().directBuffer().writeLong(1));
        }
    }

    private static void closes(int lastRead) throws Exception {
        try (Verbs verbs = Verbs.open(Configuration.builder().set("panamaverbs.provider", "soft-iwarp").build())) {
            EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, VerbsIoHandler.newFactory(verbs.device()));
            Channel server = new ServerBootstrap().group(group).channel(VerbsServerSocketChannel.class).childHandler(new Greeting())
                    .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)).sync().channel();
            Channel reader = new Bootstrap().group(group).channel(VerbsSocketChannel.class)
                    .option(ChannelOption.RECVBUF_ALLOCATOR, new Failing(lastRead)).handler(new ChannelInboundHandlerAdapter())
                    .connect(server.localAddress()).sync().channel();
            assertTrue(reader.closeFuture().await(LIMIT, TimeUnit.SECONDS), "the channel that cannot read stays open");
            group.shutdownGracefully(0, LIMIT, TimeUnit.SECONDS).sync();
        }
    }

    @Test
    void shouldCloseTheChannel() throws Exception {
        closes(0);
    }

    /** Of bytes that an earlier read has left. */
    @Test
    void shouldCloseTheChannelOfALaterRead() throws Exception {
        closes(1);
    }
}
