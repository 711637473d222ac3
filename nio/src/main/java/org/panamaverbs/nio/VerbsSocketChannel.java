package org.panamaverbs.nio;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.net.SocketTimeoutException;
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
import org.panamaverbs.cm.Route;

/**
 * A socket channel. A channel of the JDK carries it until it connects to an address that goes over verbs; from then on a
 * {@link StreamLink} does, or another channel of the JDK if the peer does not accept verbs.
 */
// Tested by ChannelRulesTest.
final class VerbsSocketChannel extends SocketChannel implements SelectedChannel {
    /** How long a peer may take to begin a stream, if TCP is the alternative; */
    private static final Duration SHORT_BEGINNING = Duration.ofSeconds(5);
    /** and if there is none. */
    private static final Duration LONG_BEGINNING = Duration.ofSeconds(60);

    private final VerbsSelectorProvider provider;
    private final OptionValues options;
    private final List<VerbsSelectionKey> keys = new CopyOnWriteArrayList<>();
    private final ChannelBytes bytes = new ChannelBytes(this);
    private final ChannelSocket socket = new ChannelSocket(this);
    /** The channel that carries it, unless it goes over verbs. */
    private volatile SocketChannel plain;
    /** {@code null} if it does not go over verbs. */
    private volatile StreamLink link;
    private volatile InetSocketAddress local;
    private volatile InetSocketAddress remote;
    /** Why the peer does not accept verbs; {@code null} if it does, or was not asked. */
    private volatile String refusal;
    private volatile boolean connected;
    private volatile boolean inputShut;
    private volatile boolean outputShut;

    /** One that is not connected. */
    VerbsSocketChannel(VerbsSelectorProvider provider, SocketChannel plain) throws IOException {
        super(provider);
        this.provider = provider;
        this.plain = plain;
        options = provider.socketOptions();
        if (plain.isConnected()) {
            remote = (InetSocketAddress) plain.getRemoteAddress();
            connected = true;
            verbs().countConnection(false);
        }
    }

    /** One that a server has accepted over verbs. */
    VerbsSocketChannel(VerbsSelectorProvider provider, ConnectionRequest request, OptionValues options) {
        super(provider);
        this.provider = provider;
        this.options = options;
        local = request.localAddress();
        remote = request.remoteAddress();
        connected = true;
        verbs().countConnection(true);
        link = new StreamLink(verbs(), this::changed);
        link.accept(request, SHORT_BEGINNING.plusSeconds(5), options.forStream());
    }

    NioVerbs verbs() {
        return provider.verbs();
    }

    /** {@return its stream, or {@code null} if it does not go over verbs} */
    StreamLink link() {
        return link;
    }

    /** The channel of the JDK that carries it, or {@code null}. */
    SocketChannel plain() {
        return plain;
    }

    void checkOpen() throws ClosedChannelException {
        if (!isOpen()) {
            throw new ClosedChannelException();
        }
    }

    void checkConnected() throws ClosedChannelException {
        checkOpen();
        if (!connected) {
            throw new NotYetConnectedException();
        }
    }

    /** The stream has changed. */
    private void changed() {
        StreamLink known = link;
        for (VerbsSelectionKey key : keys) {
            key.selector().changed(key, known == null ? null : known.loop());
        }
    }

    // Selection.

    @Override
    public void registered(VerbsSelectionKey key) {
        keys.add(key);
        StreamLink known = link;
        if (known != null) {
            known.chooseFor(key.selector());
        } else if (connected || plain.isConnectionPending()) {
            carryBy(plain, List.of(key));
        }
    }

    private static void carryBy(SocketChannel carrier, List<VerbsSelectionKey> keys) {
        try {
            for (VerbsSelectionKey key : keys) {
                key.carryBy(carrier);
            }
        } catch (IOException e) {
            // The carrier was closed, and with it the channel.
        }
    }

    @Override
    public void deregistered(VerbsSelectionKey key) {
        keys.remove(key);
    }

    @Override
    public int readyOps() {
        StreamLink known = link;
        if (!connected) {
            return isSettled() ? SelectionKey.OP_CONNECT : 0;
        }
        if (known == null) {
            return 0;
        }
        return (canRead() ? SelectionKey.OP_READ : 0) | (canWrite() ? SelectionKey.OP_WRITE : 0);
    }

    boolean canRead() {
        StreamLink known = link;
        return !isOpen() || inputShut || known == null || known.canRead();
    }

