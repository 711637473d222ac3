package org.panamaverbs.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.Configuration;

/** Connects that fail: with the JDK's classes, once, and in the program's time. */
class FailedConnectTest {
    private static SelectorProvider ours(boolean fallsBack) {
        return new VerbsSelectorProvider(
                Configuration.builder().set("panamaverbs.provider", "soft-iwarp").set("panamaverbs.softiwarp.transport", "epoll")
                        .set(NioSettings.ADDRESSES.name(), "*").set(NioSettings.FALL_BACK, fallsBack).build());
    }

    /** Addresses and ports that a connect cannot reach, on each system for a reason of its own. */
    @ParameterizedTest
    @ValueSource(strings = { "127.0.0.1:1", "127.0.0.1:0", "255.255.255.255:9", "224.0.0.1:9", "[ff02::1]:9", "[::1]:1" })
    void shouldFailAsOnTheJdk(String text) throws Exception {
        int colon = text.lastIndexOf(':');
        InetSocketAddress peer = new InetSocketAddress(InetAddress.getByName(text.substring(0, colon)),
                Integer.parseInt(text.substring(colon + 1)));
        try (SocketChannel jdk = JdkProvider.find().openSocketChannel(); SocketChannel ours = ours(true).openSocketChannel()) {
            IOException expected = assertThrows(IOException.class, () -> jdk.socket().connect(peer, 60_000));
            IOException failure = assertThrows(IOException.class, () -> ours.socket().connect(peer, 60_000));
            assertSame(expected.getClass(), failure.getClass(), expected + " and " + failure);
            // JDK 27 adds in parentheses which call has failed.
            assertTrue(failure.getMessage().startsWith(expected.getMessage().replaceAll(" \\(.*", "")), failure.getMessage());
            assertFalse(ours.isOpen());
        }
    }

    /** A server of TCP that accepts nobody: its backlog is full, and further connects get no answer. */
    private static final class Full implements AutoCloseable {
        private final ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        private final List<SocketChannel> peers = new ArrayList<>();

        Full() throws IOException {
            for (int i = 0; i < 2; i++) {
                SocketChannel peer = JdkProvider.find().openSocketChannel();
                peer.connect(server.getLocalSocketAddress());
                peers.add(peer);
            }
        }

        @Override
        public void close() throws IOException {
            for (SocketChannel peer : peers) {
                peer.close();
            }
            server.close();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = { true, false })
    void shouldEndWhenTheProgramsTimeIsUp(boolean fallsBack) throws Exception {
        try (Full full = new Full(); SocketChannel channel = ours(fallsBack).openSocketChannel()) {
            SocketTimeoutException failure = assertThrows(SocketTimeoutException.class,
                    () -> channel.socket().connect(full.server.getLocalSocketAddress(), 300));
            assertEquals("Connect timed out", failure.getMessage());
            assertFalse(channel.isOpen());
        }
    }

    /** The peer accepts TCP, and never speaks: the program's time is that of verbs and of TCP together. */
    @Test
    void shouldCountTheTimeOfVerbsForTcp() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                SocketChannel channel = ours(true).openSocketChannel()) {
            assertThrows(SocketTimeoutException.class, () -> channel.socket().connect(silent.getLocalSocketAddress(), 200));
            // One connection at most, of the attempt over verbs: there was no time for one more.
            silent.setSoTimeout(200);
            int connections = 0;
            try {
                while (true) {
                    silent.accept().close();
                    connections++;
                }
            } catch (SocketTimeoutException e) {
                assertTrue(connections <= 1, connections + " connections");
            }
        }
    }

    @Test
    void shouldNotTryTcpIfThePortRefuses() throws Exception {
        VerbsSelectorProvider provider = (VerbsSelectorProvider) ours(true);
        for (boolean blocking : new boolean[] { true, false }) {
            try (SocketChannel channel = provider.openSocketChannel()) {
                channel.configureBlocking(blocking);
                assertThrows(ConnectException.class, () -> {
                    channel.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), 1));
                    while (!channel.finishConnect()) {
                        Thread.onSpinWait();
                    }
                });
            }
        }
        assertEquals(new NioCounters(0, 0, 0, 0, 0), provider.counters());
    }

    @Test
    void shouldNameAnAddressThatIsNotOfThisMachine() throws Exception {
        try (SocketChannel jdk = JdkProvider.find().openSocketChannel(); SocketChannel ours = ours(true).openSocketChannel()) {
            InetSocketAddress foreign = new InetSocketAddress("192.0.2.1", 0);
            assertThrows(BindException.class, () -> jdk.bind(foreign));
            assertThrows(BindException.class, () -> ours.bind(foreign));
        }
    }
}
