package org.panamaverbs.nio;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.net.SocketTimeoutException;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ConnectionPendingException;
import java.nio.channels.NoConnectionPendingException;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.panamaverbs.Verbs;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.cm.Route;
import org.panamaverbs.sockets.ConnectFailures;
import org.panamaverbs.spi.support.Waits;

/**
 * Carries a channel. It begins with a channel of the JDK. A connection to an address that goes over verbs has a {@link StreamLink} in its
 * place, or another channel of the JDK if the peer does not accept verbs.
 */
// Tested by ConnectRulesTest, FallBackTest.
final class ChannelConnection {
    /**
     * How long a server may take to answer before TCP is tried. A server of verbs that is busy and one of TCP that says nothing look alike for
     * so long, and TCP to a server of verbs ends in nothing.
     */
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    /** How long a server may take to answer if TCP is no alternative. */
    private static final Duration LONG_PATIENCE = Duration.ofSeconds(60);
    /** How long a client may take to finish the beginning of its stream. */
    private static final Duration ACCEPTING = Duration.ofSeconds(10);

    private enum State {
        UNCONNECTED, PENDING, CONNECTED
    }

    private final VerbsSocketChannel channel;
    private final VerbsSelectorProvider provider;
    private final OptionValues options;
    private volatile State state = State.UNCONNECTED;
    /** {@code null} if it goes over verbs. */
    private volatile SocketChannel plain;
    /** {@code null} if it does not go over verbs. */
    private volatile StreamLink link;
    private volatile InetSocketAddress local;
    private volatile InetSocketAddress remote;
    /** Why the peer does not accept verbs; {@code null} if it does, or was not asked. */
    private volatile String refusal;
    /** Why a connection over TCP in place of verbs could not begin. */
    private volatile IOException failure;

    ChannelConnection(VerbsSocketChannel channel, VerbsSelectorProvider provider, OptionValues options) {
        this.channel = channel;
        this.provider = provider;
        this.options = options;
    }

    /** It begins with a channel that is not connected, or with one that a server has accepted over TCP. */
    void begin(SocketChannel carrier) throws IOException {
        plain = carrier;
        if (carrier.isConnected()) {
            remote = (InetSocketAddress) carrier.getRemoteAddress();
            plainConnected();
        }
    }

    /** It begins with a stream that a server accepts. */
    void begin(ConnectionRequest request) {
        local = request.localAddress();
        remote = request.remoteAddress();
        state = State.CONNECTED;
        provider.verbs().countConnection(true);
        link = new StreamLink(provider.verbs(), channel::changed);
        link.accept(request, ACCEPTING, options.forStream());
    }

    /** {@return its stream, or {@code null} if it does not go over verbs} */
    StreamLink link() {
        return link;
    }

    /** {@return the channel of the JDK that carries it, or {@code null}} */
    SocketChannel plain() {
        return plain;
    }

    boolean isConnected() {
        return state == State.CONNECTED;
    }

    boolean isPending() {
        return state == State.PENDING;
    }

    /** {@return the address of the peer, also before and after the connection; {@code null} if there never was one} */
    InetSocketAddress remoteAddress() {
        return remote;
    }

    /** {@return its own address, also after the end; {@code null} if it never had one} */
    InetSocketAddress localAddress() {
        SocketChannel carrier = plain;
        try {
            return carrier == null || !carrier.isOpen() ? local : (InetSocketAddress) carrier.getLocalAddress();
        } catch (IOException e) {
            // It is closed just now.
            return local;
        }
    }

    /** The channel is registered with a selector. */
    void registered(VerbsSelectionKey key) {
        StreamLink known = link;
        SocketChannel carrier = plain;
        if (known != null) {
            known.chooseFor(key.selector());
        } else if (carrier != null && state != State.UNCONNECTED) {
            VerbsSocketChannel.carryBy(carrier, key);
        }
    }

    /** {@return whether it is connected} In blocking mode it waits for that, over verbs and then over TCP, until the time is up. */
    boolean connect(InetSocketAddress peer, Duration timeout) throws IOException {
        return waiting(() -> {
            channel.checkOpen();
            if (state != State.UNCONNECTED) {
                throw isConnected() ? new AlreadyConnectedException() : new ConnectionPendingException();
            }
            long begin = System.nanoTime();
            state = State.PENDING;
            remote = peer;
            if (!provider.verbs().carry(peer)) {
                return connectPlain(timeout, begin);
            }
            connectOverVerbs(peer);
            return channel.isBlocking() && awaitConnected(timeout, begin);
        });
    }

    /** {@return whether a pending connection is connected} In blocking mode it waits for that. */
    boolean finishConnect() throws IOException {
        return waiting(() -> {
            channel.checkOpen();
            if (state != State.PENDING) {
                throw new NoConnectionPendingException();
            }
            if (link != null && channel.isBlocking()) {
                return awaitConnected(Verbs.FOREVER, 0);
            }
            return link == null ? finishPlain() : link.isSettled() && finish(Verbs.FOREVER, 0);
        });
    }

    /** A step to the connection. */
    @FunctionalInterface
    private interface Step {
        /** {@return whether it is connected} */
        boolean take() throws IOException;
    }

    /** Takes a step, which waits in blocking mode: an interrupt closes the channel. */
    private boolean waiting(Step step) throws IOException {
        if (!channel.isBlocking()) {
            return step.take();
        }
        boolean done = false;
        channel.beginWait();
        try {
            done = step.take();
        } finally {
            channel.endWait(done);
        }
        return done;
    }

