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
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.panamaverbs.Verbs;
import org.panamaverbs.cm.ConnectionRequest;

/** A socket channel: the calls of the program and the keys of selectors. A {@link ChannelConnection} carries it. */
// Tested by ChannelRulesTest.
final class VerbsSocketChannel extends SocketChannel implements SelectedChannel {
    private final VerbsSelectorProvider provider;
    private final OptionValues options;
    private final ChannelConnection connection;
    private final List<VerbsSelectionKey> keys = new CopyOnWriteArrayList<>();
    /** {@code INET} for IPv4 alone. */
    private final ProtocolFamily family;
    private final ChannelBytes bytes;
    private final ChannelSocket socket;
    private volatile boolean inputShut;
    private volatile boolean outputShut;

    /** One that is not connected, or one of TCP that a server has accepted. */
    VerbsSocketChannel(VerbsSelectorProvider provider, SocketChannel plain, ProtocolFamily family) throws IOException {
        this(provider, provider.socketOptions(), family);
        connection.begin(plain);
    }

    /** One that a server has accepted over verbs. */
    VerbsSocketChannel(VerbsSelectorProvider provider, ConnectionRequest request, OptionValues options) {
        this(provider, options, StandardProtocolFamily.INET6);
        connection.begin(request);
    }

    private VerbsSocketChannel(VerbsSelectorProvider provider, OptionValues options, ProtocolFamily family) {
        super(provider);
        this.provider = provider;
        this.options = options;
        this.family = family;
        connection = new ChannelConnection(this, provider, options);
        bytes = new ChannelBytes(this);
        socket = new ChannelSocket(this);
    }

    NioVerbs verbs() {
        return provider.verbs();
    }

    /** {@return its stream, or {@code null} if it does not go over verbs} */
    StreamLink link() {
        return connection.link();
    }

    /** {@return the channel of the JDK that carries it, or {@code null}} */
    SocketChannel plain() {
        return connection.plain();
    }

    void checkOpen() throws ClosedChannelException {
        if (!isOpen()) {
            throw new ClosedChannelException();
        }
    }

    void checkConnected() throws ClosedChannelException {
        checkOpen();
        if (!isConnected()) {
            throw new NotYetConnectedException();
        }
    }

    /** The stream has changed. */
    void changed() {
        StreamLink known = link();
        for (VerbsSelectionKey key : keys) {
            key.selector().changed(key, known == null ? null : known.loop());
        }
    }

    // Selection.

    @Override
    public void registered(VerbsSelectionKey key) {
        keys.add(key);
        connection.registered(key);
    }

    /** A channel of the JDK carries it from now on. */
    void carryKeys(SocketChannel carrier) {
        for (VerbsSelectionKey key : keys) {
            carryBy(carrier, key);
        }
    }

    static void carryBy(SocketChannel carrier, VerbsSelectionKey key) {
        try {
            key.carryBy(carrier);
        } catch (IOException e) {
            // The carrier was closed, and with it the channel.
        }
    }

    /** A stream carries it from now on. */
    void chooseLoop(StreamLink made) {
        for (VerbsSelectionKey key : keys) {
            made.chooseFor(key.selector());
        }
    }

    @Override
    public void deregistered(VerbsSelectionKey key) {
        keys.remove(key);
    }

    @Override
    public int readyOps() {
        if (!isConnected()) {
            return connection.isSettled() ? SelectionKey.OP_CONNECT : 0;
        }
        if (link() == null) {
            return 0;
        }
        return (canRead() ? SelectionKey.OP_READ : 0) | (canWrite() ? SelectionKey.OP_WRITE : 0);
    }

    boolean canRead() {
        StreamLink known = link();
        return !isOpen() || inputShut || known == null || known.canRead();
    }

    boolean canWrite() {
        StreamLink known = link();
        return !isOpen() || outputShut || known == null || known.canWrite();
    }

    @Override
    protected void implConfigureBlocking(boolean block) throws IOException {
        bytes.lock();
        try {
            checkOpen();
            SocketChannel carrier = plain();
            if (carrier != null) {
                carrier.configureBlocking(block);
            }
        } finally {
            bytes.unlock();
        }
    }

    // Connecting.

