package org.panamaverbs.nio;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.panamaverbs.Verbs;

/** {@link ServerSocketChannel#socket()}: the channel in the form of a server's socket. */
// Tested by ChannelSocketTest.
final class ChannelServerSocket extends ServerSocket {
    private final ServingChannel channel;
    private volatile int timeout;

    ChannelServerSocket(ServingChannel channel) throws IOException {
        this.channel = channel;
    }

    @Override
    public void bind(@Nullable SocketAddress address) throws IOException {
        bind(address, 0);
    }

    @Override
    public void bind(@Nullable SocketAddress address, int backlog) throws IOException {
        SocketFailures.translated(() -> channel.bind(address, backlog));
    }

    @Override
    public @Nullable InetAddress getInetAddress() {
        InetSocketAddress local = channel.localAddress();
        return local == null ? null : local.getAddress();
    }

    @Override
    public int getLocalPort() {
        InetSocketAddress local = channel.localAddress();
        return local == null ? -1 : local.getPort();
    }

    @Override
    public @Nullable SocketAddress getLocalSocketAddress() {
        return channel.localAddress();
    }

    @Override
    public Socket accept() throws IOException {
        int millis = timeout;
        return SocketFailures.translated(() -> {
            if (millis > 0 && !channel.isBlocking()) {
                throw new IllegalBlockingModeException();
            }
            SocketChannel peer = channel.accept(millis == 0 ? Verbs.FOREVER : Duration.ofMillis(millis));
            if (peer == null) {
                throw new IllegalBlockingModeException();
            }
            return peer.socket();
        });
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    @Override
    public ServerSocketChannel getChannel() {
        return channel;
    }

    @Override
    public boolean isBound() {
        return channel.localAddress() != null;
    }

    @Override
    public boolean isClosed() {
        return !channel.isOpen();
    }

    private void checkOpen() throws SocketException {
        if (isClosed()) {
            throw new SocketException("Socket is closed");
        }
    }

    @Override
    public void setSoTimeout(int millis) throws SocketException {
        checkOpen();
        if (millis < 0) {
            throw new IllegalArgumentException("timeout < 0");
        }
        timeout = millis;
    }

    @Override
    public int getSoTimeout() throws SocketException {
        checkOpen();
        return timeout;
    }

    private <T> void set(SocketOption<T> option, T value) throws SocketException {
        SocketFailures.ofOption(() -> channel.setOption(option, value));
    }

    private <T> T get(SocketOption<T> option) throws SocketException {
        return SocketFailures.ofOption(() -> channel.getOption(option));
    }

    @Override
    public void setReuseAddress(boolean on) throws SocketException {
        set(StandardSocketOptions.SO_REUSEADDR, on);
    }

    @Override
    public boolean getReuseAddress() throws SocketException {
        return get(StandardSocketOptions.SO_REUSEADDR);
    }

    @Override
    public void setReceiveBufferSize(int bytes) throws SocketException {
        if (bytes <= 0) {
            throw new IllegalArgumentException("size cannot be 0 or negative");
        }
        set(StandardSocketOptions.SO_RCVBUF, bytes);
    }

    @Override
    public int getReceiveBufferSize() throws SocketException {
        return get(StandardSocketOptions.SO_RCVBUF);
    }

    @Override
    public <T> ServerSocket setOption(SocketOption<T> option, T value) throws IOException {
        channel.setOption(option, value);
        return this;
    }

    @Override
    public <T> @Nullable T getOption(SocketOption<T> option) throws IOException {
        return channel.getOption(option);
    }

    @Override
    public Set<SocketOption<?>> supportedOptions() {
        return channel.supportedOptions();
    }

    @Override
    public String toString() {
        return isBound() ? "ServerSocket[addr=" + getInetAddress() + ",localport=" + getLocalPort() + "]" : "ServerSocket[unbound]";
    }
}