    private void connectOverVerbs(InetSocketAddress peer) throws IOException {
        local = (InetSocketAddress) plain.getLocalAddress();
        Route route = route(peer);
        StreamLink made = new StreamLink(provider.verbs(), channel::changed);
        link = made;
        SocketChannel last = plain;
        plain = null;
        // Its port becomes free for the stream.
        last.close();
        made.connect(route, provider.verbs().fallsBack() ? PATIENCE : LONG_PATIENCE, options.forStream());
        channel.chooseLoop(made);
        if (!channel.isOpen()) {
            // Its close may not have seen the link.
            made.close(true);
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
            throw new NoRouteToHostException(e.getMessage());
        }
    }

    private static InetSocketAddress anyLike(InetSocketAddress peer, int port) throws IOException {
        return new InetSocketAddress(InetAddress.getByAddress(new byte[peer.getAddress().getAddress().length]), port);
    }

    /** @param begin when the attempt began, on the clock of {@link System#nanoTime} */
    private boolean connectPlain(Duration timeout, long begin) throws IOException {
        SocketChannel carrier = plain;
        if (channel.isBlocking() && timeout.compareTo(Verbs.FOREVER) < 0) {
            long millis = TimeUnit.NANOSECONDS.toMillis(left(timeout, begin).toNanos() + 999_999);
            if (millis == 0) {
                throw timedOut();
            }
            carrier.socket().connect(remote, (int) Math.min(Integer.MAX_VALUE, millis));
            plainConnected();
        } else if (carrier.connect(remote)) {
            plainConnected();
        }
        if (!channel.isBlocking()) {
            channel.carryKeys(carrier);
        }
        return isConnected();
    }

    private static Duration left(Duration timeout, long begin) {
        if (timeout.compareTo(Verbs.FOREVER) >= 0) {
            return timeout;
        }
        return Duration.ofNanos(Math.max(0, Waits.nanos(timeout) - (System.nanoTime() - begin)));
    }

    private static SocketTimeoutException timedOut() {
        return new SocketTimeoutException("Connect timed out");
    }

    private void plainConnected() {
        state = State.CONNECTED;
        provider.verbs().countConnection(false);
        if (refusal != null) {
            provider.verbs().fellBack(remote, refusal);
        }
    }

    /** {@return whether it is connected} Waits for that. */
    private boolean awaitConnected(Duration timeout, long begin) throws IOException {
        StreamLink attempt = link;
        while (!attempt.isSettled()) {
            if (!channel.isOpen()) {
                throw new AsynchronousCloseException();
            }
            if (!attempt.awaitSettled(left(timeout, begin))) {
                throw timedOut();
            }
        }
        return finish(timeout, begin);
    }

    /** {@return whether a pending connection has come to its end, or would not wait for it} A peer that does not accept verbs gets TCP. */
    boolean isSettled() {
        StreamLink attempt = link;
        if (attempt != null && attempt.isSettled() && fallsBack(attempt)) {
            try {
                fallBack(attempt);
            } catch (IOException e) {
                failure = e;
            }
            attempt = link;
        }
        if (attempt != null) {
            return attempt.isSettled();
        }
        SocketChannel carrier = plain;
        return failure != null || carrier != null && carrier.isConnected();
    }

    private boolean fallsBack(StreamLink attempt) {
        return attempt.problem() != null && provider.verbs().fallsBack() && attempt.mayAcceptTcp();
    }

    /** A channel of the JDK takes the place of the stream; in non-blocking mode it begins to connect. */
    private void fallBack(StreamLink failed) throws IOException {
        SocketChannel carrier = carryByJdk(failed);
        if (carrier != null && !channel.isBlocking()) {
            if (carrier.connect(remote)) {
                plainConnected();
            }
            channel.carryKeys(carrier);
        }
    }

    /** {@return {@code null} if another thread did it, or has closed the channel} */
    private synchronized SocketChannel carryByJdk(StreamLink failed) throws IOException {
        if (link != failed || !channel.isOpen()) {
            return null;
        }
        SocketChannel carrier = provider.jdk().openSocketChannel();
        try {
            options.copyTo(carrier);
            if (local != null) {
                carrier.bind(local);
            }
            carrier.configureBlocking(channel.isBlocking());
        } catch (IOException e) {
            carrier.close();
            throw e;
        }
        refusal = failed.problem().getMessage();
        plain = carrier;
        link = null;
        failed.close(true);
        if (!channel.isOpen()) {
            carrier.close();
        }
        return carrier;
    }

    /** {@return whether it is connected} */
    private boolean finish(Duration timeout, long begin) throws IOException {
        StreamLink attempt = link;
        IOException problem = attempt.problem();
        if (problem == null) {
            local = attempt.localAddress();
            state = State.CONNECTED;
            provider.verbs().countConnection(true);
            channel.changed();
            return true;
        }
        if (!channel.isOpen()) {
            // The close of another thread ended the stream.
            throw new AsynchronousCloseException();
        }
        if (!fallsBack(attempt)) {
            throw ConnectFailures.asOfJdk(problem);
        }
        fallBack(attempt);
        return channel.isBlocking() ? connectPlain(timeout, begin) : isConnected();
    }

    private boolean finishPlain() throws IOException {
        if (failure != null) {
            throw failure;
        }
        SocketChannel carrier = plain;
        if (carrier.isConnected() || carrier.finishConnect()) {
            plainConnected();
        }
        return isConnected();
    }

    void close() throws IOException {
        SocketChannel carrier;
        StreamLink attempt;
        synchronized (this) {
            carrier = plain;
            attempt = link;
        }
        if (carrier != null) {
            local = localAddress();
            carrier.close();
        }
        if (attempt != null) {
            attempt.close(state != State.CONNECTED || options.linger() == 0);
            attempt.wakeup();
        }
    }
}