    @Override
    public SocketChannel bind(SocketAddress address) throws IOException {
        bytes.lock();
        try {
            checkOpen();
            if (isConnectionPending()) {
                throw new ConnectionPendingException();
            }
            SocketChannel carrier = plain();
            if (carrier == null) {
                throw new AlreadyBoundException();
            }
            carrier.bind(address);
            return this;
        } finally {
            bytes.unlock();
        }
    }

    @Override
    public boolean connect(SocketAddress address) throws IOException {
        return connect(address, Verbs.FOREVER, false);
    }

    /**
     * Connects.
     *
     * @param timeout  of a channel in blocking mode
     * @param blocking whether the mode must be that
     */
    boolean connect(SocketAddress address, Duration timeout, boolean blocking) throws IOException {
        InetSocketAddress peer = checked(address);
        bytes.lock();
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
            bytes.unlock();
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
        bytes.lock();
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
            bytes.unlock();
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
    public SocketAddress getRemoteAddress() throws IOException {
        checkOpen();
        // Also of a connection that is pending: programs name the host of the certificate by it.
        return connection.remoteAddress();
    }

    @Override
    public SocketAddress getLocalAddress() throws IOException {
        checkOpen();
        return connection.localAddress();
    }

    // Options.

    @Override
    public <T> SocketChannel setOption(SocketOption<T> option, T value) throws IOException {
        options.check(option, value);
        checkOpen();
        options.set(plain(), option, value);
        return this;
    }

    @Override
    public <T> T getOption(SocketOption<T> option) throws IOException {
        options.check(option);
        checkOpen();
        return options.get(plain(), option);
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

    /** An operation that may wait begins: an interrupt closes the channel. */
    void beginWait() {
        begin();
    }

    /** @param completed whether it has succeeded, even if the channel was closed meanwhile */
    void endWait(boolean completed) throws AsynchronousCloseException {
        end(completed);
    }

    @Override
    public int read(ByteBuffer into) throws IOException {
        return bytes.read(into, Verbs.FOREVER);
    }

    /** @param timeout of a channel in blocking mode */
    int read(ByteBuffer into, Duration timeout) throws IOException {
        return bytes.read(into, timeout);
    }

    @Override
    public long read(ByteBuffer[] into, int offset, int length) throws IOException {
        return bytes.read(into, offset, length);
    }

    @Override
    public int write(ByteBuffer from) throws IOException {
        return bytes.write(from);
    }

    @Override
    public long write(ByteBuffer[] from, int offset, int length) throws IOException {
        return bytes.write(from, offset, length);
    }

    /** Writes all bytes of a channel in blocking mode, or fails. */
    void writeWhole(ByteBuffer from) throws IOException {
        bytes.writeWhole(from);
    }

    // The end.

    @Override
    public SocketChannel shutdownInput() throws IOException {
        checkConnected();
        inputShut = true;
        StreamLink known = link();
        if (known == null) {
            plain().shutdownInput();
        } else {
            known.wakeup();
            changed();
        }
        return this;
    }

    @Override
    public SocketChannel shutdownOutput() throws IOException {
        checkConnected();
        outputShut = true;
        StreamLink known = link();
        if (known == null) {
            plain().shutdownOutput();
        } else {
            known.shutdownOutput();
            changed();
        }
        return this;
    }

    /** {@return how many bytes can be read at once} */
    int available() throws IOException {
        checkConnected();
        StreamLink link = link();
        if (inputShut) {
            return 0;
        }
        return link == null ? plain().socket().getInputStream().available() : link.available();
    }

    /** {@return its own address, also after the end; {@code null} if it never had one} */
    InetSocketAddress lastLocal() {
        return connection.localAddress();
    }

    /** {@return the address of the peer, also after the end} */
    InetSocketAddress lastRemote() {
        return connection.remoteAddress();
    }

    boolean isInputShut() {
        return inputShut;
    }

    boolean isOutputShut() {
        return outputShut;
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
        if (lastLocal() != null) {
            text.append(" local=").append(lastLocal());
        }
        if (lastRemote() != null) {
            text.append(" remote=").append(lastRemote());
        }
        return text.append(link() == null ? "]" : " over verbs]").toString();
    }
}
