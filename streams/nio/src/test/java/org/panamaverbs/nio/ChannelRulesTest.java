package org.panamaverbs.nio;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.panamaverbs.nio.Channels.async;
import static org.panamaverbs.nio.Channels.await;
import static org.panamaverbs.nio.Channels.bytes;
import static org.panamaverbs.nio.Channels.readAll;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.panamaverbs.nio.Providers.Pair;

/** The rules of channels that programs rely on. */
class ChannelRulesTest extends EachProvider {
    private static byte[] random(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    private static void awaitParked(Thread thread) throws InterruptedException {
        for (int i = 0; i < 50; i++) {
            Thread.sleep(2);
            if (thread.getState() != Thread.State.RUNNABLE) {
                return;
            }
        }
    }

    // Blocking mode.

    @Test
    void shouldCarryBytesBothWays() throws Exception {
        try (Pair pair = Pair.of(provider)) {
            byte[] sent = random(3 << 20);
            CompletableFuture<Integer> writing = async(() -> pair.near().write(ByteBuffer.wrap(sent)));
            assertArrayEquals(sent, readAll(pair.far(), sent.length));
            assertEquals(sent.length, writing.get());
            assertEquals(2, pair.far().write(bytes(1, 2)));
            assertArrayEquals(new byte[] { 1, 2 }, readAll(pair.near(), 2));
        }
    }

    @Test
    void shouldReadTheEndAfterTheBytes() throws Exception {
        try (Pair pair = Pair.of(provider)) {
            pair.near().write(bytes(1));
            pair.near().close();
            ByteBuffer into = ByteBuffer.allocate(4);
            assertEquals(1, pair.far().read(into));
            assertEquals(-1, pair.far().read(into));
            assertEquals(-1, pair.far().read(into));
        }
    }

    @Test
    void shouldShutItsOutputDownAndStillRead() throws Exception {
        try (Pair pair = Pair.of(provider)) {
            pair.near().write(bytes(1));
            assertSame(pair.near(), pair.near().shutdownOutput());
            assertThrows(ClosedChannelException.class, () -> pair.near().write(bytes(2)));
            assertArrayEquals(new byte[] { 1 }, readAll(pair.far(), 8));
            pair.far().write(bytes(3));
            assertArrayEquals(new byte[] { 3 }, readAll(pair.near(), 1));
        }
    }

    @Test
    void shouldReadTheEndAfterItShutItsInputDown() throws Exception {
        try (Pair pair = Pair.of(provider)) {
            CompletableFuture<Integer> reading = async(() -> pair.near().read(ByteBuffer.allocate(1)));
            Thread.sleep(50);
            pair.near().shutdownInput();
            assertEquals(-1, reading.get(60, TimeUnit.SECONDS));
            assertEquals(-1, pair.near().read(ByteBuffer.allocate(1)));
            assertEquals(1, pair.near().write(bytes(1)));
        }
    }

    @Test
    void shouldGatherAndScatter() throws Exception {
        try (Pair pair = Pair.of(provider)) {
            ByteBuffer[] parts = { bytes(0, 1), bytes(), bytes(2), bytes(3, 4, 5) };
            assertEquals(3, pair.near().write(parts, 0, 3));
            assertEquals(3, pair.near().write(parts, 3, 1));
            assertEquals(0, pair.near().write(parts, 0, 2));
            ByteBuffer first = ByteBuffer.allocateDirect(4);
            ByteBuffer second = ByteBuffer.allocate(4);
            long count = 0;
            while (count < 6) {
                count += pair.far().read(new ByteBuffer[] { first, second });
            }
            assertEquals(ByteBuffer.wrap(new byte[] { 0, 1, 2, 3 }), first.flip());
            assertEquals(ByteBuffer.wrap(new byte[] { 4, 5 }), second.flip());
            assertThrows(IndexOutOfBoundsException.class, () -> pair.near().write(parts, 3, 2));
            assertThrows(IndexOutOfBoundsException.class, () -> pair.near().read(parts, 3, 2));
        }
    }

    @Test
    void shouldTakeAFile(@TempDir Path directory) throws Exception {
        byte[] content = random(100_000);
        Path path = Files.write(directory.resolve("file"), content);
        try (Pair pair = Pair.of(provider); FileChannel file = FileChannel.open(path)) {
            CompletableFuture<byte[]> reading = async(() -> readAll(pair.far(), content.length));
            for (long at = 0; at < content.length;) {
                at += file.transferTo(at, content.length - at, pair.near());
            }
            assertArrayEquals(content, reading.get());
        }
    }

    @Test
    void shouldRefuseABufferThatIsReadOnly() throws Exception {
        try (Pair pair = Pair.of(provider)) {
            assertThrows(IllegalArgumentException.class, () -> pair.near().read(ByteBuffer.allocate(1).asReadOnlyBuffer()));
            assertEquals(1, pair.near().write(bytes(1).asReadOnlyBuffer()));
            assertEquals(0, pair.near().read(ByteBuffer.allocate(0)));
        }
    }

    @Test
    void shouldEndAReadWhenItIsClosed() throws Exception {
        try (Pair pair = Pair.of(provider)) {
            CompletableFuture<Thread> reader = new CompletableFuture<>();
            CompletableFuture<Integer> reading = async(() -> {
                reader.complete(Thread.currentThread());
                return pair.near().read(ByteBuffer.allocate(1));
            });
            Channels.awaitInCall(reader.join(), "read");
            pair.near().close();
            ExecutionException failed = assertThrows(ExecutionException.class, () -> reading.get(60, TimeUnit.SECONDS));
            assertSame(AsynchronousCloseException.class, failed.getCause().getClass());
            assertThrows(ClosedChannelException.class, () -> pair.near().read(ByteBuffer.allocate(1)));
            assertThrows(ClosedChannelException.class, () -> pair.near().write(bytes(1)));
        }
    }

    @Test
    void shouldCloseWhenItsThreadIsInterrupted() throws Exception {
        try (Pair pair = Pair.of(provider)) {
            Thread[] thread = new Thread[1];
            CompletableFuture<Boolean> reading = new CompletableFuture<>();
            thread[0] = Thread.ofPlatform().daemon().start(() -> {
                try {
                    pair.near().read(ByteBuffer.allocate(1));
                } catch (ClosedByInterruptException e) {
                    reading.complete(Thread.currentThread().isInterrupted());
                } catch (Throwable e) {
                    reading.completeExceptionally(e);
                }
            });
            awaitParked(thread[0]);
            thread[0].interrupt();
            assertTrue(reading.get(60, TimeUnit.SECONDS));
            assertFalse(pair.near().isOpen());
            assertEquals(-1, pair.far().read(ByteBuffer.allocate(1)));
        }
    }

    @Test
    void shouldCloseAtOnceIfItsThreadWasInterruptedBefore() throws Exception {
        shouldCloseAtOnce(channel -> channel.read(ByteBuffer.allocate(1)));
        shouldCloseAtOnce(channel -> channel.read(new ByteBuffer[] { ByteBuffer.allocate(1) }));
        shouldCloseAtOnce(channel -> channel.write(new ByteBuffer[] { ByteBuffer.allocate(1) }));
    }

    private void shouldCloseAtOnce(Operation operation) throws Exception {
        try (Pair pair = Pair.of(provider)) {
            Thread.currentThread().interrupt();
            assertThrows(ClosedByInterruptException.class, () -> operation.run(pair.near()));
            assertTrue(Thread.interrupted());
            assertFalse(pair.near().isOpen());
        }
    }

    @FunctionalInterface
    private interface Operation {
        void run(SocketChannel channel) throws IOException;
    }

    @Test
    void shouldBlockAWriterUntilThePeerReads() throws Exception {
        try (Pair pair = Pair.of(provider)) {
            byte[] sent = random(16 << 20);
            CompletableFuture<Integer> writing = async(() -> pair.near().write(ByteBuffer.wrap(sent)));
            Thread.sleep(100);
            assertFalse(writing.isDone());
            assertArrayEquals(sent, readAll(pair.far(), sent.length));
            assertEquals(sent.length, writing.get(60, TimeUnit.SECONDS));
        }
    }

    @Test
    void shouldServeVirtualThreads() throws Exception {
        try (Pair pair = Pair.of(provider)) {
            CompletableFuture<byte[]> reading = new CompletableFuture<>();
            Thread.startVirtualThread(() -> {
                try {
                    reading.complete(readAll(pair.far(), 3));
                } catch (IOException e) {
                    reading.completeExceptionally(e);
                }
            });
            pair.near().write(bytes(1, 2, 3));
            assertArrayEquals(new byte[] { 1, 2, 3 }, reading.get(60, TimeUnit.SECONDS));
        }
    }

    @Test
    void shouldReportAResetAsAnIOException() throws Exception {
        try (Pair pair = Pair.of(provider)) {
            pair.near().setOption(StandardSocketOptions.SO_LINGER, 0);
            pair.near().close();
            assertThrows(IOException.class, () -> pair.far().read(ByteBuffer.allocate(1)));
        }
    }

    @Test
    void shouldFailToWriteOnceThePeerHasClosed() throws Exception {
        try (Pair pair = Pair.of(provider)) {
            pair.near().close();
            assertEquals(-1, pair.far().read(ByteBuffer.allocate(1)));
            assertThrows(IOException.class, () -> {
                for (int i = 0; i < 60_000; i++) {
                    pair.far().write(bytes(1));
                    Thread.sleep(1);
                }
            });
        }
    }

    @Test
    void shouldReadWhatThePeerHasSaidAtLastThoughAWriteCrossesItsClose() throws Exception {
        try (Pair pair = Pair.of(provider); Selector selector = provider.openSelector()) {
            pair.near().write(bytes(1, 2));
            pair.near().close();
            pair.far().configureBlocking(false);
            await(selector, pair.far().register(selector, 0), SelectionKey.OP_READ);
            Thread.sleep(50);
            assertEquals(1, pair.far().write(bytes(3)));
            ByteBuffer into = ByteBuffer.allocate(4);
            assertEquals(2, pair.far().read(into));
        }
    }

    // The states of a channel.

    @Test
    void shouldKeepItsOptions() throws Exception {
        try (Pair pair = Pair.of(provider); SocketChannel fresh = provider.openSocketChannel()) {
            for (SocketChannel channel : new SocketChannel[] { fresh, pair.near(), pair.far() }) {
                channel.setOption(StandardSocketOptions.TCP_NODELAY, true).setOption(StandardSocketOptions.SO_KEEPALIVE, true)
                        .setOption(StandardSocketOptions.SO_LINGER, 5);
                assertTrue(channel.getOption(StandardSocketOptions.TCP_NODELAY));
                assertTrue(channel.getOption(StandardSocketOptions.SO_KEEPALIVE));
                assertEquals(5, channel.getOption(StandardSocketOptions.SO_LINGER));
                assertTrue(channel.getOption(StandardSocketOptions.SO_RCVBUF) > 0);
                channel.setOption(StandardSocketOptions.SO_LINGER, -1);
                assertEquals(-1, channel.getOption(StandardSocketOptions.SO_LINGER));
                assertThrows(IllegalArgumentException.class, () -> channel.setOption(StandardSocketOptions.SO_RCVBUF, -1));
                assertThrows(UnsupportedOperationException.class, () -> channel.getOption(StandardSocketOptions.IP_MULTICAST_LOOP));
                assertTrue(channel.supportedOptions().contains(StandardSocketOptions.SO_LINGER));
            }
            assertTrue(pair.server().supportedOptions().contains(StandardSocketOptions.SO_REUSEADDR));
            assertThrows(UnsupportedOperationException.class, () -> pair.server().getOption(StandardSocketOptions.SO_LINGER));
        }
    }

    // Non-blocking mode.

    @Test
    void shouldReadAndWriteAsMuchAsThereIs() throws Exception {
        try (Pair pair = Pair.of(provider); Selector selector = provider.openSelector()) {
            pair.near().configureBlocking(false);
            pair.far().configureBlocking(false);
            SelectionKey near = pair.near().register(selector, 0, "near");
            assertEquals("near", near.attachment());
            assertSame(near, pair.near().keyFor(selector));
            assertSame(pair.near(), near.channel());
            assertSame(selector, near.selector());
            assertEquals(0, pair.far().read(ByteBuffer.allocate(1)));
            byte[] sent = random(16 << 20);
            ByteBuffer from = ByteBuffer.wrap(sent);
            ByteBuffer into = ByteBuffer.allocate(sent.length);
            SelectionKey far = pair.far().register(selector, SelectionKey.OP_READ);
            near.interestOps(SelectionKey.OP_WRITE);
            boolean wasFull = false;
            while (into.hasRemaining()) {
                selector.select(60_000);
                if (selector.selectedKeys().remove(near) && near.isWritable()) {
                    wasFull |= pair.near().write(from) == 0 || from.hasRemaining();
                    if (!from.hasRemaining()) {
                        near.interestOps(0);
                    }
                }
                if (selector.selectedKeys().remove(far) && far.isReadable()) {
                    pair.far().read(into);
                }
            }
            assertTrue(wasFull);
            assertArrayEquals(sent, into.array());
        }
    }

    @Test
    void shouldBeReadyAgainUntilAllIsRead() throws Exception {
        try (Pair pair = Pair.of(provider); Selector selector = provider.openSelector()) {
            pair.far().configureBlocking(false);
            SelectionKey key = pair.far().register(selector, SelectionKey.OP_READ);
            pair.near().write(bytes(1, 2));
            await(selector, key, SelectionKey.OP_READ);
            pair.far().read(ByteBuffer.allocate(1));
            assertEquals(1, selector.select(60_000));
            // A key that stays among the selected ones is not counted again.
            assertEquals(0, selector.select(60_000));
            pair.far().read(ByteBuffer.allocate(1));
            selector.selectedKeys().clear();
            assertEquals(0, selector.selectNow());
        }
    }

    @Test
    void shouldNotBeWritableWhileThePeerReadsNothing() throws Exception {
        try (Pair pair = Pair.of(provider); Selector selector = provider.openSelector()) {
            pair.near().configureBlocking(false);
            SelectionKey key = pair.near().register(selector, SelectionKey.OP_WRITE);
            ByteBuffer piece = ByteBuffer.allocate(64 << 10);
            long written = 0;
            // At some time there is no more room, and none comes.
            do {
                selector.selectedKeys().clear();
                for (int count = pair.near().write(piece.clear()); count > 0; count = pair.near().write(piece.clear())) {
                    written += count;
                }
            } while (selector.select(100) > 0);
            for (long left = written; left > 0;) {
                left -= pair.far().read(piece.limit((int) Math.min(left, piece.capacity())).position(0));
            }
            await(selector, key, SelectionKey.OP_WRITE);
        }
    }

    @Test
    void shouldBeReadyForTheEnd() throws Exception {
        try (Pair pair = Pair.of(provider); Selector selector = provider.openSelector()) {
            pair.far().configureBlocking(false);
            SelectionKey key = pair.far().register(selector, SelectionKey.OP_READ);
            pair.near().shutdownOutput();
            await(selector, key, SelectionKey.OP_READ);
            assertEquals(-1, pair.far().read(ByteBuffer.allocate(1)));
            await(selector, key, SelectionKey.OP_READ);
        }
    }

    @Test
    void shouldTellBlockingModeAndSelectorsApart() throws Exception {
        try (Pair pair = Pair.of(provider); Selector selector = provider.openSelector()) {
            assertThrows(IllegalBlockingModeException.class, () -> pair.near().register(selector, SelectionKey.OP_READ));
            pair.near().configureBlocking(false);
            SelectionKey key = pair.near().register(selector, SelectionKey.OP_READ);
            assertThrows(IllegalArgumentException.class, () -> key.interestOps(SelectionKey.OP_ACCEPT));
            assertThrows(IllegalBlockingModeException.class, () -> pair.near().configureBlocking(true));
            key.cancel();
            assertThrows(CancelledKeyException.class, key::interestOps);
            assertThrows(CancelledKeyException.class, () -> pair.near().register(selector, SelectionKey.OP_READ));
            selector.selectNow();
            assertFalse(pair.near().isRegistered());
            pair.near().configureBlocking(true);
            pair.far().write(bytes(5));
            assertArrayEquals(new byte[] { 5 }, readAll(pair.near(), 1));
        }
    }

    @Test
    void shouldSendWhatAServerWritesAtOnce() throws Exception {
        try (ServerSocketChannel server = provider.openServerSocketChannel().bind(Providers.anyPort());
                Selector selector = provider.openSelector();
                SocketChannel near = provider.openSocketChannel()) {
            CompletableFuture<byte[]> reading = async(() -> {
                near.connect(server.getLocalAddress());
                return readAll(near, 10_001);
            });
            SocketChannel far = server.accept();
            far.configureBlocking(false);
            far.register(selector, SelectionKey.OP_READ);
            byte[] sent = random(10_000);
            assertEquals(sent.length, far.write(ByteBuffer.wrap(sent)));
            far.close();
            assertArrayEquals(sent, reading.get(60, TimeUnit.SECONDS));
        }
    }

    @Test
    void shouldSendWhileTheThreadOfItsSelectorIsBusy() throws Exception {
        try (Pair pair = Pair.of(provider); Selector selector = provider.openSelector()) {
            pair.near().configureBlocking(false);
            pair.near().register(selector, SelectionKey.OP_READ);
            selector.selectNow();
            byte[] sent = random(100_000);
            ByteBuffer from = ByteBuffer.wrap(sent);
            pair.near().write(from);
            int count = from.position();
            assertTrue(count > 0);
            assertArrayEquals(Arrays.copyOf(sent, count), readAll(pair.far(), count));
            pair.near().close();
            // No thread selects any more.
            assertEquals(-1, pair.far().read(ByteBuffer.allocate(1)));
        }
    }

    @Test
    void shouldMoveToAnotherSelector() throws Exception {
        try (Pair pair = Pair.of(provider); Selector second = provider.openSelector()) {
            Selector first = provider.openSelector();
            pair.near().configureBlocking(false);
            pair.near().register(first, SelectionKey.OP_READ);
            first.selectNow();
            SelectionKey key = pair.near().register(second, SelectionKey.OP_READ);
            first.close();
            pair.far().write(bytes(1));
            await(second, key, SelectionKey.OP_READ);
            assertEquals(1, pair.near().read(ByteBuffer.allocate(4)));
        }
    }
}
