package org.panamaverbs.nio;

import java.io.IOException;
import java.net.BindException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProtocolFamily;
import java.net.ServerSocket;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.UnknownHostException;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NotYetBoundException;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.panamaverbs.Verbs;
import org.panamaverbs.VerbsException;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.cm.Listener;
import org.panamaverbs.spi.support.Complaints;
import org.panamaverbs.spi.support.Waits;
import org.panamaverbs.spi.support.Workers;

/** A server's channel. A channel of the JDK carries it until it is bound to an address that goes over verbs; from then on a listener does. */
// Tested by ConnectRulesTest.
final class VerbsServerSocketChannel extends ServerSocketChannel implements SelectedChannel {
    private static final int USUAL_BACKLOG = 50;
    /** In the queue: the listener has ended. */
    private static final Object END = new Object();

    /** The pause after a failure of this side. */
    private static final long REST_NANOS = 1_000_000;

    private final VerbsSelectorProvider provider;
    private final Complaints.Message takingFailed;
    private final Complaints.Message ended;
    private final OptionValues options;
    /** {@code INET} for IPv4 alone. */
    private final ProtocolFamily family;
    private final ReentrantLock acceptLock = new ReentrantLock();
    private final List<VerbsSelectionKey> keys = new CopyOnWriteArrayList<>();
    private final ChannelServerSocket socket;
    /** Peers that have not been accepted by the program yet. */
    private final BlockingQueue<Object> peers = new LinkedBlockingQueue<>();
    /** The channel that carries it, unless it goes over verbs. */
    private volatile ServerSocketChannel plain;
    private volatile Listener listener;
    private volatile InetSocketAddress local;

    VerbsServerSocketChannel(VerbsSelectorProvider provider, ServerSocketChannel plain, ProtocolFamily family) throws IOException {
        super(provider);
        this.provider = provider;
        this.plain = plain;
        this.family = family;
        takingFailed = provider.verbs().complaints().message("the server channel at {} could not take a peer");
        ended = provider.verbs().complaints().message("the server channel at {} accepts no more peers");
        options = provider.serverOptions();
        socket = new ChannelServerSocket(this);
    }

    private void checkOpen() throws ClosedChannelException {
        if (!isOpen()) {
            throw new ClosedChannelException();
        }
    }

    @Override
    public ServerSocketChannel bind(SocketAddress address, int backlog) throws IOException {
        checkOpen();
        ServerSocketChannel carrier = plain;
        if (carrier == null) {
            throw new AlreadyBoundException();
        }
        if ((address == null ? new InetSocketAddress(0) : address) instanceof InetSocketAddress wanted && isOfFamily(wanted)
                && provider.verbs().carry(wanted) && carrier.getLocalAddress() == null) {
            listen(carrier, wanted, backlog < 1 ? USUAL_BACKLOG : backlog);
        } else {
            carrier.bind(address, backlog);
            for (VerbsSelectionKey key : keys) {
                key.carryBy(carrier);
            }
        }
        return this;
    }

    /** Else the JDK's channel says what is wrong. */
    private boolean isOfFamily(InetSocketAddress address) {
        return family != StandardProtocolFamily.INET || address.getAddress() instanceof Inet4Address;
    }

    private synchronized void listen(ServerSocketChannel carrier, InetSocketAddress wanted, int backlog) throws IOException {
        Listener made;
        try {
            made = provider.verbs().connections().listen(wanted, backlog);
        } catch (VerbsException e) {
            BindException told = new BindException(e.getMessage());
            told.initCause(e);
            throw told;
        }
        OptionValues accepted = provider.socketOptions();
        options.copyTo(accepted);
        try {
            Workers.start("nio-accept-" + made.address().getPort(), () -> take(made, new Semaphore(backlog), accepted));
        } catch (RuntimeException | Error e) {
            made.close();
            throw e;
        }
        listener = made;
        local = reported(made.address());
        plain = null;
        carrier.close();
    }

    /** A server on all addresses is reported as one of IPv6, as the JDK's is, unless the program wants IPv4 alone. */
    private InetSocketAddress reported(InetSocketAddress address) throws UnknownHostException {
        return !address.getAddress().isAnyLocalAddress() ? address : new InetSocketAddress(
                InetAddress.getByAddress(new byte[family == StandardProtocolFamily.INET ? 4 : 16]), address.getPort());
    }

    private void take(Listener listening, Semaphore places, OptionValues accepted) {
        boolean goesOn = true;
        while (goesOn) {
            places.acquireUninterruptibly();
            try {
                goesOn = takeNext(listening, places, accepted);
            } catch (RuntimeException | Error e) {
                // Memory is lacking for this peer: for the next there may be some.
                places.release();
                takingFailed.error(local, e);
                LockSupport.parkNanos(REST_NANOS);
            }
        }
    }

    /** {@return whether further peers may come} A peer's stream begins at once: as over TCP, a peer is connected before it is accepted. */
    private boolean takeNext(Listener listening, Semaphore places, OptionValues accepted) {
        ConnectionRequest request;
        try {
            request = listening.awaitRequest(Verbs.FOREVER);
        } catch (VerbsException e) {
            peers.add(END);
            changed();
            if (isOpen()) {
                ended.error(local, e);
            }
            return false;
        }
        if (!isOfFamily(request.remoteAddress())) {
            // A listener of verbs on all addresses has those of both families.
            request.close();
            places.release();
            return true;
        }
        try {
            peers.add(new Peer(new VerbsSocketChannel(provider, request, accepted.copy()), places));
        } catch (RuntimeException | Error e) {
            request.close();
            throw e;
        }
        changed();
        if (!isOpen()) {
            drop();
        }
        return true;
    }

