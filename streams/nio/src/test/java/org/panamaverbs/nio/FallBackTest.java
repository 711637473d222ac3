package org.panamaverbs.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.Configuration;

/** Peers that do not speak verbs, at addresses that are named. */
class FallBackTest {
    private static final int MODES = 200;

    private final Semaphore connections = new Semaphore(0);
    private ServerSocket stranger;
    private Thread serving;

    private static VerbsSelectorProvider provider(boolean fallsBack) {
        return new VerbsSelectorProvider(
                Configuration.builder().set("panamaverbs.provider", "soft-iwarp").set("panamaverbs.softiwarp.transport", "epoll")
                        .set(NioSettings.ADDRESSES.name(), "127.0.0.1").set(NioSettings.FALL_BACK, fallsBack).build());
    }

    /** A server of TCP that answers one byte, the successor of the one it got, and ends connections that begin otherwise. */
    @BeforeEach
    void serve() throws IOException {
        stranger = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        serving = Thread.ofPlatform().daemon().start(() -> {
            while (true) {
                try (Socket peer = stranger.accept()) {
                    connections.release();
                    int got = peer.getInputStream().read();
                    if (got == 1) {
                        peer.getOutputStream().write(got + 1);
                    }
                } catch (IOException e) {
                    if (stranger.isClosed()) {
                        return;
                    }
                }
            }
        });
    }

    @AfterEach
    void stop() throws Exception {
        stranger.close();
        serving.join();
    }

    private InetSocketAddress address() {
        return (InetSocketAddress) stranger.getLocalSocketAddress();
    }

    private static ByteBuffer one() {
        return ByteBuffer.wrap(new byte[] { 1 });
    }

    @Test
    void shouldGoOverTcp() throws Exception {
        VerbsSelectorProvider provider = provider(true);
        try (SocketChannel channel = provider.openSocketChannel()) {
            assertTrue(channel.connect(address()));
            channel.write(one());
            ByteBuffer into = ByteBuffer.allocate(4);
            assertEquals(1, channel.read(into));
            assertEquals(2, into.get(0));
        }
        assertEquals(new NioCounters(0, 0, 1, 2, 1), provider.counters());
    }

    @Test
    void shouldGoOverTcpInASelector() throws Exception {
        VerbsSelectorProvider provider = provider(true);
        try (SocketChannel channel = provider.openSocketChannel(); Selector selector = provider.openSelector()) {
            channel.configureBlocking(false);
            SelectionKey key = channel.register(selector, SelectionKey.OP_CONNECT);
            assertFalse(channel.connect(address()));
            assertEquals(1, selector.select(60_000));
            assertTrue(key.isConnectable());
            assertTrue(channel.finishConnect());
            channel.write(one());
            key.interestOps(SelectionKey.OP_READ);
            selector.selectedKeys().clear();
            assertEquals(1, selector.select(60_000));
            assertEquals(1, channel.read(ByteBuffer.allocate(4)));
        }
        assertEquals(1, provider.counters().fallBacks());
    }

    /** The end of the attempt over verbs begins the one over TCP: no question of a selector does. */
    @Test
    void shouldGoOverTcpWithoutACallOfTheProgram() throws Exception {
        VerbsSelectorProvider provider = provider(true);
        try (SocketChannel channel = provider.openSocketChannel()) {
            channel.configureBlocking(false);
            assertFalse(channel.connect(address()));
            // The attempts over verbs and over TCP.
            assertTrue(connections.tryAcquire(2, 60, TimeUnit.SECONDS));
            while (!channel.finishConnect()) {
                Thread.onSpinWait();
            }
            assertEquals(1, channel.write(one()));
        }
        assertEquals(1, provider.counters().fallBacks());
    }

    /** In blocking mode nothing begins TCP before the program waits, so the channel's selector makes up for it. */
    @Test
    void shouldGoOverTcpInASelectorThatComesAfterTheAttempt() throws Exception {
        VerbsSelectorProvider provider = provider(true);
        try (SocketChannel channel = provider.openSocketChannel(); Selector selector = provider.openSelector()) {
            channel.configureBlocking(false);
            assertFalse(channel.connect(address()));
            channel.configureBlocking(true);
            assertTrue(connections.tryAcquire(60, TimeUnit.SECONDS));
            channel.configureBlocking(false);
            SelectionKey key = channel.register(selector, SelectionKey.OP_CONNECT);
            assertEquals(1, selector.select(60_000));
            assertTrue(key.isConnectable());
            assertTrue(channel.finishConnect());
        }
        assertEquals(1, provider.counters().fallBacks());
    }

