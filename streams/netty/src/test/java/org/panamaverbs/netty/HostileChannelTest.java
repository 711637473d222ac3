package org.panamaverbs.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.panamaverbs.Configuration;
import org.panamaverbs.RegistrableArena;
import org.panamaverbs.Verbs;
import org.panamaverbs.sockets.Forgeries;
import org.panamaverbs.testing.Proofs;

/**
 * Peers that break the protocol, one after the other, beside a bystander in the same event loop. {@code -Dproofs.millis=10000} makes it
 * longer.
 */
class HostileChannelTest {
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final int ATTACKERS = 2;

    private final Map<String, Integer> reasons = new ConcurrentHashMap<>();
    private final AtomicInteger failed = new AtomicInteger();

    /** Echoes bytes, and counts the failures of channels. */
    private final class Echo extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            context.writeAndFlush(message);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            failed.incrementAndGet();
            reasons.merge(
                    (cause instanceof IOException ? "" : cause.getClass().getName() + ": ")
                            + cause.getMessage().replaceAll("[0-9.]+:[0-9]+", "...").replaceAll("0x[0-9a-f]+|\\b[0-9]+\\b", "n"),
                    1, Integer::sum);
            context.close();
        }
    }

    /** One message there and back at a time, until it is told to stop. */
    private static final class Bystander extends SimpleChannelInboundHandler<ByteBuf> {
        private final CompletableFuture<long[]> times = new CompletableFuture<>();
        private final long[] nanos = new long[1 << 20];
        private final long end = System.nanoTime() + Proofs.loopNanos();
        private int count;
        private long sent;

        private void send(ChannelHandlerContext context) {
            sent = System.nanoTime();
            context.writeAndFlush(context.alloc().directBuffer(8).writeLong(sent));
        }

        @Override
        public void channelActive(ChannelHandlerContext context) {
            send(context);
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, ByteBuf message) {
            assertEquals(sent, message.readLong());
            long now = System.nanoTime();
            nanos[count++ % nanos.length] = now - sent;
            if (now < end) {
                send(context);
            } else {
                times.complete(Arrays.copyOf(nanos, Math.min(count, nanos.length)));
                context.close();
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            times.completeExceptionally(cause);
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            times.completeExceptionally(new IOException("the channel has closed"));
        }
    }

    private static long[] bystander(EventLoopGroup group, InetSocketAddress server, String when) throws Exception {
        Bystander handler = new Bystander();
        new Bootstrap().group(group).channel(VerbsSocketChannel.class).handler(handler).connect(server).sync();
        long[] times = handler.times.get(Proofs.loopNanos() + SOON.toNanos(), TimeUnit.NANOSECONDS);
        Arrays.sort(times);
        System.out.printf(Locale.ROOT, "bystander %s: %d messages there and back, p50 %.1f us, p99 %.1f us, longest %.1f us%n", when,
                times.length, times[times.length / 2] / 1e3, times[times.length * 99 / 100] / 1e3, times[times.length - 1] / 1e3);
        return times;
    }

    @Test
    void shouldEndTheirOwnChannelsAlone() throws Exception {
        try (RegistrableArena arena = RegistrableArena.ofShared();
                Verbs verbs = Verbs.open(Configuration.builder().set("panamaverbs.provider", "soft-iwarp").build())) {
            EventLoopGroup servers = new MultiThreadIoEventLoopGroup(1, VerbsIoHandler.newFactory(verbs.device()));
            EventLoopGroup clients = new MultiThreadIoEventLoopGroup(1, VerbsIoHandler.newFactory(verbs.device()));
            Channel server = new ServerBootstrap().group(servers).channel(VerbsServerSocketChannel.class)
                    .childHandler(new ChannelInitializer<>() {
                        @Override
                        protected void initChannel(Channel channel) {
                            channel.pipeline().addLast(new Echo());
                        }
                    }).bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)).sync().channel();
            InetSocketAddress address = (InetSocketAddress) server.localAddress();
            bystander(clients, address, "before");
            bystander(clients, address, "alone");
            AtomicBoolean ends = new AtomicBoolean();
            AtomicInteger attacks = new AtomicInteger();
            List<Thread> attackers = new ArrayList<>();
            for (int i = 0; i < ATTACKERS; i++) {
                attackers.add(Thread.ofPlatform().start(() -> Forgeries.attack(verbs, arena, address, ends, attacks)));
            }
            bystander(clients, address, "beside " + ATTACKERS + " attackers");
            ends.set(true);
            for (Thread attacker : attackers) {
                attacker.join();
            }
            long limit = System.nanoTime() + SOON.toNanos();
            while (failed.get() < attacks.get() && System.nanoTime() < limit) {
                Thread.sleep(10);
            }
            System.out.println(attacks + " attacks, " + failed + " channels failed: " + reasons);
            assertTrue(attacks.get() >= Forgeries.KINDS, attacks + " attacks");
            assertEquals(attacks.get(), failed.get(), "each attack ends one channel");
            assertTrue(reasons.keySet().stream().noneMatch(reason -> reason.contains("Exception: ")), reasons::toString);
            bystander(clients, address, "after");
            clients.shutdownGracefully(0, 60, TimeUnit.SECONDS).sync();
            servers.shutdownGracefully(0, 60, TimeUnit.SECONDS).sync();
        }
        LeakRecorder.check();
    }
}