    /** One that waits to be accepted. */
    private record Peer(VerbsSocketChannel channel, Semaphore places) {
    }

    private void drop() {
        for (Object next = peers.poll(); next != null; next = peers.poll()) {
            if (next instanceof Peer peer) {
                peer.places.release();
                try {
                    peer.channel.close();
                } catch (IOException e) {
                    provider.verbs().complaints().error("a peer of {} was not closed", local, e);
                }
            }
        }
        // A thread that waits ends.
        peers.add(END);
    }

    @Override
    public SocketChannel accept() throws IOException {
        return accept(Verbs.FOREVER);
    }

    /** @param timeout of a channel in blocking mode */
    SocketChannel accept(Duration timeout) throws IOException {
        acceptLock.lock();
        try {
            checkOpen();
            if (!isBlocking()) {
                checkBound();
                ServerSocketChannel carrier = plain;
                return carrier == null ? accepted(peers.poll()) : acceptedPlain(carrier.accept());
            }
            SocketChannel peer = null;
            begin();
            try {
                checkOpen();
                checkBound();
                ServerSocketChannel carrier = plain;
                peer = carrier == null ? accepted(awaitPeer(timeout)) : acceptPlain(carrier, timeout);
            } finally {
                end(peer != null);
            }
            return peer;
        } finally {
            acceptLock.unlock();
        }
    }

    private void checkBound() {
        if (address() == null) {
            throw new NotYetBoundException();
        }
    }

    private Object awaitPeer(Duration timeout) throws IOException {
        try {
            Object next = peers.poll(Waits.nanos(timeout), TimeUnit.NANOSECONDS);
            if (next == null) {
                throw new SocketTimeoutException("Accept timed out");
            }
            return next;
        } catch (InterruptedException e) {
            // It closes the channel, and the end of the call says so.
            Thread.currentThread().interrupt();
            throw new ClosedChannelException();
        }
    }

    private SocketChannel accepted(Object next) throws IOException {
        if (next instanceof Peer peer) {
            peer.places.release();
            return peer.channel;
        }
        if (next == END) {
            peers.add(END);
            checkOpen();
            // Else a program that goes on would find it ready again and again.
            close();
            throw new IOException("the listener at " + local + " has ended: its device has failed, as the log says");
        }
        return null;
    }

    private SocketChannel acceptPlain(ServerSocketChannel carrier, Duration timeout) throws IOException {
        try {
            if (timeout.compareTo(Verbs.FOREVER) < 0) {
                carrier.socket().setSoTimeout((int) Math.min(Integer.MAX_VALUE, Math.max(1, timeout.toMillis())));
                return acceptedPlain(carrier.socket().accept().getChannel());
            }
            return acceptedPlain(carrier.accept());
        } finally {
            if (!carrier.isOpen()) {
                close();
            }
        }
    }

    private SocketChannel acceptedPlain(SocketChannel peer) throws IOException {
        return peer == null ? null : new VerbsSocketChannel(provider, peer, family);
    }

    private void changed() {
        for (VerbsSelectionKey key : keys) {
            key.selector().changed(key, null);
        }
    }

    @Override
    public void registered(VerbsSelectionKey key) {
        keys.add(key);
        ServerSocketChannel carrier = plain;
        try {
            if (carrier != null && carrier.getLocalAddress() != null) {
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
        return peers.isEmpty() ? 0 : SelectionKey.OP_ACCEPT;
    }

    @Override
    public SocketAddress getLocalAddress() throws IOException {
        checkOpen();
        ServerSocketChannel carrier = plain;
        return carrier == null ? local : carrier.getLocalAddress();
    }

    @Override
    public <T> ServerSocketChannel setOption(SocketOption<T> option, T value) throws IOException {
        options.check(option, value);
        checkOpen();
        options.set(plain, option, value);
        return this;
    }

    @Override
    public <T> T getOption(SocketOption<T> option) throws IOException {
        options.check(option);
        checkOpen();
        return options.get(plain, option);
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
            ServerSocketChannel carrier = plain;
            if (carrier != null) {
                carrier.configureBlocking(block);
            }
        } finally {
            acceptLock.unlock();
        }
    }

    @Override
    protected void implCloseSelectableChannel() throws IOException {
        ServerSocketChannel carrier;
        Listener last;
        synchronized (this) {
            carrier = plain;
            last = listener;
        }
        if (carrier != null) {
            local = (InetSocketAddress) carrier.getLocalAddress();
            carrier.close();
        }
        if (last != null) {
            last.close();
            drop();
        }
    }

    /** {@return the address that it is bound to; {@code null} before} */
    InetSocketAddress address() {
        try {
            return isOpen() ? (InetSocketAddress) getLocalAddress() : local;
        } catch (IOException e) {
            return local;
        }
    }

    @Override
    public String toString() {
        return "ServerSocketChannel[" + (!isOpen() ? "closed" : address() == null ? "unbound" : address()) + "]";
    }
}
