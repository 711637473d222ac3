package org.panamaverbs.nio;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.nio.ByteBuffer;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ConnectionPendingException;
import java.nio.channels.NoConnectionPendingException;
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
    private final ChannelBytes bytes = new ChannelBytes(this);
    private final ChannelSocket socket = new ChannelSocket(this);
    private volatile boolean inputShut;
    private volatile boolean outputShut;

    /** One that is not connected, or one of TCP that a server has accepted. */
    VerbsSocketChannel(VerbsSelectorProvider provider, SocketChannel plain) throws IOException {
        super(provider);
        this.provider = provider;
        options = provider.socketOptions();
        connection = new ChannelConnection(this, provider, options);
        connection.begin(plain);
    }

    /** One that a server has accepted over verbs. */
    VerbsSocketChannel(VerbsSelectorProvider provider, ConnectionRequest request, OptionValues options) {
        super(provider);
        this.provider = provider;
        this.options = options;
        connection = new ChannelConnection(this, provider, options);
        connection.begin(request);
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
        for (VerbsSelectionKey key : keys) {
            if (!key.isValid()) {
                key.carryNoMore();
            }
        }
        SocketChannel known = plain();
        if (known != null) {
            known.configureBlocking(block);
        }
    }

    // Connecting.

    @Override
    public SocketChannel bind(SocketAddress address) throws IOException {
        SocketChannel known = plain();
        if (known == null) {
            checkOpen();
            throw link() == null || isConnected() ? new AlreadyBoundException() : new ConnectionPendingException();
        }
        known.bind(address);
        return this;
    }

    @Override
    public boolean connect(SocketAddress address) throws IOException {
        return connect(address, Verbs.FOREVER);
    }

    /** @param timeout of a channel in blocking mode */
    boolean connect(SocketAddress address, Duration timeout) throws IOException {
        Objects.requireNonNull(address);
        bytes.lock();
        try {
            checkOpen();
            if (isConnected()) {
                throw new AlreadyConnectedException();
            }
            if (isConnectionPending()) {
                throw new ConnectionPendingException();
            }
            return connection.connect(checked(address), timeout);
        } finally {
            bytes.unlock();
        }
    }

    private static InetSocketAddress checked(SocketAddress address) throws IOException {
        if (!(address instanceof InetSocketAddress peer)) {
            throw new UnsupportedAddressTypeException();
        }
        if (peer.isUnresolved()) {
            throw new UnresolvedAddressException();
        }
        return peer.getAddress().isAnyLocalAddress() ? new InetSocketAddress(InetAddress.getLoopbackAddress(), peer.getPort()) : peer;
    }

    @Override
    public boolean finishConnect() throws IOException {
        bytes.lock();
        try {
            checkOpen();
            if (isConnected()) {
                return true;
            }
            if (!isConnectionPending()) {
                throw new NoConnectionPendingException();
            }
            return connection.finishConnect();
        } finally {
            bytes.unlock();
        }
    }

    @Override
    public boolean isConnected() {
        return connection.isConnected();
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
        checkOpen();
        options.set(plain(), option, value);
        return this;
    }

    @Override
    public <T> T getOption(SocketOption<T> option) throws IOException {
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
        Objects.checkFromIndexSize(offset, length, into.length);
        return bytes.read(into, offset, length);
    }

    @Override
    public int write(ByteBuffer from) throws IOException {
        return bytes.write(from);
    }

    @Override
    public long write(ByteBuffer[] from, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, from.length);
        return bytes.write(from, offset, length);
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
        return "SocketChannel[" + (!isOpen() ? "closed"
                : (isConnected() ? "connected" : isConnectionPending() ? "connection-pending" : "unconnected") + " remote="
                        + lastRemote() + (link() == null ? "" : " over verbs"))
                + "]";
    }
}
