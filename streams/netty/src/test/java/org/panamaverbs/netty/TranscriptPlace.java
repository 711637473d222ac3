package org.panamaverbs.netty;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.AttributeKey;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.panamaverbs.Configuration;

/** What a {@link Transcript} has of one transport: event loops, a server with the peers that it accepts, and an address without an answer. */
final class TranscriptPlace implements AutoCloseable {
    static final AttributeKey<SeenEvents> SEEN = AttributeKey.valueOf("seen");
    private static final int SECONDS = 60;
    /** Linux takes one connection more than the backlog, and drops the others. */
    private static final int FILLING = 4;

    final EventLoopGroup group;
    final Channel server;
    private final NettyTransport transport;
    private final EventLoopGroup servers;
    private final BlockingQueue<SocketChannel> accepted = new LinkedBlockingQueue<>();
    private final ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    private final List<java.nio.channels.SocketChannel> filling = new ArrayList<>();
    private final Path file = Files.createTempFile("transcript", "");

    TranscriptPlace(String name) throws IOException, InterruptedException {
        transport = NettyTransport.open(Configuration.builder().set("panamaverbs.provider", "soft-iwarp")
                .set("panamaverbs.softiwarp.transport", System.getProperty("transcript.transport", "auto"))
                .set("panamaverbs.netty.transport", name).build());
        group = new MultiThreadIoEventLoopGroup(2, transport.ioHandlerFactory());
        servers = new MultiThreadIoEventLoopGroup(1, transport.ioHandlerFactory());
        server = new ServerBootstrap().group(servers).channel(transport.serverSocketChannel())
                .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true).childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        SeenEvents seen = new SeenEvents();
                        channel.attr(SEEN).set(seen);
                        channel.pipeline().addLast(seen);
                        accepted.add(channel);
                    }
                }).bind(loopback(0)).sync().channel();
        for (int i = 0; i < FILLING; i++) {
            java.nio.channels.SocketChannel channel = java.nio.channels.SocketChannel.open();
            channel.configureBlocking(false);
            channel.connect(silent.getLocalSocketAddress());
            filling.add(channel);
        }
        Files.write(file, new byte[100]);
    }

    static InetSocketAddress loopback(int port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    SocketChannel newChannel() {
        return make(transport.socketChannel());
    }

    ServerChannel newServerChannel() {
        return make(transport.serverSocketChannel());
    }

    private static <T> T make(Class<? extends T> type) {
        try {
            return type.getConstructor().newInstance();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The address of a listener whose queue is full: a connect waits there until it times out. */
    InetSocketAddress silent() {
        return loopback(silent.getLocalPort());
    }

    /** An address where nobody listens. */
    static InetSocketAddress refusing() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return loopback(socket.getLocalPort());
        }
    }

    /** The server's side of the last connection. */
    SocketChannel nextPeer() throws InterruptedException {
        SocketChannel peer = accepted.poll(SECONDS, TimeUnit.SECONDS);
        if (peer == null) {
            throw new IllegalStateException("the server accepted nothing");
        }
        return peer;
    }

    void forgetPeers() {
        accepted.clear();
    }

    /** A file of 100 bytes. */
    FileChannel file() throws IOException {
        return FileChannel.open(file, StandardOpenOption.READ);
    }

    @Override
    public void close() throws IOException {
        for (java.nio.channels.SocketChannel channel : filling) {
            channel.close();
        }
        silent.close();
        Files.delete(file);
        group.shutdownGracefully(0, SECONDS, TimeUnit.SECONDS).syncUninterruptibly();
        servers.shutdownGracefully(0, SECONDS, TimeUnit.SECONDS).syncUninterruptibly();
        transport.close();
    }
}
