package org.panamaverbs.nio;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.panamaverbs.nio.Channels.async;
import static org.panamaverbs.nio.Channels.await;
import static org.panamaverbs.nio.Channels.bytes;
import static org.panamaverbs.nio.Channels.readAll;

import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ConnectionPendingException;
import java.nio.channels.NoConnectionPendingException;
import java.nio.channels.NotYetBoundException;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.panamaverbs.nio.Providers.Pair;

/** The rules of connecting and accepting that programs rely on. */
class ConnectRulesTest extends EachProvider {
    @Test
    void shouldBeConnectedBeforeTheServerAccepts() throws Exception {
        try (ServerSocketChannel server = provider.openServerSocketChannel().bind(Providers.anyPort());
                SocketChannel near = provider.openSocketChannel()) {
            assertTrue(near.connect(server.getLocalAddress()));
            assertTrue(near.isConnected());
            near.write(bytes(7));
            try (SocketChannel far = server.accept()) {
                assertTrue(far.isConnected());
                assertArrayEquals(new byte[] { 7 }, readAll(far, 1));
                assertEquals(near.getLocalAddress(), far.getRemoteAddress());
                assertEquals(near.getRemoteAddress(), far.getLocalAddress());
            }
        }
    }

    @Test
    void shouldNameTheStepThatIsMissing() throws Exception {
        SocketChannel channel = provider.openSocketChannel();
        assertFalse(channel.isConnected());
        assertNull(channel.getRemoteAddress());
        assertNull(channel.getLocalAddress());
        assertThrows(NotYetConnectedException.class, () -> channel.read(ByteBuffer.allocate(1)));
        assertThrows(NotYetConnectedException.class, () -> channel.write(bytes(1)));
        assertThrows(NotYetConnectedException.class, channel::shutdownInput);
        assertThrows(NotYetConnectedException.class, channel::shutdownOutput);
        assertThrows(NoConnectionPendingException.class, channel::finishConnect);
        assertThrows(UnresolvedAddressException.class, () -> channel.connect(InetSocketAddress.createUnresolved("nowhere", 1)));
        assertThrows(UnsupportedAddressTypeException.class, () -> channel.connect(new SocketAddress() {
            private static final long serialVersionUID = 1;
        }));
        channel.close();
        channel.close();
        assertThrows(ClosedChannelException.class, () -> channel.connect(Providers.anyPort()));
        assertThrows(ClosedChannelException.class, channel::getLocalAddress);
        assertThrows(ClosedChannelException.class, () -> channel.getOption(StandardSocketOptions.TCP_NODELAY));
    }

    @Test
    void shouldConnectOnce() throws Exception {
        try (Pair pair = Pair.of(provider)) {
            assertThrows(AlreadyConnectedException.class, () -> pair.near().connect(pair.server().getLocalAddress()));
            assertTrue(pair.near().finishConnect());
            assertThrows(AlreadyBoundException.class, () -> pair.server().bind(Providers.anyPort()));
        }
    }

    @Test
    void shouldBeClosedIfItIsRefused() throws Exception {
        InetSocketAddress free;
        try (ServerSocketChannel server = provider.openServerSocketChannel().bind(Providers.anyPort())) {
            free = (InetSocketAddress) server.getLocalAddress();
        }
        SocketChannel channel = provider.openSocketChannel();
        assertThrows(ConnectException.class, () -> channel.connect(free));
        assertFalse(channel.isOpen());
    }

    @Test
    void shouldLeaveNoConnectionIfItIsClosedWhileItConnects() throws Exception {
        Random random = new Random(1);
        try (ExecutorService threads = Executors.newCachedThreadPool()) {
            Future<?> peers;
            try (ServerSocketChannel server = provider.openServerSocketChannel().bind(Providers.anyPort())) {
                peers = threads.submit(() -> {
                    while (true) {
                        // It ends when the server is closed.
                        try (SocketChannel far = server.accept()) {
                            assertEquals(-1, readOrLose(far));
                        }
                    }
                });
                for (int round = 0; round < 100; round++) {
                    closeWhileItConnects(server, threads, random);
                }
                // The peers before it have ended.
                try (SocketChannel last = provider.openSocketChannel()) {
                    last.connect(server.getLocalAddress());
                    last.shutdownOutput();
                    assertEquals(-1, readOrLose(last));
                }
            }
            assertInstanceOf(ClosedChannelException.class,
                    assertThrows(ExecutionException.class, () -> peers.get(60, TimeUnit.SECONDS)).getCause());
        }
    }

