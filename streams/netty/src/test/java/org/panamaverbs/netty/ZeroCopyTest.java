package org.panamaverbs.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.panamaverbs.Configuration;
import org.panamaverbs.Verbs;
import org.panamaverbs.testing.Proofs;

/** Buffers of {@link VerbsByteBufAllocator}. */
class ZeroCopyTest {
    private static final int MEBI = 1 << 20;
    private static final int LIMIT = 60;
    /**
     * The memory that blocks of 8 KiB share. One of them is taken where the end of a peer's target splits 512 bytes or fewer off a buffer:
     * these are copied. Copies of all bytes take larger blocks, too.
     */
    private static final long SLAB = 256 << 10;

    private final VerbsByteBufAllocator registered = new VerbsByteBufAllocator(8 * MEBI);
    private final AtomicReference<VerbsIoHandler> handler = new AtomicReference<>();
    private Verbs verbs;
    private EventLoopGroup servers;
    private EventLoopGroup clients;

    @BeforeEach
    void open() {
        verbs = Verbs.open(Configuration.builder().set("panamaverbs.provider", "soft-iwarp").build());
        servers = new MultiThreadIoEventLoopGroup(1, VerbsIoHandler.newFactory(verbs.device()));
        clients = new MultiThreadIoEventLoopGroup(1, executor -> {
            handler.set((VerbsIoHandler) VerbsIoHandler.newFactory(verbs.device()).newHandler(executor));
            return handler.get();
        });
    }

    @AfterEach
    void close() throws InterruptedException {
        clients.shutdownGracefully(0, LIMIT, TimeUnit.SECONDS).syncUninterruptibly();
        servers.shutdownGracefully(0, LIMIT, TimeUnit.SECONDS).syncUninterruptibly();
        verbs.close();
        LeakRecorder.check();
    }

    private Channel serve(ChannelInboundHandlerAdapter handler) {
        return new ServerBootstrap().group(servers).channel(VerbsServerSocketChannel.class).childHandler(handler)
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)).syncUninterruptibly().channel();
    }

    private Channel connect(Channel server, ByteBufAllocator allocator) {
        return new Bootstrap().group(clients).channel(VerbsSocketChannel.class).option(ChannelOption.ALLOCATOR, allocator)
                .handler(new ChannelInboundHandlerAdapter()).connect(server.localAddress()).syncUninterruptibly().channel();
    }

    /** Receives bytes, and tells their sum. */
    private static final class Sum extends SimpleChannelInboundHandler<ByteBuf> {
        private final CRC32C sum = new CRC32C();
        private final CountDownLatch done = new CountDownLatch(1);
        private long left;

        Sum(long bytes) {
            left = bytes;
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, ByteBuf message) {
            left -= message.readableBytes();
            sum.update(message.nioBuffer());
            if (left == 0) {
                done.countDown();
            }
        }

        long await() throws InterruptedException {
            assertTrue(done.await(LIMIT, TimeUnit.SECONDS), left + " bytes did not come");
            return sum.getValue();
        }
    }

    /** Random bytes, and the sum of those that were sent. */
    private static final class Sender {
        private final Channel client;
        private final int length;
        private final Random random = new Random(30);
        private final CRC32C sum = new CRC32C();

        Sender(Channel client, int length) {
            this.client = client;
            this.length = length;
        }

        /** Sends so many buffers, each of which was filled before; returns the sum of all bytes so far. */
        long send(int count) {
            byte[] bytes = new byte[length];
            for (int i = 0; i < count; i++) {
                random.nextBytes(bytes);
                sum.update(bytes);
                client.writeAndFlush(client.alloc().directBuffer(length).writeBytes(bytes)).syncUninterruptibly();
            }
            return sum.getValue();
        }
    }

    static List<Integer> lengths() {
        return Proofs.run() ? List.of(8 << 10, 10_000, 64 << 10, 1 << 20) : List.of(10_000, 1 << 20);
    }

    @ParameterizedTest
    @MethodSource("lengths")
    void shouldSendWithoutACopy(int length) throws InterruptedException {
        int count = 16 * MEBI / length;
        Sum sum = new Sum((long) length * count);
        Channel server = serve(sum);
        Channel client = connect(server, registered);
        Sender sender = new Sender(client, length);
        long before = handler.get().streams().memory();
        assertEquals(sender.send(count), sum.await());
        long more = handler.get().streams().memory() - before;
        assertTrue(more <= SLAB, () -> more + " bytes for copies were taken");
        client.close().syncUninterruptibly();
        server.close().syncUninterruptibly();
        awaitAllFree();
    }

    @Test
    void shouldCopyOtherBuffers() throws InterruptedException {
        Sum sum = new Sum(16 * MEBI);
        Channel client = connect(serve(sum), PooledByteBufAllocator.DEFAULT);
        long before = handler.get().streams().memory();
        assertEquals(new Sender(client, MEBI).send(16), sum.await());
        assertTrue(handler.get().streams().memory() - before > SLAB, "no memory for copies was taken");
    }

    @Test
    void shouldGiveBuffersBackWhenTheirStreamIsCut() throws InterruptedException {
        CountDownLatch came = new CountDownLatch(1);
        Channel server = serve(new ChannelInboundHandlerAdapter() {
            @Override
            public void channelActive(ChannelHandlerContext context) {
                // It takes nothing, and so the client has buffers on their way and waiting ones.
                context.channel().config().setAutoRead(false);
                came.countDown();
            }
        });
        Channel client = connect(server, registered);
        assertTrue(came.await(LIMIT, TimeUnit.SECONDS));
        for (int i = 0; i < 4; i++) {
            client.writeAndFlush(client.alloc().directBuffer(MEBI).writeZero(MEBI));
        }
        client.config().setOption(ChannelOption.SO_LINGER, 0);
        client.close().syncUninterruptibly();
        awaitAllFree();
    }

    private void awaitAllFree() throws InterruptedException {
        assertTrue(registered.memory() > 0);
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT);
        while (registered.used() > 0) {
            assertTrue(System.nanoTime() < end, registered.used() + " bytes were not given back");
            Thread.sleep(10);
        }
    }

    @Test
    void shouldLookLikeNettysBuffers() {
        ByteBuf buffer = registered.directBuffer(10_000);
        assertEquals(10_000, buffer.capacity());
        assertEquals(0, buffer.readableBytes());
        buffer.writeZero(10_000).writeInt(7);
        assertEquals(7, buffer.getInt(10_000));
        buffer.release();
        for (int length : List.of(100, 2 * MEBI)) {
            ByteBuf other = registered.directBuffer(length);
            assertTrue(other.alloc() != registered, "a buffer of " + length + " bytes is not of the pool");
            other.release();
        }
    }

    @Test
    void shouldFindTheChunkOfAnAddress() {
        ByteBuf buffer = registered.directBuffer(9_000);
        long address = MemorySegment.ofBuffer(buffer.internalNioBuffer(0, 9_000)).address();
        assertNotNull(registered.chunkOf(address));
        assertNull(registered.chunkOf(address - 2L * VerbsByteBufAllocator.CHUNK));
        buffer.release();
    }

    @Test
    void shouldGoOnWithoutMemoryOfItsOwn() {
        List<ByteBuf> all = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            all.add(registered.directBuffer(MEBI));
        }
        assertEquals(8, all.stream().filter(buffer -> buffer.alloc() == registered).count());
        all.forEach(ByteBuf::release);
    }
}
