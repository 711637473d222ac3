package org.panamaverbs.netty;

import io.netty.channel.ChannelPromise;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketAddress;
import java.net.SocketException;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ConnectionPendingException;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.panamaverbs.Verbs;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.cm.Route;
import org.panamaverbs.netty.ChannelState.Event;
import org.panamaverbs.sockets.ByteStream;
import org.panamaverbs.sockets.StreamListener;
import org.panamaverbs.sockets.StreamLoop;
import org.panamaverbs.statistics.QueuePairStatistics;

/** The state of a channel, with the stream that it belongs to. The event loop writes it, and any thread reads it. */
// Tested by ChannelStateTest, NettySuiteTest, TranscriptTest.
final class ChannelLife {
    /** Longer than Netty's limit, so that ConnectTimeoutException comes first. */
    private static final long LATER_MILLIS = 1_000;
    /** How long a peer that was accepted may take to begin. */
    private static final Duration BEGINNING = Duration.ofSeconds(10);

    private final VerbsChannelConfig config;
    private volatile ChannelState state = ChannelState.NEW;
    /** {@code null} while the channel is new. */
    private volatile @Nullable ByteStream stream;
    /** The addresses that the program has asked for; {@code null} before. */
    private volatile @Nullable InetSocketAddress local;
    private volatile @Nullable InetSocketAddress remote;
    /** Waits for the stream while the state is pending. */
    private @Nullable ChannelPromise promise;

    ChannelLife(VerbsChannelConfig config) {
        this.config = config;
    }

    ChannelState state() {
        return state;
    }

    boolean isOpen() {
        return state != ChannelState.CLOSED;
    }

    boolean isActive() {
        return state == ChannelState.ACTIVE;
    }

    /** {@return the stream, which an active channel has} */
    ByteStream stream() {
        return Objects.requireNonNull(stream);
    }

    /** {@return the stream; {@code null} while the channel is new} */
    @Nullable
    ByteStream streamIfBegun() {
        return stream;
    }

    void requireActive() throws ClosedChannelException {
        if (!isOpen()) {
            throw new ClosedChannelException();
        }
        if (!isActive()) {
            throw new NotYetConnectedException();
        }
    }

    @Nullable
    InetSocketAddress localAddress() {
        ByteStream current = stream;
        InetSocketAddress address = current == null ? null : current.localAddress();
        return address == null ? local : address;
    }

    @Nullable
    InetSocketAddress remoteAddress() {
        ByteStream current = stream;
        InetSocketAddress address = current == null ? null : current.remoteAddress();
        return address == null ? remote : address;
    }

    @Nullable
    QueuePairStatistics statistics() {
        ByteStream current = stream;
        return current == null ? null : current.statistics();
    }

    void requireNotPending() {
        if (state == ChannelState.CONNECTING) {
            throw new ConnectionPendingException();
        }
    }

    static InetSocketAddress resolved(SocketAddress address) {
        if (!(address instanceof InetSocketAddress inet)) {
            throw new UnsupportedAddressTypeException();
        }
        if (inet.isUnresolved()) {
            throw new UnresolvedAddressException();
        }
        return inet;
    }

    /** The address counts when the channel connects. */
    void bind(SocketAddress requested) throws SocketException {
        requireNotPending();
        if (local != null || state != ChannelState.NEW) {
            throw new AlreadyBoundException();
        }
        InetSocketAddress address = resolved(requested);
        if (!address.getAddress().isAnyLocalAddress() && NetworkInterface.getByInetAddress(address.getAddress()) == null) {
            throw new BindException("Cannot assign requested address: no interface of this machine has " + address.getAddress());
        }
        local = address;
    }

    void connect(Supplier<StreamLoop> streams, SocketAddress to, StreamListener listener, ChannelPromise connecting) {
        InetSocketAddress address = resolved(to);
        if (state != ChannelState.NEW) {
            throw new AlreadyConnectedException();
        }
        Route route = Route.to(address);
        int millis = config.getConnectTimeoutMillis();
        remote = address;
        stream = streams.get().connect(local == null ? route : route.from(local),
                millis > 0 ? Duration.ofMillis(millis + LATER_MILLIS) : Verbs.FOREVER, config.options(), listener);
        promise = connecting;
        state = state.after(Event.CONNECT);
    }

    /** {@return whether the stream begins} Else the promise has failed. */
    boolean accept(StreamLoop streams, ConnectionRequest request, StreamListener listener, ChannelPromise registering) {
        try {
            stream = streams.accept(request, BEGINNING, config.options(), listener);
        } catch (RuntimeException | Error e) {
            request.close();
            registering.setFailure(e);
            return false;
        }
        promise = registering;
        state = state.after(Event.ACCEPT);
        return true;
    }

    /** {@return the promise that has waited for the stream} */
    ChannelPromise settle(boolean connected) {
        state = state.after(connected ? Event.ESTABLISH : Event.FAIL);
        return Objects.requireNonNull(promise);
    }

    void close() {
        ChannelState last = state;
        state = state.after(Event.CLOSE);
        if (last.isPending()) {
            Objects.requireNonNull(promise).tryFailure(new ClosedChannelException());
        }
        ByteStream current = stream;
        if (current == null) {
            return;
        }
        if (config.abortsOnClose()) {
            current.abort();
        } else {
            current.close();
        }
    }
}
