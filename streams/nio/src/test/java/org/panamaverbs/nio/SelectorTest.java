package org.panamaverbs.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.Pipe;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.panamaverbs.nio.Providers.Pair;

/** The rules of selectors that programs rely on. */
class SelectorTest extends EachProvider {
    private static final ByteBuffer BYTE = ByteBuffer.allocate(1).asReadOnlyBuffer();

    /** A thread in {@link Selector#select()}, with the number that it returned. */
    private static final class Selecting {
        private final CompletableFuture<Integer> result = new CompletableFuture<>();
        private final Thread thread;

        Selecting(Selector selector) throws InterruptedException {
            thread = Thread.ofPlatform().daemon().start(() -> {
                try {
                    result.complete(selector.select());
                } catch (Throwable e) {
                    result.completeExceptionally(e);
                }
            });
            Thread.sleep(50);
            assertFalse(result.isDone());
        }

        int result() throws Exception {
            return result.get(60, TimeUnit.SECONDS);
        }
    }

    private static Set<Object> selectAll(Selector selector, int count) throws IOException {
        Set<Object> ready = new HashSet<>();
        while (ready.size() < count) {
            assertTrue(selector.select(key -> ready.add(key.attachment()), 60_000) > 0, "only " + ready);
        }
        return ready;
    }

    private static SelectionKey register(SocketChannel channel, Selector selector, int ops) throws IOException {
        channel.configureBlocking(false);
        return channel.register(selector, ops, "stream");
    }

    @Test
    void shouldWaitForAllKindsOfChannelsAtOnce(@TempDir Path directory) throws Exception {
        Pipe pipe = provider.openPipe();
        try (Pair pair = Pair.of(provider);
                Selector selector = provider.openSelector();
                DatagramChannel datagrams = provider.openDatagramChannel(StandardProtocolFamily.INET).bind(Providers.anyPort());
                ServerSocketChannel unix = provider.openServerSocketChannel(StandardProtocolFamily.UNIX)) {
            unix.bind(UnixDomainSocketAddress.of(directory.resolve("socket")));
            unix.configureBlocking(false).register(selector, SelectionKey.OP_ACCEPT, "unix");
            datagrams.configureBlocking(false).register(selector, SelectionKey.OP_READ, "datagram");
            pipe.source().configureBlocking(false).register(selector, SelectionKey.OP_READ, "pipe");
            register(pair.far(), selector, SelectionKey.OP_READ);
            assertEquals(0, selector.select(20));
            assertEquals(4, selector.keys().size());

            Selecting selecting = new Selecting(selector);
            pair.near().write(BYTE.duplicate());
            assertEquals(1, selecting.result());
            assertSame(pair.far(), selector.selectedKeys().iterator().next().channel());
            pair.far().read(ByteBuffer.allocate(1));
            selector.selectedKeys().clear();

            selecting = new Selecting(selector);
            pipe.sink().write(BYTE.duplicate());
            assertEquals(1, selecting.result());
            selector.selectedKeys().clear();

            pair.near().write(BYTE.duplicate());
            try (DatagramChannel sender = provider.openDatagramChannel(StandardProtocolFamily.INET);
                    SocketChannel client = provider.openSocketChannel(StandardProtocolFamily.UNIX)) {
                sender.send(BYTE.duplicate(), datagrams.getLocalAddress());
                client.connect(unix.getLocalAddress());
                assertEquals(Set.of("stream", "datagram", "pipe", "unix"), selectAll(selector, 4));
            }
            // Once the JDK's channels have gone, the streams go on.
            for (SelectionKey key : selector.keys()) {
                if (!"stream".equals(key.attachment())) {
                    key.channel().close();
                }
            }
            pair.far().read(ByteBuffer.allocate(1));
            selector.selectNow();
            selector.selectedKeys().clear();
            assertEquals(1, selector.keys().size());
            selecting = new Selecting(selector);
            pair.near().write(BYTE.duplicate());
            assertEquals(1, selecting.result());
        } finally {
            pipe.sink().close();
            pipe.source().close();
        }
    }

    @Test
    void shouldWakeUpOnce() throws Exception {
        try (Pair pair = Pair.of(provider); Selector selector = provider.openSelector()) {
            for (int round = 0; round < 2; round++) {
                Selecting selecting = new Selecting(selector);
                assertSame(selector, selector.wakeup());
                assertEquals(0, selecting.result());
                selector.wakeup();
                selector.wakeup();
                assertEquals(0, selector.select());
                long begin = System.nanoTime();
                assertEquals(0, selector.select(60));
                assertTrue(System.nanoTime() - begin > 50_000_000);
                register(pair.far(), selector, SelectionKey.OP_READ);
            }
        }
    }

