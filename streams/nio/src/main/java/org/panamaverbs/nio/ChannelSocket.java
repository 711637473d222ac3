package org.panamaverbs.nio;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.panamaverbs.Verbs;

/** {@link SocketChannel#socket()}: the channel in the form of a socket. */
// Tested by ChannelSocketTest.
final class ChannelSocket extends Socket {
    private final CarriedChannel channel;
    private volatile int timeout;

    ChannelSocket(CarriedChannel channel) {
        this.channel = channel;
    }

    private static Duration limit(int millis) {
        return millis == 0 ? Verbs.FOREVER : Duration.ofMillis(millis);
    }

    @Override
    public void connect(@Nullable SocketAddress remote) throws IOException {
        connect(remote, 0);
    }

    @Override
    public void connect(@Nullable SocketAddress remote, int millis) throws IOException {
        if (remote == null) {
            throw new IllegalArgumentException("connect: The address can't be null");
        }
        if (remote instanceof InetSocketAddress address && address.isUnresolved()) {
            if (isClosed() || isConnected()) {
                throw new SocketException(isClosed() ? "Socket is closed" : "Already connected");
            }
            close();
            throw new UnknownHostException(remote.toString());
        }
        if (millis < 0) {
            throw new IllegalArgumentException("connect: timeout can't be negative");
        }
        SocketFailures.translated(() -> channel.connect(remote, limit(millis), true));
    }

    @Override
    public void bind(@Nullable SocketAddress address) throws IOException {
        SocketFailures.translated(() -> channel.bind(address));
    }

    @Override
    public @Nullable InetAddress getInetAddress() {
        InetSocketAddress address = channel.remoteAddress();
        return address == null ? null : address.getAddress();
    }

    @Override
    public int getPort() {
        InetSocketAddress address = channel.remoteAddress();
        return address == null ? 0 : address.getPort();
    }

    @Override
    public InetAddress getLocalAddress() {
        InetSocketAddress address = isClosed() ? null : channel.localAddress();
        return address == null ? new InetSocketAddress(0).getAddress() : address.getAddress();
    }

    @Override
    public int getLocalPort() {
        InetSocketAddress address = channel.localAddress();
        return address == null ? -1 : address.getPort();
    }

    @Override
    public @Nullable SocketAddress getRemoteSocketAddress() {
        return channel.remoteAddress();
    }

    @Override
    public @Nullable SocketAddress getLocalSocketAddress() {
        return channel.localAddress();
    }

    @Override
    public SocketChannel getChannel() {
        return channel;
    }

    // Bytes.

    private void checkStream(boolean isShut, String side) throws IOException {
        if (isClosed()) {
            throw new SocketException("Socket is closed");
        }
        if (!isConnected()) {
            throw new SocketException("Socket is not connected");
        }
        if (isShut) {
            throw new SocketException("Socket " + side + " is shutdown");
        }
    }

    private void checkBlocking() throws ClosedChannelException {
        channel.bytes();
        if (!channel.isBlocking()) {
            throw new IllegalBlockingModeException();
        }
    }

    @Override
    public InputStream getInputStream() throws IOException {
        checkStream(isInputShutdown(), "input");
        return new InputStream() {
            @Override
            public int read() throws IOException {
                byte[] single = new byte[1];
                return read(single, 0, 1) < 0 ? -1 : Byte.toUnsignedInt(single[0]);
            }

            @Override
            public int read(byte[] into, int offset, int length) throws IOException {
                Objects.checkFromIndexSize(offset, length, into.length);
                if (length == 0) {
                    return 0;
                }
                checkBlocking();
                return channel.read(ByteBuffer.wrap(into, offset, length), limit(timeout));
            }

            @Override
            public int available() throws IOException {
                Carrier.OfBytes bytes = channel.bytes();
                return channel.inputShut ? 0 : bytes.available();
            }

            @Override
            public void close() throws IOException {
                ChannelSocket.this.close();
            }
        };
    }

    @Override
    public OutputStream getOutputStream() throws IOException {
        checkStream(isOutputShutdown(), "output");
        return new OutputStream() {
            @Override
            public void write(int single) throws IOException {
                write(new byte[] { (byte) single }, 0, 1);
            }

            @Override
            public void write(byte[] from, int offset, int length) throws IOException {
                Objects.checkFromIndexSize(offset, length, from.length);
                if (length == 0) {
                    return;
                }
                channel.writeWhole(ByteBuffer.wrap(from, offset, length));
            }

            @Override
            public void close() throws IOException {
                ChannelSocket.this.close();
            }
        };
    }

    @Override
    public void sendUrgentData(int data) throws IOException {
        channel.bytes();
        throw new SocketException("a channel of panama-verbs has no urgent data");
    }

