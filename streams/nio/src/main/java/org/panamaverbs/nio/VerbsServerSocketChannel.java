package org.panamaverbs.nio;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.net.ProtocolFamily;
import java.net.ServerSocket;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.net.StandardProtocolFamily;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NotYetBoundException;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.panamaverbs.Verbs;

/** A server's channel: the calls of the program, and the keys of selectors. A {@link ServerCarrier} does the rest. */
// Tested by ConnectRulesTest.
final class VerbsServerSocketChannel extends ServingChannel implements SelectedChannel {
    private static final int USUAL_BACKLOG = 50;

    private final Resources resources;
    private final OptionValues options;
    private final ProtocolFamily family;
    private final ReentrantLock acceptLock = new ReentrantLock();
    private final ChannelKeys keys = new ChannelKeys();
    private final ChannelServerSocket socket;
    private volatile ServerCarrier carrier;
    /** The address at the close. */
    private volatile @Nullable InetSocketAddress last;

    /** @param family {@code INET} for IPv4 alone */
    VerbsServerSocketChannel(Resources resources, ServerSocketChannel plain, ProtocolFamily family) throws IOException {
        super(resources);
        this.resources = resources;
        this.family = family;
        options = resources.serverOptions().copy();
        socket = new ChannelServerSocket(this);
        carrier = new JdkServer(this, resources, plain, family);
    }

    private void checkOpen() throws ClosedChannelException {
        if (!isOpen()) {
            throw new ClosedChannelException();
        }
    }

    @Override
    public ServerSocketChannel bind(@Nullable SocketAddress address, int backlog) throws IOException {
        checkOpen();
        if (!(carrier instanceof JdkServer jdk)) {
            throw new AlreadyBoundException();
        }
        if ((address == null ? new InetSocketAddress(0) : address) instanceof InetSocketAddress named && isOfFamily(named)
                && resources.verbs().carry(named) && jdk.localAddress() == null) {
            listen(jdk, named, backlog < 1 ? USUAL_BACKLOG : backlog);
        } else {
            jdk.plain().bind(address, backlog);
            keys.carryBy(jdk.plain());
        }
        return this;
    }

    /** Else the JDK's channel says what is wrong. */
    private boolean isOfFamily(InetSocketAddress address) {
        return family != StandardProtocolFamily.INET || address.getAddress() instanceof Inet4Address;
    }

    private synchronized void listen(JdkServer jdk, InetSocketAddress address, int backlog) throws IOException {
        if (carrier != jdk) {
            throw new AlreadyBoundException();
        }
        OptionValues accepted = resources.socketOptions().copy();
        options.copyTo(accepted);
        VerbsServer server = new VerbsServer(this, keys, resources, family, accepted, address, backlog);
        carrier = server;
        jdk.close();
        if (!isOpen()) {
            server.close();
        }
        // A peer may have come before.
        keys.changed();
    }

    @Override
    public @Nullable SocketChannel accept() throws IOException {
        return accept(Verbs.FOREVER);
    }

    @Override
    @Nullable
    SocketChannel accept(Duration timeout) throws IOException {
        acceptLock.lock();
        try {
            checkOpen();
            if (!isBlocking()) {
                checkBound();
                return carrier.accept();
            }
            SocketChannel peer = null;
            begin();
            try {
                checkOpen();
                checkBound();
                peer = carrier.accept(timeout);
            } finally {
                end(peer != null);
            }
            return peer;
        } finally {
            acceptLock.unlock();
        }
    }

    private void checkBound() throws ClosedChannelException {
        if (localAddress() == null) {
            // A close that goes on has taken the address away.
            checkOpen();
            throw new NotYetBoundException();
        }
    }

    @Override
    public void registered(VerbsSelectionKey key) {
        keys.add(key);
        if (carrier instanceof JdkServer jdk && jdk.localAddress() != null) {
            key.carryBy(jdk.plain());
        }
    }

    @Override
    public void deregistered(VerbsSelectionKey key) {
        keys.remove(key);
    }

    @Override
    public int readyOps() {
        return carrier.hasPeer() ? SelectionKey.OP_ACCEPT : 0;
    }

    @Override
    public @Nullable SocketAddress getLocalAddress() throws IOException {
        checkOpen();
        return localAddress();
    }

    @Override
    @Nullable
    InetSocketAddress localAddress() {
        return isOpen() ? carrier.localAddress() : last;
    }

    @Override
    public <T> ServerSocketChannel setOption(SocketOption<T> option, T value) throws IOException {
        options.check(option, value);
        checkOpen();
        if (carrier instanceof JdkServer jdk) {
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
        return carrier instanceof JdkServer jdk ? jdk.plain().getOption(option) : options.get(option);
    }

    @Override
    public Set<SocketOption<?>> supportedOptions() {
        return options.supported();
    }

    @Override
    public ServerSocket socket() {
        return socket;
    }

    @Override
    protected void implConfigureBlocking(boolean block) throws IOException {
        acceptLock.lock();
        try {
            checkOpen();
            if (carrier instanceof JdkServer jdk) {
                jdk.plain().configureBlocking(block);
            }
        } finally {
            acceptLock.unlock();
        }
    }

    @Override
    protected void implCloseSelectableChannel() throws IOException {
        ServerCarrier current;
        synchronized (this) {
            current = carrier;
        }
        last = current.localAddress();
        current.close();
    }

    @Override
    public String toString() {
        return "ServerSocketChannel[" + (!isOpen() ? "closed" : localAddress() == null ? "unbound" : localAddress()) + "]";
    }
}