    @Test
    void shouldEndASelectWhenItIsClosed() throws Exception {
        try (Pair pair = Pair.of(provider); Selector selector = provider.openSelector()) {
            SelectionKey key = register(pair.far(), selector, SelectionKey.OP_READ);
            Selecting selecting = new Selecting(selector);
            closeLater(selector).get(60, TimeUnit.SECONDS);
            selecting.result.handle((count, failure) -> null).get(60, TimeUnit.SECONDS);
            assertFalse(selector.isOpen());
            assertFalse(key.isValid());
            assertNull(pair.far().keyFor(selector));
            assertTrue(pair.far().isOpen());
            assertThrows(ClosedSelectorException.class, selector::selectNow);
            assertThrows(ClosedSelectorException.class, selector::keys);
            assertThrows(ClosedSelectorException.class, () -> pair.far().register(selector, SelectionKey.OP_READ));
            pair.far().configureBlocking(true);
            pair.near().write(BYTE.duplicate());
            assertEquals(1, pair.far().read(ByteBuffer.allocate(2)));
        }
    }

    private static void close(Selector selector) throws IOException {
        selector.close();
    }

    private static CompletableFuture<Void> closeLater(Selector selector) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        Thread.startVirtualThread(() -> {
            try {
                selector.close();
                done.complete(null);
            } catch (IOException e) {
                done.completeExceptionally(e);
            }
        });
        return done;
    }

    @Test
    void shouldEndASelectWhenItsThreadIsInterrupted() throws Exception {
        try (Pair pair = Pair.of(provider); Selector selector = provider.openSelector()) {
            register(pair.far(), selector, SelectionKey.OP_READ);
            Selecting selecting = new Selecting(selector);
            selecting.thread.interrupt();
            assertEquals(0, selecting.result());
            assertTrue(selector.isOpen());
            Thread.currentThread().interrupt();
            assertEquals(0, selector.select());
            assertTrue(Thread.interrupted());
            pair.near().write(BYTE.duplicate());
            assertEquals(1, selector.select(60_000));
        }
    }

    @Test
    void shouldForgetAChannelThatIsClosedDuringASelect() throws Exception {
        try (Pair pair = Pair.of(provider); Selector selector = provider.openSelector()) {
            SelectionKey key = register(pair.far(), selector, SelectionKey.OP_READ);
            Selecting selecting = new Selecting(selector);
            pair.far().close();
            assertFalse(key.isValid());
            selector.wakeup();
            assertEquals(0, selecting.result());
            selector.selectNow();
            assertTrue(selector.keys().isEmpty());
            assertEquals(-1, pair.near().read(ByteBuffer.allocate(1)));
        }
    }

    /** Of TCP. A server that accepts for each key would get nobody for the second one. */
    @Test
    void shouldFindAPeerOnceThoughAnotherKeyIsCancelledDuringTheSelect() throws Exception {
        try (ServerSocketChannel server = provider.openServerSocketChannel().bind(new InetSocketAddress("127.0.0.2", 0));
                SocketChannel client = provider.openSocketChannel();
                DatagramChannel other = provider.openDatagramChannel();
                Selector selector = provider.openSelector()) {
            SelectionKey key = server.configureBlocking(false).register(selector, SelectionKey.OP_ACCEPT);
            SelectionKey cancelled = other.configureBlocking(false).register(selector, SelectionKey.OP_READ);
            Selecting selecting = new Selecting(selector);
            cancelled.cancel();
            client.connect(server.getLocalAddress());
            assertEquals(1, selecting.result());
            assertTrue(selector.selectedKeys().remove(key));
            server.accept().close();
            assertEquals(0, selector.selectNow(), () -> "accepts " + key.readyOps());
        }
    }

    @Test
    void shouldNotSelectAChannelThatAnotherThreadCloses() throws Exception {
        try (Selector selector = provider.openSelector(); ExecutorService threads = Executors.newSingleThreadExecutor()) {
            for (int round = 0; round < 30; round++) {
                try (Pair pair = Pair.of(provider)) {
                    register(pair.far(), selector, SelectionKey.OP_READ);
                    Future<Integer> selecting = threads.submit(() -> selector.select());
                    pair.far().close();
                    selector.wakeup();
                    assertEquals(0, selecting.get(60, TimeUnit.SECONDS), "round " + round);
                }
            }
        }
    }

    @Test
    void shouldTakeAnInterestOfAnotherThread() throws Exception {
        try (Pair pair = Pair.of(provider); Selector selector = provider.openSelector()) {
            SelectionKey key = register(pair.far(), selector, 0);
            pair.near().write(BYTE.duplicate());
            Selecting selecting = new Selecting(selector);
            key.interestOps(SelectionKey.OP_READ);
            selector.wakeup();
            selecting.result();
            assertTrue(key.isReadable() || selector.select(60_000) == 1);
            assertEquals(SelectionKey.OP_READ, key.interestOpsOr(SelectionKey.OP_WRITE));
            assertEquals(SelectionKey.OP_READ | SelectionKey.OP_WRITE, key.interestOps());
        }
    }

    @Test
    void shouldLetProgramsTakeKeysOutAlone() throws Exception {
        try (Pair pair = Pair.of(provider); Selector selector = provider.openSelector()) {
            SelectionKey key = register(pair.far(), selector, SelectionKey.OP_WRITE);
            while (selector.select(60_000) == 0) {
                // Until it is connected.
            }
            assertThrows(UnsupportedOperationException.class, () -> selector.selectedKeys().add(key));
            assertThrows(UnsupportedOperationException.class, () -> selector.keys().clear());
            assertTrue(selector.selectedKeys().remove(key));
            assertTrue(selector.selectedKeys().isEmpty());
            assertThrows(IllegalArgumentException.class, () -> selector.select(-1));
        }
    }

    @Test
    void shouldLetCancelledChannelsWaitAgainWithoutASelection() throws Exception {
        Pipe pipe = provider.openPipe();
        try (Pair pair = Pair.of(provider);
                Selector selector = provider.openSelector();
                ServerSocketChannel server = provider.openServerSocketChannel().bind(Providers.anyPort());
                ServerSocketChannel fresh = provider.openServerSocketChannel();
                SocketChannel unconnected = provider.openSocketChannel();
                DatagramChannel datagrams = provider.openDatagramChannel()) {
            for (SelectableChannel channel : List.of(datagrams, pipe.source(), pipe.sink(), pair.far(), server, fresh, unconnected)) {
                SelectionKey key = channel.configureBlocking(false).register(selector, channel.validOps());
                assertThrows(IllegalBlockingModeException.class, () -> channel.configureBlocking(true));
                key.cancel();
                channel.configureBlocking(true);
                assertTrue(channel.isRegistered());
                selector.selectNow();
                assertFalse(channel.isRegistered());
                // And again, with the next selection.
                channel.configureBlocking(false).register(selector, channel.validOps());
            }
            assertEquals(7, selector.keys().size());
        } finally {
            pipe.sink().close();
            pipe.source().close();
        }
    }

    /** A thread may look whether the selector has the channel no more, and register it again while the select goes on. */
    @Test
    void shouldTakeAChannelAgainAsSoonAsItHasLeft() throws Exception {
        List<DatagramChannel> channels = new ArrayList<>();
        try (Selector selector = provider.openSelector(); ExecutorService threads = Executors.newSingleThreadExecutor()) {
            for (int i = 0; i < 200; i++) {
                DatagramChannel channel = provider.openDatagramChannel();
                channels.add(channel);
                channel.configureBlocking(false).register(selector, 0).cancel();
            }
            Future<Integer> selecting = threads.submit(() -> selector.selectNow());
            List<DatagramChannel> left = new ArrayList<>(channels);
            while (!left.isEmpty()) {
                for (DatagramChannel channel : List.copyOf(left)) {
                    if (channel.keyFor(selector) == null) {
                        assertTrue(channel.register(selector, 0).isValid());
                        left.remove(channel);
                    }
                }
            }
            assertEquals(0, selecting.get(60, TimeUnit.SECONDS));
        } finally {
            for (DatagramChannel channel : channels) {
                channel.close();
            }
        }
    }

    @Test
    void shouldLeaveTheSelectedKeysAloneIfAnActionGetsThem() throws Exception {
        try (Pair pair = Pair.of(provider); Selector selector = provider.openSelector()) {
            SelectionKey key = register(pair.far(), selector, SelectionKey.OP_READ);
            pair.near().write(BYTE.duplicate());
            assertEquals(1, selector.select(60_000));
            assertEquals(1, selector.select(ready -> assertSame(key, ready), 60_000));
            assertEquals(Set.of(key), selector.selectedKeys());
            assertThrows(IllegalStateException.class, () -> selector.select(ready -> {
                try {
                    selector.selectNow();
                } catch (IOException e) {
                    throw new IllegalArgumentException(e);
                }
            }));
            assertThrows(ClosedSelectorException.class, () -> selector.select(ready -> {
                try {
                    close(selector);
                } catch (IOException e) {
                    throw new IllegalArgumentException(e);
                }
            }));
        }
    }

    @Test
    void shouldServeManyChannels() throws Exception {
        try (Selector selector = provider.openSelector()) {
            Pair[] pairs = new Pair[40];
            for (int i = 0; i < pairs.length; i++) {
                pairs[i] = Pair.of(provider);
                pairs[i].far().configureBlocking(false);
                pairs[i].far().register(selector, SelectionKey.OP_READ, i);
            }
            Set<Object> all = new HashSet<>();
            for (int i = 0; i < pairs.length; i++) {
                pairs[i].near().write(BYTE.duplicate());
                all.add(i);
            }
            assertEquals(all, selectAll(selector, pairs.length));
            for (Pair pair : pairs) {
                pair.close();
            }
            selector.selectNow();
            assertTrue(selector.keys().isEmpty());
        }
    }
}
