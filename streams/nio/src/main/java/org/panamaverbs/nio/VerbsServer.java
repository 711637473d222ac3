package org.panamaverbs.nio;

import java.io.IOException;
import java.net.BindException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProtocolFamily;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.panamaverbs.Verbs;
import org.panamaverbs.VerbsException;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.cm.Listener;
import org.panamaverbs.spi.support.Complaints;
import org.panamaverbs.spi.support.Waits;
import org.panamaverbs.spi.support.Workers;

/** A listener of verbs carries a server's channel. A thread takes its peers, whose streams begin at once. */
// Tested by ConnectRulesTest, ListenRulesTest.
final class VerbsServer implements ServerCarrier {
    /** In the queue: the listener has ended. */
    private static final Object END = new Object();

    /** The pause after a failure of this side. */
    private static final long REST_NANOS = 1_000_000;

    private final ServerSocketChannel channel;
    private final ChannelKeys keys;
    private final Resources resources;
    /** {@code INET} for IPv4 alone. */
    private final ProtocolFamily family;
    /** Of the channels that it accepts. */
    private final OptionValues options;
    private final Listener listener;
    private final InetSocketAddress local;
    private final Semaphore places;
    /** Peers that have not been accepted by the program yet. */
    private final BlockingQueue<Object> peers = new LinkedBlockingQueue<>();
    private final Complaints.Message takingFailed;
    private final Complaints.Message ended;

    /** Listens, and starts to take peers. */
    VerbsServer(ServerSocketChannel channel, ChannelKeys keys, Resources resources, ProtocolFamily family, OptionValues options,
            InetSocketAddress address, int backlog) throws IOException {
        this.channel = channel;
        this.keys = keys;
        this.resources = resources;
        this.family = family;
        this.options = options;
        places = new Semaphore(backlog);
        takingFailed = resources.verbs().complaints().message("the server channel at {} could not take a peer");
        ended = resources.verbs().complaints().message("the server channel at {} accepts no more peers");
        try {
            listener = resources.verbs().connections().listen(address, backlog);
        } catch (VerbsException e) {
            BindException failure = new BindException(e.getMessage());
            failure.initCause(e);
            throw failure;
        }
        InetSocketAddress bound = listener.address();
        // A server on all addresses is reported as one of IPv6, as the JDK's is, unless the program wants IPv4 alone.
        local = !bound.getAddress().isAnyLocalAddress() ? bound : new InetSocketAddress(
                InetAddress.getByAddress(new byte[family == StandardProtocolFamily.INET ? 4 : 16]), bound.getPort());
        try {
            Workers.start("nio-accept-" + bound.getPort(), this::take);
        } catch (VerbsException | OutOfMemoryError e) {
            listener.close();
            throw e;
        }
    }

    @Override
    public InetSocketAddress localAddress() {
        return local;
    }

    private void take() {
        boolean goesOn = true;
        while (goesOn) {
            places.acquireUninterruptibly();
            try {
                goesOn = takeNext();
            } catch (RuntimeException | Error e) {
                // Memory is lacking for this peer: for the next there may be some.
                places.release();
                takingFailed.error(local, e);
                LockSupport.parkNanos(REST_NANOS);
            }
        }
    }

    /** {@return whether further peers may come} A peer's stream begins at once: as over TCP, a peer is connected before it is accepted. */
    private boolean takeNext() {
        ConnectionRequest request;
        try {
            request = listener.awaitRequest(Verbs.FOREVER);
        } catch (VerbsException e) {
            peers.add(END);
            tell();
            if (channel.isOpen()) {
                ended.error(local, e);
            }
            return false;
        }
        if (family == StandardProtocolFamily.INET && !(request.remoteAddress().getAddress() instanceof Inet4Address)) {
            // A listener of verbs on all addresses has those of both families.
            request.close();
            places.release();
            return true;
        }
        try {
            peers.add(new VerbsSocketChannel(resources, request, options.copy()));
        } catch (VerbsException | OutOfMemoryError e) {
            request.close();
            throw e;
        }
        tell();
        if (!channel.isOpen()) {
            drop();
        }
        return true;
    }

    /** The selectors must learn of it: without memory, some time later. */
    private void tell() {
        while (true) {
            try {
                keys.changed();
                return;
            } catch (OutOfMemoryError e) {
                LockSupport.parkNanos(REST_NANOS);
            }
        }
    }

    private void drop() {
        for (Object next = peers.poll(); next != null; next = peers.poll()) {
            if (next instanceof VerbsSocketChannel peer) {
                places.release();
                try {
                    peer.close();
                } catch (IOException e) {
                    resources.verbs().complaints().error("a peer of {} was not closed", local, e);
                }
            }
        }
        // A thread that waits ends.
        peers.add(END);
    }

    @Override
    public @Nullable SocketChannel accept() throws IOException {
        Object next = peers.poll();
        return next == null ? null : accepted(next);
    }

    @Override
    public SocketChannel accept(Duration timeout) throws IOException {
        try {
            Object next = peers.poll(Waits.nanos(timeout), TimeUnit.NANOSECONDS);
            if (next == null) {
                throw new SocketTimeoutException("Accept timed out");
            }
            return accepted(next);
        } catch (InterruptedException e) {
            // It closes the channel, and the end of the call says so.
            Thread.currentThread().interrupt();
            throw new ClosedChannelException();
        }
    }

    private SocketChannel accepted(Object next) throws IOException {
        if (next instanceof VerbsSocketChannel peer) {
            places.release();
            return peer;
        }
        peers.add(END);
        if (!channel.isOpen()) {
            throw new ClosedChannelException();
        }
        // Else a program that goes on would find it ready again and again.
        channel.close();
        throw new IOException("the listener at " + local + " has ended: its device has failed, as the log says");
    }

    @Override
    public boolean hasPeer() {
        return !peers.isEmpty();
    }

    @Override
    public void close() {
        listener.close();
        drop();
    }
}