    boolean canWrite() {
        StreamLink known = link;
        return !isOpen() || outputShut || known == null || known.canWrite();
    }

    @Override
    protected void implConfigureBlocking(boolean block) throws IOException {
        for (VerbsSelectionKey key : keys) {
            if (!key.isValid()) {
                key.carryNoMore();
            }
        }
        SocketChannel known = plain;
        if (known != null) {
            known.configureBlocking(block);
        }
    }

    // Connecting.

    @Override
    public SocketChannel bind(SocketAddress address) throws IOException {
        SocketChannel known = plain;
        if (known == null) {
            checkOpen();
            throw link == null || connected ? new AlreadyBoundException() : new ConnectionPendingException();
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
            if (connected) {
                throw new AlreadyConnectedException();
            }
            if (isConnectionPending()) {
                throw new ConnectionPendingException();
            }
            InetSocketAddress peer = checked(address);
            remote = peer;
            if (!verbs().carry(peer)) {
                return connectPlain(timeout);
            }
            connectOverVerbs(peer);
            return isBlocking() && awaitConnected(timeout);
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

    private void connectOverVerbs(InetSocketAddress peer) throws IOException {
        local = (InetSocketAddress) plain.getLocalAddress();
        Route route = route(peer);
        StreamLink made = new StreamLink(verbs(), this::changed);
        link = made;
        SocketChannel last = plain;
        plain = null;
        // Its port becomes free for the stream.
        last.close();
        made.connect(route, verbs().fallsBack() ? SHORT_BEGINNING : LONG_BEGINNING, options.forStream());
        for (VerbsSelectionKey key : keys) {
            made.chooseFor(key.selector());
        }
    }

    private Route route(InetSocketAddress peer) throws IOException {
        Route route = Route.to(peer).withTypeOfService(options.typeOfService());
        if (local == null) {
            return route;
        }
        try {
            return route.from(local.getAddress().isAnyLocalAddress() ? anyLike(peer, local.getPort()) : local);
        } catch (IllegalArgumentException e) {
            // The families differ.
            close();
            throw new NoRouteToHostException(e.getMessage());
        }
    }

    private static InetSocketAddress anyLike(InetSocketAddress peer, int port) throws IOException {
        return new InetSocketAddress(InetAddress.getByAddress(new byte[peer.getAddress().getAddress().length]), port);
    }

    private boolean connectPlain(Duration timeout) throws IOException {
        SocketChannel known = plain;
        try {
            if (isBlocking() && timeout.compareTo(Verbs.FOREVER) < 0) {
                known.socket().connect(remote, (int) Math.min(Integer.MAX_VALUE, Math.max(1, timeout.toMillis())));
                plainConnected();
            } else if (known.connect(remote)) {
                plainConnected();
            }
        } catch (IOException e) {
            close();
            throw e;
        }
        if (!isBlocking()) {
            carryBy(known, keys);
        }
        return connected;
    }

    private void plainConnected() {
        connected = true;
        verbs().countConnection(false);
        if (refusal != null) {
            verbs().fellBack(remote, refusal);
        }
    }

    /** {@return whether it is connected} Waits for that. */
    private boolean awaitConnected(Duration timeout) throws IOException {
        boolean done = false;
        begin();
        try {
            while (isOpen() && link != null && !link.isSettled()) {
                if (!link.awaitSettled(timeout)) {
                    close();
                    throw new SocketTimeoutException("Connect timed out: " + remote + " did not answer within " + timeout);
                }
                if (Thread.currentThread().isInterrupted()) {
                    break;
                }
            }
            done = link != null && link.isSettled();
        } finally {
            end(done);
        }
        return finish();
    }

    /** {@return whether a pending connection has come to its end, or would not wait for it} A peer that does not accept verbs gets TCP. */
    private boolean isSettled() {
        StreamLink known = link;
        if (known == null) {
            SocketChannel carrier = plain;
            return carrier != null && carrier.isConnected();
        }
        if (!known.isSettled()) {
            return false;
        }
        if (!fallsBack(known)) {
            return true;
        }
        try {
            fallBack(known);
            return plain.isConnected();
        } catch (IOException e) {
            // finish() says it.
            return true;
        }
    }

    private boolean fallsBack(StreamLink known) {
        return known.problem() != null && verbs().fallsBack() && known.mayAcceptTcp();
    }

    private synchronized void fallBack(StreamLink failed) throws IOException {
        if (link != failed || !isOpen()) {
            return;
        }
        SocketChannel carrier = provider.jdk().openSocketChannel();
        try {
            options.copyTo(carrier);
            if (local != null) {
                carrier.bind(local);
            }
            carrier.configureBlocking(false);
            carrier.connect(remote);
            carrier.configureBlocking(isBlocking());
        } catch (IOException e) {
            carrier.close();
            throw e;
        }
        refusal = failed.problem().getMessage();
        plain = carrier;
        link = null;
        failed.close(true);
        if (!isOpen()) {
            carrier.close();
        } else if (!isBlocking()) {
            carryBy(carrier, keys);
        }
    }

    /** {@return whether it is connected; if it has failed, it is closed} */
    private boolean finish() throws IOException {
        StreamLink known = link;
        IOException problem = known == null ? null : known.problem();
        if (known != null && fallsBack(known)) {
            try {
                fallBack(known);
            } catch (IOException e) {
                close();
                throw e;
            }
            known = link;
        }
        if (known == null) {
            return finishPlain();
        }
        if (problem != null) {
            close();
            throw StreamLink.asOfTcp(problem);
        }
        connected = true;
        local = known.localAddress();
        verbs().countConnection(true);
        changed();
        return true;
    }

    private boolean finishPlain() throws IOException {
        SocketChannel carrier = plain;
        try {
            if (carrier.isConnected() || carrier.finishConnect()) {
                plainConnected();
            }
            return connected;
        } catch (IOException e) {
            close();
            throw e;
        }
    }

    @Override
    public boolean finishConnect() throws IOException {
        bytes.lock();
        try {
            checkOpen();
            if (connected) {
                return true;
            }
            if (!isConnectionPending()) {
                throw new NoConnectionPendingException();
            }
            if (link == null) {
                return finishPlain();
            }
            if (isBlocking()) {
                return awaitConnected(Verbs.FOREVER);
            }
            return link.isSettled() && finish();
        } finally {
            bytes.unlock();
        }
    }

    @Override
    public boolean isConnected() {
        return connected;
    }

    @Override
    public boolean isConnectionPending() {
        SocketChannel known = plain;
        return !connected && isOpen() && (link != null || known != null && (known.isConnectionPending() || known.isConnected()));
    }

    @Override
    public SocketAddress getRemoteAddress() throws IOException {
        checkOpen();
        // Also of a connection that is pending: programs name the host of the certificate by it.
        return remote;
    }

    @Override
    public SocketAddress getLocalAddress() throws IOException {
        checkOpen();
        SocketChannel known = plain;
        return known == null ? local : known.getLocalAddress();
    }

    // Options.

    @Override
    public <T> SocketChannel setOption(SocketOption<T> option, T value) throws IOException {
        Objects.requireNonNull(option);
        checkOpen();
        SocketChannel known = plain;
        if (known != null) {
            known.setOption(option, value);
        }
        options.set(option, value);
        return this;
    }

    @Override
    public <T> T getOption(SocketOption<T> option) throws IOException {
        Objects.requireNonNull(option);
        checkOpen();
        SocketChannel known = plain;
        return known == null ? options.get(option) : known.getOption(option);
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
        StreamLink known = link;
        if (known == null) {
            plain.shutdownInput();
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
        StreamLink known = link;
        if (known == null) {
            plain.shutdownOutput();
        } else {
            known.shutdownOutput();
            changed();
        }
        return this;
    }

    /** {@return the address of the peer, also after the end} */
    InetSocketAddress lastRemote() {
        return remote;
    }

    boolean isInputShut() {
        return inputShut;
    }

    boolean isOutputShut() {
        return outputShut;
    }

    @Override
    protected void implCloseSelectableChannel() throws IOException {
        SocketChannel carrier;
        StreamLink known;
        synchronized (this) {
            carrier = plain;
            known = link;
        }
        if (carrier != null) {
            carrier.close();
        }
        if (known != null) {
            known.close(!connected || options.linger() == 0);
            known.wakeup();
        }
    }

    @Override
    public String toString() {
        return "SocketChannel[" + (!isOpen() ? "closed"
                : (connected ? "connected" : isConnectionPending() ? "connection-pending" : "unconnected") + " remote=" + remote
                        + (link == null ? "" : " over verbs"))
                + "]";
    }
}
