package org.panamaverbs.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import java.io.File;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.panamaverbs.Configuration;
import org.panamaverbs.VerbsException;

class NettyTransportTest {
    private static Configuration.Builder configuration(String transport) {
        return Configuration.builder().set("panamaverbs.provider", "soft-iwarp").set("panamaverbs.netty.transport", transport);
    }

    @ParameterizedTest
    @CsvSource({ "verbs, true", "tcp, false", "auto, true" })
    void shouldEchoOverTheTransportThatTheSettingNames(String name, boolean isVerbs) throws Exception {
        try (NettyTransport transport = NettyTransport.open(configuration(name).build())) {
            assertEquals(isVerbs, transport.isVerbs());
            EventLoopGroup group = new MultiThreadIoEventLoopGroup(2, transport.ioHandlerFactory());
            CompletableFuture<Integer> came = new CompletableFuture<>();
            Channel server = new ServerBootstrap().group(group).channel(transport.serverSocketChannel())
                    .childHandler(new ChannelInboundHandlerAdapter() {
                        @Override
                        public void channelRead(ChannelHandlerContext context, Object message) {
                            context.writeAndFlush(message);
                        }
                    }).bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)).sync().channel();
            Channel client = new Bootstrap().group(group).channel(transport.socketChannel())
                    .handler(new SimpleChannelInboundHandler<ByteBuf>() {
                        @Override
                        protected void channelRead0(ChannelHandlerContext context, ByteBuf message) {
                            came.complete(message.getInt(0));
                        }
                    }).connect(server.localAddress()).sync().channel();
            client.writeAndFlush(Unpooled.copyInt(30));
            assertEquals(30, came.get(60, TimeUnit.SECONDS));
            group.shutdownGracefully(0, 60, TimeUnit.SECONDS).sync();
        }
    }

    @Test
    void shouldFallBackToTcpIfThereIsNoDevice() {
        try (NettyTransport transport = NettyTransport
                .open(configuration("auto").set("panamaverbs.provider", "rdma-core").set("panamaverbs.device", "none0").build())) {
            assertFalse(transport.isVerbs());
        }
    }

    @Test
    void shouldFailWithoutADeviceIfVerbsAreWanted() {
        Configuration configuration = configuration("verbs").set("panamaverbs.provider", "rdma-core").set("panamaverbs.device", "none0")
                .build();
        assertThrows(VerbsException.class, () -> NettyTransport.open(configuration));
    }

    /** All classes once more, without those that only Netty 4.2 has. */
    private static final class OlderNetty extends URLClassLoader {
        OlderNetty(List<URL> urls) {
            super(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            if (name.startsWith("io.netty.channel.IoHandler")) {
                throw new ClassNotFoundException(name);
            }
            return super.findClass(name);
        }
    }

    /** A program that opens the transport. */
    public static final class Opener implements Runnable {
        /** For the other class loader. */
        public Opener() {
            // There is nothing to prepare.
        }

        @Override
        public void run() {
            NettyTransport.open(Configuration.load());
        }
    }

    @Test
    void shouldRefuseAnOlderNetty() throws Exception {
        List<URL> urls = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            urls.add(Path.of(entry).toUri().toURL());
        }
        try (OlderNetty loader = new OlderNetty(urls)) {
            Runnable opener = (Runnable) loader.loadClass(Opener.class.getName()).getConstructor().newInstance();
            IllegalStateException failure = assertThrows(IllegalStateException.class, opener::run);
            assertTrue(failure.getMessage().contains("needs Netty 4.2.0 or newer, and the class path has "), failure.getMessage());
        }
    }
}
