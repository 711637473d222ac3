package org.panamaverbs.netty;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPromise;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/** Sequences of operations at both ends of a connection, with the events at both. */
// Tested by TranscriptTest.
final class ScenarioTranscript {
    private static final int SECONDS = 60;
    private static final int BRIEFLY_MILLIS = 50;
    private static final int MORE_THAN_FITS = 32 << 20;

    private final TranscriptPlace place;
    private final Map<String, String> lines;

    ScenarioTranscript(TranscriptPlace place, Map<String, String> lines) {
        this.place = place;
        this.lines = lines;
    }

    /** Two ends of a connection. */
    private final class Ends {
        private final SocketChannel near;
        private final SeenEvents seen = new SeenEvents();
        private final SocketChannel far;
        private final SeenEvents farSeen;

        Ends(boolean halfClosure, boolean autoRead) throws InterruptedException {
            place.forgetPeers();
            near = (SocketChannel) new Bootstrap().group(place.group).channelFactory(place::newChannel).handler(seen)
                    .option(ChannelOption.ALLOW_HALF_CLOSURE, halfClosure).option(ChannelOption.AUTO_READ, autoRead)
                    .connect(place.server.localAddress()).sync().channel();
            far = place.nextPeer();
            farSeen = far.attr(TranscriptPlace.SEEN).get();
            farSeen.await("active");
        }

        String end() throws InterruptedException {
            close(near, seen);
            if (far.isOpen()) {
                farSeen.awaitLast("ChannelInputShutdownReadComplete");
            }
            close(far, farSeen);
            return seen.text() + " | " + farSeen.text();
        }
    }

    private static void close(Channel channel, SeenEvents seen) throws InterruptedException {
        channel.close().await(SECONDS, TimeUnit.SECONDS);
        seen.awaitLast("unregistered");
    }

    void write() throws Exception {
        add("bytes in both directions", () -> {
            Ends ends = new Ends(false, true);
            ends.near.writeAndFlush(Unpooled.wrappedBuffer(new byte[100])).sync();
            ends.farSeen.awaitBytes(100);
            ends.far.writeAndFlush(Unpooled.wrappedBuffer(new byte[50])).sync();
            ends.seen.awaitBytes(50);
            return ends.end();
        });
        add("half closure by the peer, then bytes", () -> {
            Ends ends = new Ends(true, true);
            ends.far.writeAndFlush(Unpooled.wrappedBuffer(new byte[100])).sync();
            ends.far.shutdownOutput().sync();
            ends.seen.awaitLast("ChannelInputShutdownReadComplete");
            ends.near.writeAndFlush(Unpooled.wrappedBuffer(new byte[50])).sync();
            ends.farSeen.awaitBytes(50);
            return ends.end();
        });
        add("half closure, then bytes of the peer", () -> {
            Ends ends = new Ends(true, true);
            ends.near.shutdownOutput().sync();
            ends.farSeen.awaitLast("ChannelInputShutdownReadComplete");
            ends.far.writeAndFlush(Unpooled.wrappedBuffer(new byte[50])).sync();
            ends.seen.awaitBytes(50);
            close(ends.far, ends.farSeen);
            ends.seen.awaitLast("ChannelInputShutdownReadComplete");
            return ends.end();
        });
        add("a peer that resets", () -> {
            Ends ends = new Ends(false, true);
            ends.far.config().setSoLinger(0);
            close(ends.far, ends.farSeen);
            ends.seen.awaitLast("unregistered");
            return ends.end();
        });
        add("a peer that closes with bytes unread", () -> {
            Ends ends = new Ends(false, true);
            ends.far.writeAndFlush(Unpooled.wrappedBuffer(new byte[50])).sync();
            close(ends.far, ends.farSeen);
            ends.seen.awaitLast("unregistered");
            return ends.end();
        });
        add("reading by demand", () -> {
            Ends ends = new Ends(false, false);
            ends.far.writeAndFlush(Unpooled.wrappedBuffer(new byte[50])).sync();
            Transcript.barrier(ends.near);
            String before = ends.seen.text();
            ends.near.read();
            ends.seen.awaitBytes(50);
            close(ends.far, ends.farSeen);
            Transcript.barrier(ends.near);
            boolean open = ends.near.isOpen();
            ends.near.read();
            ends.seen.awaitLast("unregistered");
            return before + " | " + open + " | " + ends.end();
        });
        add("another event loop", () -> {
            Ends ends = new Ends(false, true);
            ends.near.deregister().sync();
            place.group.next().register(ends.near).sync();
            ends.far.writeAndFlush(Unpooled.wrappedBuffer(new byte[50])).sync();
            ends.seen.awaitBytes(50);
            ends.near.writeAndFlush(Unpooled.wrappedBuffer(new byte[100])).sync();
            ends.farSeen.awaitBytes(100);
            return ends.end();
        });
        add("bytes that come while it is deregistered", () -> {
            Ends ends = new Ends(false, true);
            ends.near.deregister().sync();
            ends.far.writeAndFlush(Unpooled.wrappedBuffer(new byte[50])).sync();
            place.group.next().register(ends.near).sync();
            ends.seen.awaitBytes(50);
            return ends.end();
        });
        add("an end that comes while it is deregistered", () -> {
            Ends ends = new Ends(false, true);
            ends.near.deregister().sync();
            close(ends.far, ends.farSeen);
            place.group.next().register(ends.near).sync();
            ends.near.closeFuture().await(SECONDS, TimeUnit.SECONDS);
            ends.seen.awaitLast("unregistered");
            return ends.end();
        });
        addWriting();
        addOrder();
        addServers();
    }