    // Options.

    @Override
    public <T> Socket setOption(SocketOption<T> option, T value) throws IOException {
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

    private <T> void set(SocketOption<T> option, T value) throws SocketException {
        SocketFailures.ofOption(() -> channel.setOption(option, value));
    }

    private <T> T get(SocketOption<T> option) throws SocketException {
        return SocketFailures.ofOption(() -> channel.getOption(option));
    }

    private static int positive(int bytes, String meaning) {
        if (bytes <= 0) {
            throw new IllegalArgumentException("Invalid " + meaning + " size");
        }
        return bytes;
    }

    @Override
    public void setTcpNoDelay(boolean on) throws SocketException {
        set(StandardSocketOptions.TCP_NODELAY, on);
    }

    @Override
    public boolean getTcpNoDelay() throws SocketException {
        return get(StandardSocketOptions.TCP_NODELAY);
    }

    @Override
    public void setSoLinger(boolean on, int seconds) throws SocketException {
        set(StandardSocketOptions.SO_LINGER, on ? seconds : -1);
    }

    @Override
    public int getSoLinger() throws SocketException {
        return get(StandardSocketOptions.SO_LINGER);
    }

    /** There are no urgent data, so the option has no effect. It has no public constant. */
    @SuppressWarnings("unchecked")
    private SocketOption<Boolean> inline() {
        return (SocketOption<Boolean>) supportedOptions().stream().filter(option -> option.name().equals("SO_OOBINLINE")).findAny()
                .orElseThrow(() -> new UnsupportedOperationException("SO_OOBINLINE"));
    }

    @Override
    public void setOOBInline(boolean on) throws SocketException {
        set(inline(), on);
    }

    @Override
    public boolean getOOBInline() throws SocketException {
        return get(inline());
    }

    @Override
    public void setSoTimeout(int millis) throws SocketException {
        if (isClosed()) {
            throw new SocketException("Socket is closed");
        }
        if (millis < 0) {
            throw new IllegalArgumentException("timeout can't be negative");
        }
        timeout = millis;
    }

    @Override
    public int getSoTimeout() throws SocketException {
        if (isClosed()) {
            throw new SocketException("Socket is closed");
        }
        return timeout;
    }

    @Override
    public void setSendBufferSize(int bytes) throws SocketException {
        set(StandardSocketOptions.SO_SNDBUF, positive(bytes, "send"));
    }

    @Override
    public int getSendBufferSize() throws SocketException {
        return get(StandardSocketOptions.SO_SNDBUF);
    }

    @Override
    public void setReceiveBufferSize(int bytes) throws SocketException {
        set(StandardSocketOptions.SO_RCVBUF, positive(bytes, "receive"));
    }

    @Override
    public int getReceiveBufferSize() throws SocketException {
        return get(StandardSocketOptions.SO_RCVBUF);
    }

    @Override
    public void setKeepAlive(boolean on) throws SocketException {
        set(StandardSocketOptions.SO_KEEPALIVE, on);
    }

    @Override
    public boolean getKeepAlive() throws SocketException {
        return get(StandardSocketOptions.SO_KEEPALIVE);
    }

    @Override
    public void setTrafficClass(int service) throws SocketException {
        set(StandardSocketOptions.IP_TOS, service);
    }

    @Override
    public int getTrafficClass() throws SocketException {
        return get(StandardSocketOptions.IP_TOS);
    }

    @Override
    public void setReuseAddress(boolean on) throws SocketException {
        set(StandardSocketOptions.SO_REUSEADDR, on);
    }

    @Override
    public boolean getReuseAddress() throws SocketException {
        return get(StandardSocketOptions.SO_REUSEADDR);
    }

    // The end.

    @Override
    public void close() throws IOException {
        channel.close();
    }

    @Override
    public void shutdownInput() throws IOException {
        SocketFailures.translated(channel::shutdownInput);
    }

    @Override
    public void shutdownOutput() throws IOException {
        SocketFailures.translated(channel::shutdownOutput);
    }

    @Override
    public boolean isConnected() {
        return channel.isConnected();
    }

    @Override
    public boolean isBound() {
        return channel.localAddress() != null;
    }

    @Override
    public boolean isClosed() {
        return !channel.isOpen();
    }

    @Override
    public boolean isInputShutdown() {
        return channel.inputShut;
    }

    @Override
    public boolean isOutputShutdown() {
        return channel.outputShut;
    }

    @Override
    public String toString() {
        return isConnected() ? "Socket[addr=" + getInetAddress() + ",port=" + getPort() + ",localport=" + getLocalPort() + "]"
                : "Socket[unconnected]";
    }
}
