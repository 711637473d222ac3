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
import java.nio.channels.ClosedChannelException;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.NotYetBoundException;
import java.nio.channels.ServerSocketChannel;
import java.time.Duration;
import java.util.Set;
import org.panamaverbs.Verbs;

/** {@link ServerSocketChannel#socket()}: the channel in the form of a server's socket. */
// Tested by ChannelSocketTest.
final class ChannelServerSocket extends ServerSocket {
    private final VerbsServerSocketChannel channel;
    private volatile int timeout;

    ChannelServerSocket(VerbsServerSocketChannel channel) throws IOException {
        this.channel = channel;
    }

    private static SocketException asOfSocket(Exception e) {
        if (e instanceof SocketException known) {
            return known;
        }
        SocketException told = new SocketException(e instanceof ClosedChannelException ? "Socket is closed" : e.toString());
        told.initCause(e);
        return told;
    }

    @Override
    public void bind(SocketAddress address) throws IOException {
        bind(address, 0);
    }

    @Override
    public void bind(SocketAddress address, int backlog) throws IOException {
        try {
            channel.bind(address == null ? new InetSocketAddress(0) : address, backlog);
        } catch (IOException | IllegalStateException e) {
            throw asOfSocket(e);
        }
    }

    @Override
    public InetAddress getInetAddress() {
        InetSocketAddress known = channel.address();
        return known == null ? null : known.getAddress();
    }

    @Override
    public int getLocalPort() {
        InetSocketAddress known = channel.address();
        return known == null ? -1 : known.getPort();
    }

    @Override
    public SocketAddress getLocalSocketAddress() {
        return channel.address();
    }

    @Override
    public Socket accept() throws IOException {
        if (!channel.isBlocking()) {
            throw new IllegalBlockingModeException();
        }
        try {
            return channel.accept(timeout == 0 ? Verbs.FOREVER : Duration.ofMillis(timeout)).socket();
        } catch (NotYetBoundException e) {
            throw new IllegalStateException("Socket is not bound", e);
        } catch (ClosedChannelException e) {
            throw asOfSocket(e);
        }
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
        return channel.address() != null;
    }

    @Override
    public boolean isClosed() {
        return !channel.isOpen();
    }

    @Override
    public void setSoTimeout(int millis) throws SocketException {
        if (millis < 0) {
            throw new IllegalArgumentException("timeout < 0");
        }
        timeout = millis;
    }

    @Override
    public int getSoTimeout() {
        return timeout;
    }

    private <T> void set(SocketOption<T> option, T value) throws SocketException {
        try {
            channel.setOption(option, value);
        } catch (IOException e) {
            throw asOfSocket(e);
        }
    }

    private <T> T get(SocketOption<T> option) throws SocketException {
        try {
            return channel.getOption(option);
        } catch (IOException e) {
            throw asOfSocket(e);
        }
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
    public <T> T getOption(SocketOption<T> option) throws IOException {
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