    private void addWriting() {
        add("water marks", () -> {
            Ends ends = new Ends(false, true);
            ends.near.config().setWriteBufferWaterMark(new WriteBufferWaterMark(100, 1000));
            ChannelFuture first = ends.near.write(Unpooled.wrappedBuffer(new byte[500]));
            Transcript.barrier(ends.near);
            String result = ends.near.isWritable() + " " + ends.near.bytesBeforeUnwritable() + " " + ends.near.bytesBeforeWritable();
            ChannelFuture second = ends.near.write(Unpooled.wrappedBuffer(new byte[1000]));
            Transcript.barrier(ends.near);
            result += ", " + ends.near.isWritable() + " " + ends.near.bytesBeforeUnwritable() + " " + ends.near.bytesBeforeWritable();
            ends.near.flush();
            result += ", " + Outcome.of(first) + ", " + Outcome.of(second);
            Transcript.barrier(ends.near);
            ends.farSeen.awaitBytes(1500);
            return result + " | " + ends.end();
        });
        add("a write before the connection", () -> {
            place.forgetPeers();
            SocketChannel channel = place.newChannel();
            SeenEvents seen = new SeenEvents();
            channel.pipeline().addLast(seen);
            place.group.register(channel).sync();
            ChannelFuture written = channel.write(Unpooled.copyInt(1));
            channel.connect(place.server.localAddress()).sync();
            channel.flush();
            String result = Outcome.of(written);
            SocketChannel far = place.nextPeer();
            far.attr(TranscriptPlace.SEEN).get().awaitBytes(4);
            close(channel, seen);
            return result + " | " + seen.text();
        });
        add("closing with bytes that the peer does not read", () -> blocked(Channel::close));
        add("shutting down with bytes that the peer does not read", () -> blocked(channel -> ((SocketChannel) channel).shutdownOutput()));
    }

    private interface Ending {
        ChannelFuture end(Channel channel);
    }

    private String blocked(Ending ending) throws Exception {
        Ends ends = new Ends(false, true);
        ends.far.config().setAutoRead(false);
        ChannelFuture written = ends.near.writeAndFlush(Unpooled.wrappedBuffer(new byte[MORE_THAN_FITS]));
        ChannelFuture second = ends.near.write(Unpooled.copyInt(1));
        Transcript.barrier(ends.near);
        String result = written.isDone() + " " + ends.near.isWritable() + ", ";
        result += Outcome.of(ending.end(ends.near)) + ", " + Outcome.of(written) + ", " + Outcome.of(second);
        close(ends.near, ends.seen);
        Transcript.close(ends.far);
        return result + " | " + ends.seen.text();
    }