    /** The server goes away between the two attempts. */
    @ParameterizedTest
    @ValueSource(booleans = { true, false })
    void shouldSayWhyVerbsFailedIfTcpFailsToo(boolean blocking) throws Exception {
        ServerSocket leaving = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        InetSocketAddress gone = (InetSocketAddress) leaving.getLocalSocketAddress();
        Thread serves = Thread.ofPlatform().start(() -> {
            try {
                Socket peer = leaving.accept();
                leaving.close();
                peer.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        try (SocketChannel channel = provider(true).openSocketChannel()) {
            channel.configureBlocking(blocking);
            ConnectException failure = assertThrows(ConnectException.class, () -> {
                channel.connect(gone);
                while (!channel.finishConnect()) {
                    Thread.onSpinWait();
                }
            });
            assertTrue(Stream.of(failure.getSuppressed()).anyMatch(reason -> reason.getMessage().contains("not an MPA peer")),
                    Arrays.toString(failure.getSuppressed()));
        }
        serves.join();
    }

    /** The mode changes while a thread of verbs goes on to TCP. */
    @Test
    void shouldBlockFromTheMomentThatTheProgramWantsThat() throws Exception {
        VerbsSelectorProvider provider = provider(true);
        long usual = Long.MAX_VALUE;
        for (int i = 0; i < MODES; i++) {
            try (SocketChannel channel = provider.openSocketChannel()) {
                channel.configureBlocking(false);
                assertFalse(channel.connect(address()));
                long begin = System.nanoTime();
                // From the fourth attempt on it is done at about the moment when the others went on to TCP.
                long limit = i < 3 ? Long.MAX_VALUE : usual / 1000 * (900 + i * 200 / MODES);
                while (System.nanoTime() - begin < limit && (i >= 3 || !channel.finishConnect())) {
                    Thread.onSpinWait();
                }
                usual = i < 3 ? Math.min(usual, System.nanoTime() - begin) : usual;
                channel.configureBlocking(true);
                assertTrue(channel.finishConnect());
                CompletableFuture<Integer> writing = Channels.async(() -> channel.write(one()));
                assertEquals(1, channel.read(ByteBuffer.allocate(4)), "a read did not wait");
                writing.get(60, TimeUnit.SECONDS);
            }
        }
    }

    @Test
    void shouldFailIfTheSettingForbidsIt() throws Exception {
        VerbsSelectorProvider provider = provider(false);
        try (SocketChannel channel = provider.openSocketChannel()) {
            assertThrows(IOException.class, () -> channel.connect(address()));
            assertFalse(channel.isOpen());
        }
        assertEquals(0, provider.counters().otherConnections());
    }

    @Test
    void shouldLeaveOtherAddressesToTheJdk() throws Exception {
        VerbsSelectorProvider provider = new VerbsSelectorProvider(Configuration.builder().set("panamaverbs.provider", "soft-iwarp")
                .set(NioSettings.ADDRESSES.name(), "127.0.0.1:1-9").build());
        try (ServerSocketChannel server = provider.openServerSocketChannel().bind(Providers.anyPort());
                SocketChannel near = provider.openSocketChannel();
                Selector selector = provider.openSelector()) {
            near.configureBlocking(false);
            near.register(selector, SelectionKey.OP_CONNECT);
            near.connect(server.getLocalAddress());
            while (!near.finishConnect()) {
                selector.select(1000);
            }
            try (SocketChannel far = server.accept()) {
                near.write(one());
                assertEquals(1, far.read(ByteBuffer.allocate(1)));
            }
        }
        assertEquals(new NioCounters(0, 0, 2, 2, 0), provider.counters());
    }

    @Test
    void shouldCountWhatGoesOverVerbs() throws Exception {
        VerbsSelectorProvider provider = provider(true);
        try (Providers.Pair pair = Providers.Pair.of(provider)) {
            pair.near().write(one());
            assertEquals(1, pair.far().read(ByteBuffer.allocate(4)));
        }
        assertEquals(new NioCounters(2, 2, 0, 0, 0), provider.counters());
    }

    @Test
    void shouldRefuseATransportThatWouldUseItsOwnChannels() throws Exception {
        VerbsSelectorProvider provider = new VerbsSelectorProvider(Configuration.builder().set("panamaverbs.provider", "soft-iwarp")
                .set("panamaverbs.softiwarp.transport", "nio").set(NioSettings.ADDRESSES.name(), "127.0.0.1").build());
        try (ServerSocketChannel server = provider.openServerSocketChannel()) {
            String message = assertThrows(IOException.class, () -> server.bind(Providers.anyPort())).getMessage();
            assertTrue(message.contains("choose auto or epoll"), message);
        }
    }
}
