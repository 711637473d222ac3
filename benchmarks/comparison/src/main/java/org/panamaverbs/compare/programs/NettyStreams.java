package org.panamaverbs.compare.programs;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Messages between two channels of Netty: {@code NettyStreams serve SIZE} prints where it listens and serves one peer; {@code NettyStreams
 * PORT SIZE} and the arguments of {@link Timed} measure against it on loopback. The system property {@code netty.over} names the transport
 * ({@link NettyOver}), and {@code netty.work} the work: {@code ping-pong}, one message at a time there and back, each after
 * {@code netty.pause} ms once the JVMs are warm, or {@code one-way}, messages of which the peer acknowledges each 16th by a byte, with at most
 * 64 under way.
 */
public final class NettyStreams {
    private static final NettyOver OVER = NettyOver.valueOf(System.getProperty("netty.over", "VERBS"));
    private static final boolean PING_PONG = System.getProperty("netty.work", "ping-pong").equals("ping-pong");
    private static final int PAUSE = Integer.getInteger("netty.pause", 0);
    private static final int ACKNOWLEDGED = 16;
    private static final int WINDOW = 64;
    private static final int SAMPLES = 4 << 20;
    private static final com.sun.management.ThreadMXBean THREADS = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();

    private NettyStreams() {
    }

    /** Is either end. */
    public static void main(String[] arguments) throws Exception {
        int size = Integer.parseInt(arguments[1]);
        if (arguments[0].equals("serve")) {
            serve(size);
        } else {
            measure(Integer.parseInt(arguments[0]), size, new Timed(arguments));
        }
    }

    private static void serve(int size) throws IOException {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        try (NettyOver.Loop loop = OVER.open(); ServerSocket control = new ServerSocket(0, 1, loopback)) {
            Channel server = loop.server().childHandler(PING_PONG ? new Echo() : new Sink(size)).bind(new InetSocketAddress(loopback, 0))
                    .syncUninterruptibly().channel();
            Timed.listening(control.getLocalPort());
            try (Socket peer = control.accept();
                    PrintStream out = new PrintStream(peer.getOutputStream(), true, StandardCharsets.US_ASCII);
                    BufferedReader in = new BufferedReader(new InputStreamReader(peer.getInputStream(), StandardCharsets.US_ASCII))) {
                out.println(((InetSocketAddress) server.localAddress()).getPort());
                while (in.readLine() != null) {
                    out.println(THREADS.getTotalThreadAllocatedBytes());
                }
            }
        }
    }

    private static void measure(int port, int size, Timed timed) throws Exception {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        try (NettyOver.Loop loop = OVER.open();
                Socket control = new Socket(loopback, port);
                PrintStream out = new PrintStream(control.getOutputStream(), true, StandardCharsets.US_ASCII);
                BufferedReader in = new BufferedReader(new InputStreamReader(control.getInputStream(), StandardCharsets.US_ASCII))) {
            Client client = PING_PONG ? new Pinger(size) : new Source(size);
            Channel channel = loop.client().handler(client).connect(new InetSocketAddress(loopback, Integer.parseInt(in.readLine()))).sync()
                    .channel();
            timed.warmUp(seconds -> client.run(channel, seconds));
            out.println("tally");
            long allocated = Long.parseLong(in.readLine()) + THREADS.getTotalThreadAllocatedBytes();
            client.pause = PAUSE;
            Timed.Figures figures = client.run(channel, timed.seconds());
            out.println("tally");
            allocated = Long.parseLong(in.readLine()) + THREADS.getTotalThreadAllocatedBytes() - allocated;
            timed.print(figures, size, "p99Micros", client.micros(0.99), "allocatedBytesPerMessage", (double) allocated / client.messages);
            channel.close().sync();
        }
    }

    /** Echoes bytes. */
    private static final class Echo extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            context.write(message);
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            context.flush();
        }
    }

    /** Acknowledges each so many messages. */
    private static final class Sink extends ChannelInboundHandlerAdapter {
        private final long each;
        private long bytes;

        Sink(int size) {
            each = (long) size * ACKNOWLEDGED;
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf buffer = (ByteBuf) message;
            bytes += buffer.readableBytes();
            buffer.release();
            for (; bytes >= each; bytes -= each) {
                context.writeAndFlush(context.alloc().directBuffer(1).writeByte(0));
            }
        }
    }

    /** Runs in the event loop for a while. */
    private abstract static class Client extends ChannelInboundHandlerAdapter {
        final int size;
        /** Of the last run. */
        long messages;
        /** Before a message, in ms. */
        volatile int pause;
        private long end;
        private CountDownLatch done;

        Client(int size) {
            this.size = size;
        }

        Timed.Figures run(Channel channel, double seconds) throws InterruptedException {
            CountDownLatch ends = new CountDownLatch(1);
            long start = System.nanoTime();
            channel.eventLoop().execute(() -> {
                done = ends;
                messages = 0;
                end = System.nanoTime() + (long) (seconds * 1e9);
                begin(channel.pipeline().context(this));
            });
            ends.await();
            return new Timed.Figures(messages, (System.nanoTime() - start) / 1e9, micros(0.5));
        }

        final boolean goesOn(long nanoTime) {
            return nanoTime < end;
        }

        final void done() {
            done.countDown();
        }

        abstract void begin(ChannelHandlerContext context);

        /** The latency of the last run below which a share of all lies. */
        double micros(double share) {
            return Double.NaN;
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            cause.printStackTrace();
            System.exit(1);
        }
    }

    /** One message there and back at a time. */
    private static final class Pinger extends Client {
        private final long[] nanos = new long[SAMPLES];
        private int missing;
        private long sent;

        Pinger(int size) {
            super(size);
        }

        @Override
        void begin(ChannelHandlerContext context) {
            sent = System.nanoTime();
            missing = size;
            context.writeAndFlush(context.alloc().directBuffer(size).writeZero(size));
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf buffer = (ByteBuf) message;
            missing -= buffer.readableBytes();
            buffer.release();
            if (missing == 0) {
                long nanoTime = System.nanoTime();
                nanos[(int) (messages++ % SAMPLES)] = nanoTime - sent;
                if (!goesOn(nanoTime)) {
                    done();
                } else if (pause > 0) {
                    context.executor().schedule(() -> begin(context), pause, TimeUnit.MILLISECONDS);
                } else {
                    begin(context);
                }
            }
        }

        @Override
        double micros(double share) {
            int count = (int) Math.min(messages, SAMPLES);
            Arrays.sort(nanos, 0, count);
            return nanos[(int) (count * share)] / 2e3;
        }
    }

    /** Messages as fast as the peer takes them. */
    private static final class Source extends Client {
        private int underWay;
        private boolean ending;

        Source(int size) {
            super(size);
        }

        @Override
        void begin(ChannelHandlerContext context) {
            ending = false;
            fill(context);
        }

        private void fill(ChannelHandlerContext context) {
            while (underWay + ACKNOWLEDGED <= WINDOW) {
                for (int i = 0; i < ACKNOWLEDGED; i++) {
                    ByteBuf buffer = context.alloc().directBuffer(size);
                    context.write(buffer.writerIndex(size), context.voidPromise());
                }
                context.flush();
                underWay += ACKNOWLEDGED;
            }
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf buffer = (ByteBuf) message;
            int acknowledged = buffer.readableBytes() * ACKNOWLEDGED;
            buffer.release();
            underWay -= acknowledged;
            messages += acknowledged;
            ending |= !goesOn(System.nanoTime());
            if (!ending) {
                fill(context);
            } else if (underWay == 0) {
                done();
            }
        }
    }
}
