package org.panamaverbs.nio;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProtocolFamily;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ConnectionPendingException;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.panamaverbs.Verbs;
import org.panamaverbs.cm.ConnectionRequest;

/**
 * A socket channel: the calls of the program, their order, and the keys of selectors. A {@link ChannelConnection} has what carries it.
 */
// Tested by ChannelRulesTest.
final class VerbsSocketChannel extends CarriedChannel implements SelectedChannel {
    private final OptionValues options;
    /** {@code INET} for IPv4 alone. */
    private final ProtocolFamily family;
    private final ChannelKeys keys = new ChannelKeys();
    private final ChannelSocket socket = new ChannelSocket(this);
    private final ChannelConnection connection;
    /** For the holders of the locks of reads and of writes. */
    private final ByteBuffer[] readInto = new ByteBuffer[1];
    private final ByteBuffer[] writtenFrom = new ByteBuffer[1];

    /** One that is not connected, or one of TCP that a server has accepted. */
    VerbsSocketChannel(Resources resources, SocketChannel plain, ProtocolFamily family) throws IOException {
        this(resources, resources.socketOptions().copy(), family);
        connection.begin(plain);
    }

    /** One that a server has accepted over verbs. */
    VerbsSocketChannel(Resources resources, ConnectionRequest request, OptionValues options) {
        this(resources, options, StandardProtocolFamily.INET6);
        connection.begin(request);
    }

    private VerbsSocketChannel(Resources resources, OptionValues options, ProtocolFamily family) {
        super(resources);
        this.options = options;
        this.family = family;
        connection = new ChannelConnection(this, keys, resources, options);
    }

    /** {@return what carries the channel} */
    Carrier carrier() {
        return connection.carrier();
    }

    // Selection.

    @Override
    public void registered(VerbsSelectionKey key) {
        connection.registered(key);
    }

    @Override
    public void deregistered(VerbsSelectionKey key) {
        keys.remove(key);
    }

    @Override
    public int readyOps() {
        return isOpen() ? connection.readyOps() : 0;
    }

    @Override
    protected void implConfigureBlocking(boolean block) throws IOException {
        locks.lockBoth();
        try {
            checkOpen();
            connection.configureBlocking(block);
        } finally {
            locks.unlockBoth();
        }
    }

    // Connecting.

    @Override
    public SocketChannel bind(@Nullable SocketAddress address) throws IOException {
        locks.lockBoth();
        try {
            checkOpen();
            if (isConnectionPending()) {
                throw new ConnectionPendingException();
            }
            if (carrier() instanceof StreamCarrier) {
                throw new AlreadyBoundException();
            }
            if (!(carrier() instanceof Carrier.OfJdk socket)) {
                throw new AsynchronousCloseException();
            }
            socket.plain().bind(address);
            return this;
        } finally {
            locks.unlockBoth();
        }
    }

    @Override
    public boolean connect(SocketAddress address) throws IOException {
        return connect(address, Verbs.FOREVER, false);
    }

    @Override
    boolean connect(SocketAddress address, Duration timeout, boolean blocking) throws IOException {
        InetSocketAddress peer = checked(address);
        locks.lockBoth();
        try {
            if (blocking && !isBlocking()) {
                throw new IllegalBlockingModeException();
            }
            if (!blocking) {
                checkOpen();
            }
            return connection.connect(peer, timeout);
        } catch (IOException e) {
            close();
            throw e;
        } finally {
            locks.unlockBoth();
        }
    }

    private InetSocketAddress checked(SocketAddress address) {
        if (!(Objects.requireNonNull(address) instanceof InetSocketAddress peer)) {
            throw new UnsupportedAddressTypeException();
        }
        if (peer.isUnresolved()) {
            throw new UnresolvedAddressException();
        }
        InetAddress host = peer.getAddress();
        if (family == StandardProtocolFamily.INET && !(host instanceof Inet4Address)) {
            throw new UnsupportedAddressTypeException();
        }
        return !host.isAnyLocalAddress() ? peer
                : new InetSocketAddress(InetAddress.ofLiteral(host instanceof Inet4Address ? "127.0.0.1" : "::1"), peer.getPort());
    }

    @Override
    public boolean finishConnect() throws IOException {
        locks.lockBoth();
        try {
            if (isConnected()) {
                return true;
            }
            checkOpen();
            return connection.finishConnect();
        } catch (IOException e) {
            close();
            throw e;
        } finally {
            locks.unlockBoth();
        }
    }