    private void addOrder() {
        add("the order of promises and events", () -> {
            SocketChannel channel = place.newChannel();
            SeenEvents seen = new SeenEvents();
            channel.pipeline().addLast(seen);
            channel.closeFuture().addListener(future -> seen.add("close future"));
            place.group.register(promise(channel, seen, "register")).sync();
            channel.connect(place.server.localAddress(), promise(channel, seen, "connect")).sync();
            seen.await("active");
            channel.writeAndFlush(Unpooled.copyInt(1), promise(channel, seen, "write")).sync();
            channel.shutdownInput(promise(channel, seen, "input")).sync();
            channel.shutdownOutput(promise(channel, seen, "output")).sync();
            Transcript.barrier(channel);
            channel.close(promise(channel, seen, "close")).sync();
            seen.awaitLast("unregistered");
            return seen.text();
        });
        add("the order when a connect is refused", () -> failing(TranscriptPlace.refusing(), null));
        add("the order when a connect times out", () -> failing(place.silent(), null));
        add("a connect from a foreign address", () -> failing(place.server.localAddress(), new InetSocketAddress("192.0.2.1", 0)));
        add("a connect from the loopback address to another network",
                () -> failing(new InetSocketAddress("192.0.2.1", 9), TranscriptPlace.loopback(0)));
        add("closing while it connects", () -> {
            SocketChannel channel = place.newChannel();
            SeenEvents seen = new SeenEvents();
            channel.pipeline().addLast(seen);
            place.group.register(channel).sync();
            ChannelFuture connected = channel.connect(place.silent(), promise(channel, seen, "connect"));
            Transcript.barrier(channel);
            close(channel, seen);
            return Outcome.of(connected) + " | " + seen.text();
        });
        add("a handler that fails", () -> {
            Ends ends = new Ends(false, true);
            ends.near.pipeline().addFirst(new ChannelInboundHandlerAdapter() {
                @Override
                public void channelRead(ChannelHandlerContext context, Object message) {
                    ReferenceCountUtil.release(message);
                    throw new IllegalStateException("a defect");
                }
            });
            Transcript.barrier(ends.near);
            ends.far.writeAndFlush(Unpooled.wrappedBuffer(new byte[50])).sync();
            ends.seen.await("exception IllegalStateException");
            return ends.near.isOpen() + " | " + ends.end().replaceAll("(exception IllegalStateException, read complete, )+", "failures, ");
        });
    }

    private static ChannelPromise promise(Channel channel, SeenEvents seen, String name) {
        return channel.newPromise().addListener(future -> seen.add(name + " promise"));
    }

    private String failing(SocketAddress to, SocketAddress from) throws Exception {
        SocketChannel channel = place.newChannel();
        if (to.equals(place.silent())) {
            channel.config().setConnectTimeoutMillis(BRIEFLY_MILLIS);
        }
        SeenEvents seen = new SeenEvents();
        channel.pipeline().addLast(seen);
        channel.closeFuture().addListener(future -> seen.add("close future"));
        place.group.register(channel).sync();
        String result = Outcome.of(channel.connect(to, from, promise(channel, seen, "connect")));
        channel.close();
        seen.awaitLast("unregistered");
        return result + " | " + seen.text();
    }

    private void addServers() {
        add("a server that reads by demand", () -> {
            SeenEvents seen = new SeenEvents();
            Channel server = new ServerBootstrap().group(place.group).channelFactory(place::newServerChannel).handler(seen)
                    .option(ChannelOption.AUTO_READ, false).childHandler(new SeenEvents()).bind(TranscriptPlace.loopback(0)).sync()
                    .channel();
            ChannelFuture connected = new Bootstrap().group(place.group).channelFactory(place::newChannel).handler(new SeenEvents())
                    .connect(server.localAddress());
            Transcript.barrier(server);
            String before = seen.text();
            server.read();
            String result = Outcome.of(connected);
            seen.awaitLast("read complete");
            connected.channel().close().sync();
            close(server, seen);
            return before + " | " + result + " | " + seen.text();
        });
        add("a server that closes", () -> {
            SeenEvents accepted = new SeenEvents();
            Channel server = new ServerBootstrap().group(place.group).channelFactory(place::newServerChannel).childHandler(accepted)
                    .bind(TranscriptPlace.loopback(0)).sync().channel();
            SocketAddress address = server.localAddress();
            Channel client = new Bootstrap().group(place.group).channelFactory(place::newChannel).handler(new SeenEvents()).connect(address)
                    .sync().channel();
            // The system resets connections that a server has not accepted when it closes.
            accepted.await("active");
            Transcript.close(server);
            awaitRefusal((InetSocketAddress) address);
            String result = client.isActive() + ", " + Outcome
                    .of(new Bootstrap().group(place.group).channelFactory(place::newChannel).handler(new SeenEvents()).connect(address));
            client.close().sync();
            return result + ", " + Outcome.shape(server.localAddress());
        });
    }

    /** The JDK closes a socket that a selector had in a later turn of that selector. */
    private static void awaitRefusal(InetSocketAddress address) throws IOException {
        boolean listens = true;
        while (listens) {
            try (Socket socket = new Socket(address.getAddress(), address.getPort())) {
                listens = socket.isConnected();
            } catch (ConnectException e) {
                listens = false;
            }
        }
    }

    private void add(String name, Callable<Object> scenario) {
        lines.put("sequence: " + name, Outcome.of(scenario));
    }
}
