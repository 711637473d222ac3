package org.panamaverbs.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.Configuration;
import org.panamaverbs.Verbs;
import org.panamaverbs.testing.Transports;

/** A server's channel is bound and reached as Netty's own is. */
@ParameterizedClass
@Transports({ "shared-memory", "epoll", "nio", "netty" })
class VerbsServerSocketChannelTest {
    private static final int LIMIT = 60;

    @Parameter
    private String transport;
    private final BlockingQueue<Channel> accepted = new LinkedBlockingQueue<>();
    private Verbs verbs;
    private EventLoopGroup group;

    @BeforeEach
    void open() {
        IoHandlerFactory factory = NioIoHandler.newFactory();
        if (!transport.equals("netty")) {
            verbs = Verbs.open(Configuration.builder().set("panamaverbs.provider", "soft-iwarp")
                    .set("panamaverbs.softiwarp.transport", transport).build());
            factory = VerbsIoHandler.newFactory(verbs.device());
        }
        group = new MultiThreadIoEventLoopGroup(2, factory);
    }

    @AfterEach
    void close() throws InterruptedException {
        group.shutdownGracefully(0, LIMIT, TimeUnit.SECONDS).sync();
        if (verbs != null) {
            verbs.close();
        }
    }

    private ServerBootstrap server() {
        Class<? extends ServerChannel> channel = verbs == null ? NioServerSocketChannel.class : VerbsServerSocketChannel.class;
        return new ServerBootstrap().group(group).channel(channel).childHandler(new ChannelInboundHandlerAdapter() {
            @Override
            public boolean isSharable() {
                return true;
            }

            @Override
            public void channelActive(ChannelHandlerContext context) {
                accepted.add(context.channel());
            }
        });
    }

    private ChannelFuture connect(InetSocketAddress address) {
        return new Bootstrap().group(group).channel(verbs == null ? NioSocketChannel.class : VerbsSocketChannel.class)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, LIMIT * 1000).handler(new ChannelInboundHandlerAdapter()).connect(address);
    }

    @Test
    void shouldTakeABacklogOfNoneForTheUsualOne() throws Exception {
        Channel channel = server().option(ChannelOption.SO_BACKLOG, 0).bind(InetAddress.getLoopbackAddress(), 0).sync().channel();
        assertEquals(0, channel.config().getOption(ChannelOption.SO_BACKLOG));
        connect((InetSocketAddress) channel.localAddress()).sync();
        assertTrue(accepted.poll(LIMIT, TimeUnit.SECONDS).isActive());
        assertThrows(IllegalArgumentException.class, () -> channel.config().setOption(ChannelOption.SO_BACKLOG, -1));
    }

    @ParameterizedTest
    @ValueSource(strings = { "0.0.0.0", "::" })
    void shouldBeReachedOverBothFamiliesAtAllAddresses(String all) throws Exception {
        Channel channel = server().bind(new InetSocketAddress(all, 0)).sync().channel();
        InetSocketAddress address = (InetSocketAddress) channel.localAddress();
        assumeTrue(address.getAddress() instanceof Inet6Address, "no IPv6 here");
        assertTrue(address.getAddress().isAnyLocalAddress());
        for (String host : new String[] { "127.0.0.1", "::1" }) {
            InetSocketAddress own = new InetSocketAddress(host, address.getPort());
            Channel client = connect(own).sync().channel();
            Channel peer = accepted.poll(LIMIT, TimeUnit.SECONDS);
            assertEquals(own, peer.localAddress());
            assertEquals(client.localAddress(), peer.remoteAddress());
        }
    }

    /** A server that accepts nobody takes 64 peers, and the thread that does waits for a place. */
    @Test
    void shouldEndItsThreadThoughManyPeersWait() throws Exception {
        assumeTrue(!transport.equals("netty"), "Netty's own has no such thread");
        Channel channel = server().option(ChannelOption.AUTO_READ, false).bind(InetAddress.getLoopbackAddress(), 0).sync().channel();
        InetSocketAddress address = (InetSocketAddress) channel.localAddress();
        for (int i = 0; i < 65; i++) {
            connect(address);
        }
        Thread taking = awaitManyPeers(address);
        channel.close().sync();
        assertTrue(taking.join(Duration.ofSeconds(LIMIT)), "the thread that takes peers still waits");
    }

    /** {@return the thread that takes peers, once it waits for a place} */
    private static Thread awaitManyPeers(InetSocketAddress address) {
        Thread taking = Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("netty-accept-" + address.getPort())).findFirst().orElseThrow();
        while (Arrays.stream(taking.getStackTrace()).noneMatch(frame -> frame.getMethodName().equals("acquireUninterruptibly"))) {
            Thread.onSpinWait();
        }
        return taking;
    }

    /** A program turns automatic reads off when it has as many peers as it wants. */
    @Test
    void shouldAcceptNobodyAfterAutomaticReadsWereTurnedOff() throws Exception {
        assumeTrue(!transport.equals("netty"), "with Netty's own, peers wait in the kernel");
        AtomicInteger peers = new AtomicInteger();
        Channel channel = server().handler(new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext context, Object peer) {
                peers.incrementAndGet();
                context.fireChannelRead(peer);
            }
        }).bind(InetAddress.getLoopbackAddress(), 0).sync().channel();
        channel.eventLoop().submit(() -> channel.config().setAutoRead(false)).sync();
        InetSocketAddress address = (InetSocketAddress) channel.localAddress();
        for (int i = 0; i < 65; i++) {
            connect(address);
        }
        awaitManyPeers(address);
        channel.eventLoop().submit(peers::get).sync();
        assertEquals(0, peers.get());
        channel.read();
        assertTrue(accepted.poll(LIMIT, TimeUnit.SECONDS).isActive());
        assertEquals(1, peers.get());
        channel.close().sync();
    }

    @Test
    void shouldSayThatAChannelWithoutAnEventLoopCannotBeBound() throws Exception {
        assumeTrue(!transport.equals("netty"), "Netty's own needs no event loop for that");
        Channel channel = server().register().sync().channel();
        channel.deregister().sync();
        Throwable failure = channel.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)).await().cause();
        assertEquals("the channel is not registered with an event loop any more: register it again, then bind or connect it",
                failure.getMessage());
        channel.close().sync();
    }

    @Test
    void shouldLetMoreClientsWaitThanTheBacklog() throws Exception {
        assumeTrue(!transport.equals("netty"), "with so short a queue the kernel makes clients try again for seconds");
        Channel channel = server().option(ChannelOption.SO_BACKLOG, 1).option(ChannelOption.AUTO_READ, false)
                .bind(InetAddress.getLoopbackAddress(), 0).sync().channel();
        List<ChannelFuture> connecting = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            connecting.add(connect((InetSocketAddress) channel.localAddress()));
        }
        for (int i = 0; i < connecting.size(); i++) {
            channel.read();
            assertTrue(accepted.poll(LIMIT, TimeUnit.SECONDS).isActive());
        }
        for (ChannelFuture each : connecting) {
            each.sync();
        }
    }
}