    @Override
    public boolean isConnected() {
        return isOpen() && connection.isConnected();
    }

    @Override
    public boolean isConnectionPending() {
        return isOpen() && connection.isPending();
    }

    @Override
    public @Nullable SocketAddress getRemoteAddress() throws IOException {
        checkOpen();
        // Also of a connection that is pending: programs name the host of the certificate by it.
        return remoteAddress();
    }

    @Override
    public @Nullable SocketAddress getLocalAddress() throws IOException {
        checkOpen();
        return localAddress();
    }

    @Override
    @Nullable
    InetSocketAddress localAddress() {
        return carrier().localAddress();
    }

    @Override
    @Nullable
    InetSocketAddress remoteAddress() {
        return carrier().remoteAddress();
    }

    // Options.

    @Override
    public <T> SocketChannel setOption(SocketOption<T> option, T value) throws IOException {
        options.check(option, value);
        checkOpen();
        if (carrier() instanceof Carrier.OfJdk jdk) {
            options.set(jdk.plain(), option, value);
        } else {
            options.set(option, value);
        }
        return this;
    }

    @Override
    public <T> @Nullable T getOption(SocketOption<T> option) throws IOException {
        options.check(option);
        checkOpen();
        return carrier() instanceof Carrier.OfJdk jdk ? jdk.plain().getOption(option) : options.get(option);
    }

    @Override
    public Set<SocketOption<?>> supportedOptions() {
        return options.supported();
    }

    @Override
    public Socket socket() {
        return socket;
    }

    // Bytes.

    @Override
    Carrier.OfBytes bytes() throws ClosedChannelException {
        return connection.bytes();
    }

    @Override
    public int read(ByteBuffer into) throws IOException {
        return read(into, Verbs.FOREVER);
    }

    @Override
    int read(ByteBuffer into, Duration timeout) throws IOException {
        Objects.requireNonNull(into);
        locks.lockReads();
        try {
            readInto[0] = into;
            return (int) bytes().read(readInto, 0, 1, timeout);
        } finally {
            readInto[0] = null;
            locks.unlockReads();
        }
    }

    @Override
    public long read(ByteBuffer[] into, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, into.length);
        locks.lockReads();
        try {
            return bytes().read(into, offset, length, Verbs.FOREVER);
        } finally {
            locks.unlockReads();
        }
    }

    @Override
    public int write(ByteBuffer from) throws IOException {
        Objects.requireNonNull(from);
        locks.lockWrites();
        try {
            writtenFrom[0] = from;
            return (int) bytes().write(writtenFrom, 0, 1);
        } finally {
            writtenFrom[0] = null;
            locks.unlockWrites();
        }
    }

    @Override
    public long write(ByteBuffer[] from, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, from.length);
        locks.lockWrites();
        try {
            return bytes().write(from, offset, length);
        } finally {
            locks.unlockWrites();
        }
    }

    @Override
    void writeWhole(ByteBuffer from) throws IOException {
        locks.lockWrites();
        try {
            Carrier.OfBytes bytes = bytes();
            if (!isBlocking()) {
                throw new IllegalBlockingModeException();
            }
            if (outputShut) {
                throw new ClosedChannelException();
            }
            bytes.writeWhole(from);
        } finally {
            locks.unlockWrites();
        }
    }

    // The end.

    @Override
    public SocketChannel shutdownInput() throws IOException {
        Carrier.OfBytes bytes = bytes();
        inputShut = true;
        bytes.shutdownInput();
        keys.changed();
        return this;
    }

    @Override
    public SocketChannel shutdownOutput() throws IOException {
        Carrier.OfBytes bytes = bytes();
        outputShut = true;
        bytes.shutdownOutput();
        keys.changed();
        return this;
    }

    @Override
    protected void implCloseSelectableChannel() throws IOException {
        connection.close();
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(SocketChannel.class.getName()).append('[');
        if (!isOpen()) {
            return text.append("closed]").toString();
        }
        text.append(isConnected() ? "connected" : isConnectionPending() ? "connection-pending" : "unconnected")
                .append(isConnected() && inputShut ? " ishut" : "").append(isConnected() && outputShut ? " oshut" : "");
        Carrier carrier = carrier();
        if (carrier.localAddress() != null) {
            text.append(" local=").append(carrier.localAddress());
        }
        if (carrier.remoteAddress() != null) {
            text.append(" remote=").append(carrier.remoteAddress());
        }
        return text.append(carrier instanceof StreamCarrier ? " over verbs]" : "]").toString();
    }
}
