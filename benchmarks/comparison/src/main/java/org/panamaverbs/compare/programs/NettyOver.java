package org.panamaverbs.compare.programs;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SelectStrategy;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringServerSocketChannel;
import io.netty.channel.uring.IoUringSocketChannel;
import java.util.concurrent.TimeUnit;
import org.panamaverbs.Configuration;
import org.panamaverbs.Verbs;
import org.panamaverbs.netty.VerbsIoHandler;
import org.panamaverbs.netty.VerbsServerSocketChannel;
import org.panamaverbs.netty.VerbsSocketChannel;

/** The transports of Netty that are compared. */
enum NettyOver {
    VERBS(VerbsServerSocketChannel.class, VerbsSocketChannel.class), EPOLL(EpollServerSocketChannel.class,
            EpollSocketChannel.class), EPOLL_BUSY(EpollServerSocketChannel.class, EpollSocketChannel.class), IO_URING(
                    IoUringServerSocketChannel.class,
                    IoUringSocketChannel.class), NIO(NioServerSocketChannel.class, NioSocketChannel.class);

    private final Class<? extends ServerChannel> server;
    private final Class<? extends Channel> client;

    NettyOver(Class<? extends ServerChannel> server, Class<? extends Channel> client) {
        this.server = server;
        this.client = client;
    }

    /** One event loop, and the device under it if it has one. */
    static final class Loop implements AutoCloseable {
        private final NettyOver over;
        private final Verbs verbs;
        private final EventLoopGroup group;

        private Loop(NettyOver over) {
            this.over = over;
            verbs = over == VERBS ? Verbs.open(Configuration.builder().set("panamaverbs.provider", "soft-iwarp").build()) : null;
            group = new MultiThreadIoEventLoopGroup(1, over.handlers(verbs));
        }

        EventLoopGroup group() {
            return group;
        }

        ServerBootstrap server() {
            return new ServerBootstrap().group(group).channel(over.server);
        }

        Bootstrap client() {
            return new Bootstrap().group(group).channel(over.client);
        }

        @Override
        public void close() {
            group.shutdownGracefully(0, 10, TimeUnit.SECONDS).syncUninterruptibly();
            if (verbs != null) {
                verbs.close();
            }
        }
    }

    Class<? extends ServerChannel> serverType() {
        return server;
    }

    Class<? extends Channel> clientType() {
        return client;
    }

    Loop open() {
        return new Loop(this);
    }

    private IoHandlerFactory handlers(Verbs verbs) {
        return switch (this) {
            case VERBS -> VerbsIoHandler.newFactory(verbs.device());
            case EPOLL -> EpollIoHandler.newFactory();
            case EPOLL_BUSY -> EpollIoHandler.newFactory(0, () -> (supplier, hasTasks) -> SelectStrategy.BUSY_WAIT);
            case IO_URING -> IoUringIoHandler.newFactory();
            case NIO -> NioIoHandler.newFactory();
        };
    }
}