    private void closeWhileItConnects(ServerSocketChannel server, ExecutorService threads, Random random) throws Exception {
        SocketChannel near = provider.openSocketChannel();
        near.configureBlocking(random.nextBoolean());
        Future<?> connecting = threads.submit(() -> near.connect(server.getLocalAddress()));
        long pause = random.nextInt(300_000);
        for (long begin = System.nanoTime(); System.nanoTime() - begin < pause;) {
            Thread.onSpinWait();
        }
        near.close();
        try {
            connecting.get(60, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            assertInstanceOf(ClosedChannelException.class, e.getCause());
        }
        assertThrows(ClosedChannelException.class, near::finishConnect);
    }

    private static int readOrLose(SocketChannel channel) {
        try {
            return channel.read(ByteBuffer.allocate(1));
        } catch (IOException e) {
            return -1;
        }
    }

    @Test
    void shouldConnectFromTheAddressThatItIsBoundTo() throws Exception {
        try (ServerSocketChannel server = provider.openServerSocketChannel().bind(Providers.anyPort());
                SocketChannel near = provider.openSocketChannel()) {
            near.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            near.bind(Providers.anyPort());
            InetSocketAddress bound = (InetSocketAddress) near.getLocalAddress();
            assertTrue(bound.getPort() > 0);
            near.connect(server.getLocalAddress());
            assertEquals(bound, near.getLocalAddress());
            try (SocketChannel far = server.accept()) {
                assertEquals(bound, far.getRemoteAddress());
            }
        }
    }

    @Test
    void shouldNotConnectFromAnAddressOfAnotherFamily() throws Exception {
        assumeTrue(NetworkInterface.getByInetAddress(InetAddress.getByName("::1")) != null, "no IPv6 here");
        try (ServerSocketChannel server = provider.openServerSocketChannel().bind(Providers.anyPort());
                SocketChannel near = provider.openSocketChannel().bind(new InetSocketAddress("::1", 0))) {
            assertThrows(SocketException.class, () -> near.connect(server.getLocalAddress()));
            assertFalse(near.isOpen());
        }
    }

    @Test
    void shouldRefuseAPortThatIsTaken() throws Exception {
        try (ServerSocketChannel server = provider.openServerSocketChannel().bind(Providers.anyPort());
                ServerSocketChannel second = provider.openServerSocketChannel()) {
            assertThrows(BindException.class, () -> second.bind(server.getLocalAddress()));
        }
    }

    @Test
    void shouldConnectWithoutWaiting() throws Exception {
        try (ServerSocketChannel server = provider.openServerSocketChannel().bind(Providers.anyPort());
                SocketChannel near = provider.openSocketChannel();
                Selector selector = provider.openSelector()) {
            near.configureBlocking(false);
            SelectionKey key = near.register(selector, 0);
            if (!near.connect(server.getLocalAddress())) {
                assertTrue(near.isConnectionPending());
                assertFalse(near.isConnected());
                assertEquals(server.getLocalAddress(), near.getRemoteAddress());
                assertEquals(((InetSocketAddress) server.getLocalAddress()).getAddress(), near.socket().getInetAddress());
                assertEquals(server.getLocalAddress(), near.socket().getRemoteSocketAddress());
                assertThrows(ConnectionPendingException.class, () -> near.connect(server.getLocalAddress()));
                assertThrows(NotYetConnectedException.class, () -> near.read(ByteBuffer.allocate(1)));
                await(selector, key, SelectionKey.OP_CONNECT);
                assertTrue(near.finishConnect());
            }
            assertTrue(near.isConnected());
            assertFalse(near.isConnectionPending());
            await(selector, key, SelectionKey.OP_WRITE);
            assertEquals(1, near.write(bytes(9)));
            try (SocketChannel far = server.accept()) {
                assertArrayEquals(new byte[] { 9 }, readAll(far, 1));
            }
        }
    }

    @Test
    void shouldConnectWithoutASelector() throws Exception {
        try (ServerSocketChannel server = provider.openServerSocketChannel().bind(Providers.anyPort());
                SocketChannel near = provider.openSocketChannel()) {
            near.configureBlocking(false);
            near.connect(server.getLocalAddress());
            try (SocketChannel far = server.accept()) {
                while (!near.finishConnect()) {
                    Thread.sleep(1);
                }
                near.configureBlocking(true);
                far.write(bytes(4));
                assertArrayEquals(new byte[] { 4 }, readAll(near, 1));
            }
        }
    }

    @Test
    void shouldFinishAPendingConnectionInBlockingMode() throws Exception {
        try (ServerSocketChannel server = provider.openServerSocketChannel().bind(Providers.anyPort());
                SocketChannel near = provider.openSocketChannel()) {
            near.configureBlocking(false);
            near.connect(server.getLocalAddress());
            near.configureBlocking(true);
            assertTrue(near.finishConnect());
        }
    }

    @Test
    void shouldReportARefusalWhenItFinishes() throws Exception {
        InetSocketAddress free;
        try (ServerSocketChannel server = provider.openServerSocketChannel().bind(Providers.anyPort())) {
            free = (InetSocketAddress) server.getLocalAddress();
        }
        try (SocketChannel near = provider.openSocketChannel(); Selector selector = provider.openSelector()) {
            near.configureBlocking(false);
            SelectionKey key = near.register(selector, SelectionKey.OP_CONNECT);
            assertThrows(ConnectException.class, () -> {
                near.connect(free);
                await(selector, key, SelectionKey.OP_CONNECT);
                near.finishConnect();
            });
            assertFalse(near.isOpen());
        }
    }

    @Test
    void shouldAcceptWithoutWaiting() throws Exception {
        try (ServerSocketChannel server = provider.openServerSocketChannel();
                SocketChannel near = provider.openSocketChannel();
                Selector selector = provider.openSelector()) {
            server.configureBlocking(false);
            assertThrows(NotYetBoundException.class, server::accept);
            SelectionKey key = server.register(selector, SelectionKey.OP_ACCEPT);
            server.bind(Providers.anyPort());
            assertNull(server.accept());
            assertEquals(0, selector.selectNow());
            CompletableFuture<Boolean> connecting = async(() -> near.connect(server.getLocalAddress()));
            await(selector, key, SelectionKey.OP_ACCEPT);
            try (SocketChannel far = server.accept()) {
                assertNotNull(far);
                assertTrue(far.isBlocking());
                assertTrue(connecting.get());
                assertNull(server.accept());
                assertEquals(0, selector.selectNow());
            }
        }
    }

    @Test
    void shouldBeginAndEndManyTimes() throws Exception {
        for (int i = 0; i < 200; i++) {
            try (ServerSocketChannel server = provider.openServerSocketChannel().bind(Providers.anyPort());
                    SocketChannel near = provider.openSocketChannel()) {
                near.connect(server.getLocalAddress());
                near.write(bytes(i));
                SocketChannel far = server.accept();
                if (i % 2 == 0) {
                    assertArrayEquals(new byte[] { (byte) i }, readAll(far, 1));
                }
                far.close();
            }
        }
    }

    @Test
    void shouldCloseIfItsThreadIsInterruptedBeforeItConnectsOrAccepts() throws Exception {
        try (ServerSocketChannel server = provider.openServerSocketChannel().bind(Providers.anyPort());
                SocketChannel near = provider.openSocketChannel()) {
            Thread.currentThread().interrupt();
            assertThrows(ClosedByInterruptException.class, () -> near.connect(server.getLocalAddress()));
            assertFalse(near.isOpen());
            assertThrows(ClosedByInterruptException.class, server::accept);
            assertFalse(server.isOpen());
            assertTrue(Thread.interrupted());
        }
    }
}
