package org.panamaverbs.netty;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.io.File;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.panamaverbs.Configuration;
import org.panamaverbs.Verbs;

/**
 * Many idle channels: their memory, and the rest after they are closed. Both ends are in this process, so each channel here is two. The
 * property {@code channels} says how many are opened (200).
 */
class ManyChannelsTest {
    private static final int COUNT = Integer.getInteger("channels", 200);
    private static final int AT_ONCE = 64;
    private static final int SLACK = 16;
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);

    // struct mallinfo2 of the GNU C library: ten of size_t.
    private static final long HBLKHD = 4 * Long.BYTES;
    private static final long UORDBLKS = 7 * Long.BYTES;
    @SuppressWarnings("restricted")
    private static final MethodHandle MALLINFO2 = Linker.nativeLinker().downcallHandle(
            Linker.nativeLinker().defaultLookup().find("mallinfo2").orElseThrow(),
            FunctionDescriptor.of(MemoryLayout.structLayout(MemoryLayout.sequenceLayout(10, ValueLayout.JAVA_LONG))));

    private final List<VerbsIoHandler> handlers = new CopyOnWriteArrayList<>();

    /**
     * What the process has.
     *
     * @param allocated bytes that malloc has given away
     * @param shared    bytes of the pages that it shares with peers, and that were used
     */
    private record State(int threads, int descriptors, long heap, long allocated, long shared) {
        static State now() throws IOException, InterruptedException {
            for (int i = 0; i < 4; i++) {
                System.gc();
                Thread.sleep(50);
            }
            String[] open = new File("/proc/self/fd").list();
            return new State(ManagementFactory.getThreadMXBean().getThreadCount(), open == null ? 0 : open.length,
                    ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed(), mallocBytes(), sharedBytes());
        }

        private static long mallocBytes() {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment info = (MemorySegment) MALLINFO2.invokeExact((SegmentAllocator) arena);
                return info.get(ValueLayout.JAVA_LONG, UORDBLKS) + info.get(ValueLayout.JAVA_LONG, HBLKHD);
            } catch (Throwable e) {
                throw new AssertionError(e);
            }
        }

        private static long sharedBytes() throws IOException {
            return Files.readAllLines(Path.of("/proc/self/status")).stream().filter(line -> line.startsWith("RssShmem:"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) << 10).sum();
        }

        boolean isBackTo(State before, State most) {
            return descriptors <= before.descriptors + SLACK && threads <= before.threads + SLACK
                    && heap - before.heap < (most.heap - before.heap) / 8 + (4 << 20);
        }

        void print(String when) {
            System.out.printf(Locale.ROOT, "%s: %d threads, %d descriptors, heap %,d KiB, malloc %,d KiB, shared %,d KiB%n", when, threads,
                    descriptors, heap >> 10, allocated >> 10, shared >> 10);
        }
    }

    @Sharable
    private static final class Idle extends ChannelInboundHandlerAdapter {
        // Nothing comes.
    }

    private EventLoopGroup group(Verbs verbs) {
        return new MultiThreadIoEventLoopGroup(1, executor -> {
            VerbsIoHandler handler = (VerbsIoHandler) VerbsIoHandler.newFactory(verbs.device()).newHandler(executor);
            handlers.add(handler);
            return handler;
        });
    }

    /**
     * What malloc has given away is shown beside it: the JVM's compilers take some of that, now more and now less.
     *
     * @param most KiB of an idle channel: of the heap, and of pages that it shares with its peer
     */
    @ParameterizedTest
    @CsvSource({ "epoll, 24", "shared-memory, 40" })
    @Timeout(600)
    void shouldLeaveNothingBehind(String transport, int most) throws Exception {
        ChannelGroup accepted = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
        try (Verbs verbs = Verbs.open(Configuration.builder().set("panamaverbs.provider", "soft-iwarp")
                .set("panamaverbs.softiwarp.transport", transport).build())) {
            EventLoopGroup servers = group(verbs);
            EventLoopGroup clients = group(verbs);
            Channel server = new ServerBootstrap().group(servers).channel(VerbsServerSocketChannel.class)
                    .childHandler(new ChannelInitializer<>() {
                        @Override
                        protected void initChannel(Channel channel) {
                            accepted.add(channel);
                        }
                    }).bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)).sync().channel();
            Bootstrap bootstrap = new Bootstrap().group(clients).channel(VerbsSocketChannel.class).handler(new Idle());
            // The first ones load classes and start threads.
            closeAll(connect(bootstrap, server, SLACK));
            awaitNone();
            State before = State.now();
            long start = System.nanoTime();
            ChannelGroup connected = connect(bootstrap, server, COUNT);
            double seconds = (System.nanoTime() - start) / 1e9;
            State open = State.now();
            long each = (open.heap + open.shared - before.heap - before.shared) / (2L * COUNT);
            long allocated = (open.allocated - before.allocated) / (2L * COUNT);
            closeAll(connected);
            awaitNone();
            State after = State.now();
            // What other threads still hold on their stacks goes a moment later.
            long end = System.nanoTime() + PATIENCE_NANOS;
            while (!after.isBackTo(before, open) && System.nanoTime() < end) {
                after = State.now();
            }
            before.print("before");
            open.print("with " + COUNT + " channels and their peers");
            after.print("after");
            System.out.printf(Locale.ROOT, "%s: %.0f connections a second; for each channel %d bytes, and %d of malloc%n", transport,
                    COUNT / seconds, each, allocated);
            assertTrue(each < most << 10, each + " bytes for each idle channel");
            assertTrue(after.isBackTo(before, open), "descriptors, threads or heap are not given back: see above");
            server.close().sync();
            clients.shutdownGracefully(0, 60, TimeUnit.SECONDS).sync();
            servers.shutdownGracefully(0, 60, TimeUnit.SECONDS).sync();
        }
    }

    private static ChannelGroup connect(Bootstrap bootstrap, Channel server, int count) throws InterruptedException {
        ChannelGroup all = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
        Deque<ChannelFuture> begun = new ArrayDeque<>();
        for (int i = 0; i < count; i++) {
            if (begun.size() == AT_ONCE) {
                all.add(begun.remove().sync().channel());
            }
            begun.add(bootstrap.connect(server.localAddress()));
        }
        for (ChannelFuture each : begun) {
            all.add(each.sync().channel());
        }
        return all;
    }

    private static void closeAll(ChannelGroup channels) throws InterruptedException {
        channels.close().sync();
    }

    /** Until neither side has a stream. */
    private void awaitNone() throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(120);
        while (handlers.stream().anyMatch(handler -> handler.streams().streams() > 0)) {
            assertTrue(System.nanoTime() < end, "streams are left");
            Thread.sleep(20);
        }
    }
}
