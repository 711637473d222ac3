package org.panamaverbs.nio;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import org.junit.jupiter.api.Test;
import org.panamaverbs.nio.Providers.Pair;

/** Channels in the form of sockets: the JDK's behave the same. */
class ChannelSocketTest extends EachProvider {
    @Test
    void shouldConnectAndCarryBytes() throws Exception {
        try (ServerSocketChannel server = provider.openServerSocketChannel(); SocketChannel near = provider.openSocketChannel()) {
            ServerSocket listening = server.socket();
            assertSame(listening, server.socket());
            assertSame(server, listening.getChannel());
            assertFalse(listening.isBound());
            assertEquals(-1, listening.getLocalPort());
            listening.bind(Providers.anyPort());
            assertTrue(listening.isBound());
            Socket socket = near.socket();
            assertSame(near, socket.getChannel());
            assertFalse(socket.isConnected());
            assertThrows(SocketException.class, socket::getInputStream);
            assertNull(socket.getRemoteSocketAddress());
            socket.connect(listening.getLocalSocketAddress(), 60_000);
            assertTrue(socket.isConnected());
            assertTrue(socket.isBound());
            assertEquals(listening.getLocalPort(), socket.getPort());
            assertThrows(SocketException.class, () -> socket.connect(listening.getLocalSocketAddress()));
            Socket peer = listening.accept();
            socket.getOutputStream().write("question".getBytes(UTF_8));
            socket.shutdownOutput();
            assertTrue(socket.isOutputShutdown());
            assertArrayEquals("question".getBytes(UTF_8), peer.getInputStream().readAllBytes());
            peer.getOutputStream().write('!');
            peer.close();
            assertEquals('!', socket.getInputStream().read());
            assertEquals(-1, socket.getInputStream().read());
            assertTrue(peer.isClosed());
            assertFalse(peer.getChannel().isOpen());
        }
    }

    @Test
    void shouldGiveUpAfterTheTimeout() throws Exception {
        try (Pair pair = Pair.of(provider)) {
            Socket socket = pair.near().socket();
            socket.setSoTimeout(50);
            assertEquals(50, socket.getSoTimeout());
            assertThrows(SocketTimeoutException.class, () -> socket.getInputStream().read());
            pair.far().socket().getOutputStream().write(7);
            assertEquals(7, socket.getInputStream().read());
            pair.server().socket().setSoTimeout(50);
            assertThrows(SocketTimeoutException.class, () -> pair.server().socket().accept());
        }
    }

    @Test
    void shouldKeepOptions() throws Exception {
        try (Pair pair = Pair.of(provider)) {
            Socket socket = pair.near().socket();
            socket.setTcpNoDelay(true);
            socket.setKeepAlive(true);
            socket.setSoLinger(true, 3);
            socket.setReuseAddress(true);
            assertTrue(socket.getTcpNoDelay());
            assertTrue(socket.getKeepAlive());
            assertEquals(3, socket.getSoLinger());
            socket.setSoLinger(false, 0);
            assertEquals(-1, socket.getSoLinger());
            socket.setSendBufferSize(100_000);
            assertTrue(socket.getSendBufferSize() > 0);
            assertThrows(IllegalArgumentException.class, () -> socket.setReceiveBufferSize(0));
            assertEquals(((InetSocketAddress) pair.near().getLocalAddress()).getPort(), socket.getLocalPort());
            assertEquals(socket.getLocalSocketAddress(), pair.far().socket().getRemoteSocketAddress());
        }
    }

    @Test
    void shouldSayHowManyBytesAreThere() throws Exception {
        try (Pair pair = Pair.of(provider)) {
            InputStream input = pair.near().socket().getInputStream();
            assertEquals(0, input.available());
            pair.far().socket().getOutputStream().write(new byte[6]);
            pair.far().shutdownOutput();
            Scene.await(() -> available(input) == 6);
            BufferedReader reader = new BufferedReader(new InputStreamReader(pair.near().socket().getInputStream(), UTF_8));
            assertTrue(reader.ready());
            for (int i = 0; i < 6; i++) {
                reader.read();
            }
            assertEquals(0, input.available());
            assertEquals(-1, input.read());
            assertEquals(0, input.available());
            pair.near().close();
            assertThrows(ClosedChannelException.class, input::available);
        }
    }

    private static int available(InputStream input) {
        try {
            return input.available();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void shouldNotWaitInNonBlockingMode() throws Exception {
        try (Pair pair = Pair.of(provider)) {
            pair.near().configureBlocking(false);
            pair.server().configureBlocking(false);
            assertThrows(IllegalBlockingModeException.class, () -> pair.near().socket().getInputStream().read());
            assertThrows(IllegalBlockingModeException.class, () -> pair.server().socket().accept());
        }
    }
}
