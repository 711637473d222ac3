package org.panamaverbs.nio;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.net.SocketTimeoutException;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ConnectionPendingException;
import java.nio.channels.NoConnectionPendingException;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.panamaverbs.Verbs;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.cm.Route;
import org.panamaverbs.sockets.ConnectFailures;

/**
 * The connection of a socket channel: its state, and its {@link Carrier}.
 *
 * <pre>
 *              connect   the carrier is ready   finishConnect, connect of a blocking channel
 * UNCONNECTED  PENDING
 * PENDING                READY                  CONNECTED
 * READY                                         CONNECTED
 * </pre>
 *
 * A connect over verbs that fails may go on over TCP. In non-blocking mode the end of the attempt begins that, on the thread that learns of
 * the end: a channel that is not ready would not be asked again. In blocking mode the thread that connects does it.
 */
// Tested by ConnectRulesTest, FallBackTest, InterruptTest.
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
        UNCONNECTED,
        /** The carrier connects. */
        PENDING,
        /** A finishConnect would not wait, and the carrier's own key does not say so. */
        READY, CONNECTED
    }

    private final CarriedChannel channel;
    private final ChannelKeys keys;
    private final Resources resources;
    private final OptionValues options;
    // This guards their changes.
    private volatile State state = State.UNCONNECTED;
    private volatile @Nullable Carrier carrier;
    /** Of a channel of the JDK that carries, or is to; the channel's own changes a moment later. */
    private boolean blocking = true;

    ChannelConnection(CarriedChannel channel, ChannelKeys keys, Resources resources, OptionValues options) {
        this.channel = channel;
        this.keys = keys;
        this.resources = resources;
        this.options = options;
    }

    /** It begins with a channel that is not connected, or with one that a server has accepted over TCP. */
    void begin(SocketChannel plain) throws IOException {
        if (plain.isConnected()) {
            carrier = new JdkCarrier(channel, plain, (InetSocketAddress) plain.getRemoteAddress(), Optional.empty());
            setConnected(false);
        } else {
            carrier = new Carrier.Undecided(plain);
        }
    }

    /** It begins with a peer that a server accepts over verbs. */
    void begin(ConnectionRequest request) {
        StreamCarrier stream = new StreamCarrier(channel, request.localAddress(), request.remoteAddress(), this::changed);
        carrier = stream;
        setConnected(true);
        stream.link().accept(request, ACCEPTING, options.forStream());
    }

    Carrier carrier() {
        return Objects.requireNonNull(carrier);
    }

    boolean isConnected() {
        return state == State.CONNECTED;
    }

    boolean isPending() {
        return state == State.PENDING || state == State.READY;
    }

    /** {@return what moves the bytes} */
    Carrier.OfBytes bytes() throws ClosedChannelException {
        channel.checkOpen();
        if (state != State.CONNECTED) {
            throw new NotYetConnectedException();
        }
        if (carrier instanceof Carrier.OfBytes bytes) {
            return bytes;
        }
        throw new ClosedChannelException();
    }

    int readyOps() {
        return switch (state) {
            case UNCONNECTED, PENDING -> 0;
            case READY -> SelectionKey.OP_CONNECT;
            case CONNECTED -> carrier instanceof Carrier.OfBytes bytes ? bytes.readyOps() : 0;
        };
    }

    synchronized void configureBlocking(boolean block) throws IOException {
        if (carrier instanceof Carrier.OfJdk jdk) {
            jdk.plain().configureBlocking(block);
        }
        blocking = block;
    }

    void registered(VerbsSelectionKey key) {
        keys.add(key);
        Carrier current = carrier;
        // The JDK's key of one that is connected already would not say so.
        if (current instanceof JdkCarrier jdk && state != State.READY) {
            key.carryBy(jdk.plain());
        } else if (current instanceof StreamCarrier stream) {
            stream.link().chooseLoop(key::loop);
            // An attempt may have ended in blocking mode.
            attemptChanged(stream);
        }
    }

    private synchronized void setConnected(boolean overVerbs) {
        state = State.CONNECTED;
        resources.verbs().countConnection(overVerbs);
    }

    private void setConnected(JdkCarrier jdk) {
        setConnected(false);
        jdk.refusal().ifPresent(reason -> {
            String words = reason.getMessage();
            resources.verbs().fellBack(jdk.remoteAddress(), words == null ? reason.toString() : words);
        });
    }

    /** The stream has changed, on any thread. */
    private void changed(StreamCarrier stream) {
        try {
            attemptChanged(stream);
        } finally {
            keys.changed(stream.link().loop());
        }
    }

    private void attemptChanged(StreamCarrier attempt) {
        if (state != State.PENDING || !attempt.link().isSettled()) {
            return;
        }
        boolean waits = false;
        try {
            waits = fallsBack(attempt) && !fallBackWithoutWait(attempt);
        } catch (IOException e) {
            // A finishConnect meets it again, and throws it.
        } finally {
            if (!waits) {
                ready(attempt);
            }
        }
    }

    /** {@return whether it is done} In blocking mode the thread that connects does it. */
    private synchronized boolean fallBackWithoutWait(StreamCarrier attempt) throws IOException {
        if (blocking) {
            return false;
        }
        fallBack(attempt);
        return true;
    }

    /** Unless something else carries the channel by then. */
    private synchronized void ready(StreamCarrier attempt) {
        if (carrier == attempt && state == State.PENDING) {
            state = State.READY;
        }
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

    /** {@return whether it is connected} In blocking mode it waits for that, over verbs and then over TCP, until the time is up. */
    boolean connect(InetSocketAddress peer, Duration timeout) throws IOException {
        return waiting(() -> {
            channel.checkOpen();
            Carrier current = carrier;
            if (current instanceof Carrier.OfBytes) {
                throw isConnected() ? new AlreadyConnectedException() : new ConnectionPendingException();
            }
            if (!(current instanceof Carrier.Undecided socket)) {
                throw new AsynchronousCloseException();
            }
            long begin = System.nanoTime();
            if (!resources.verbs().carry(peer)) {
                JdkCarrier jdk = new JdkCarrier(channel, socket.plain(), peer, Optional.empty());
                replace(socket, jdk);
                return connectOverTcp(jdk, timeout);
            }
            StreamCarrier attempt = new StreamCarrier(channel, socket.localAddress(), peer, this::changed);
            Route route = route(attempt);
            replace(socket, attempt);
            // Its port becomes free for the stream.
            socket.close(true);
            attempt.link().connect(route, resources.verbs().fallsBack() ? PATIENCE : LONG_PATIENCE, options.forStream());
            keys.forEach(key -> attempt.link().chooseLoop(key::loop));
            return channel.isBlocking() && awaitConnected(attempt, timeout, begin);
        });
    }

    private synchronized void replace(Carrier last, Carrier next) throws AsynchronousCloseException {
        if (carrier != last) {
            throw new AsynchronousCloseException();
        }
        carrier = next;
        state = State.PENDING;
    }

    private Route route(StreamCarrier attempt) throws IOException {
        InetSocketAddress peer = attempt.remoteAddress();
        InetSocketAddress local = attempt.localAddress();
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

    /** {@return whether it is connected} In non-blocking mode it begins to connect. */
    private boolean connectOverTcp(JdkCarrier jdk, Duration timeout) throws IOException {
        boolean isConnected = jdk.connect(timeout);
        if (isConnected) {
            setConnected(jdk);
        }
        if (!channel.isBlocking()) {
            keys.carryBy(jdk.plain());
        }
        return isConnected;
    }

    /** {@return whether a pending connection is connected} In blocking mode it waits for that. */
    boolean finishConnect() throws IOException {
        return waiting(() -> {
            channel.checkOpen();
            return switch (carrier()) {
                case Carrier.Undecided _ -> throw new NoConnectionPendingException();
                case JdkCarrier jdk -> finishOverTcp(jdk);
                case StreamCarrier attempt when channel.isBlocking() -> awaitConnected(attempt, Verbs.FOREVER, 0);
                case StreamCarrier attempt -> attempt.link().isSettled() && finish(attempt, Verbs.FOREVER, 0);
                case Carrier.Closed _ -> throw new ClosedChannelException();
            };
        });
    }

    /** @param begin when the attempt began, on the clock of {@link System#nanoTime} */
    private boolean awaitConnected(StreamCarrier attempt, Duration timeout, long begin) throws IOException {
        BooleanSupplier isSettled = attempt.link()::isSettled;
        while (!isSettled.getAsBoolean()) {
            if (!channel.isOpen()) {
                throw new AsynchronousCloseException();
            }
            if (!attempt.link().await(isSettled, TransferLocks.left(timeout, begin))) {
                throw new SocketTimeoutException("Connect timed out");
            }
            channel.resumeWait();
        }
        return finish(attempt, timeout, begin);
    }

    private boolean fallsBack(StreamCarrier attempt) {
        IOException problem = attempt.link().problem();
        return problem != null && resources.verbs().fallsBack() && attempt.link().mayAcceptTcp(problem);
    }

    /** {@return whether it is connected} */
    private boolean finish(StreamCarrier attempt, Duration timeout, long begin) throws IOException {
        IOException problem = attempt.link().problem();
        if (problem == null) {
            setConnected(true);
            keys.changed();
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
        if (!(carrier instanceof JdkCarrier jdk)) {
            throw new AsynchronousCloseException();
        }
        return channel.isBlocking() ? connectOverTcp(jdk, TransferLocks.left(timeout, begin)) : finishOverTcp(jdk);
    }

    /** A channel of the JDK takes the place of a stream that failed, if it still carries. In non-blocking mode it begins to connect. */
    private synchronized void fallBack(StreamCarrier failed) throws IOException {
        if (carrier != failed) {
            return;
        }
        SocketChannel plain = resources.jdk().openSocketChannel();
        JdkCarrier jdk = new JdkCarrier(channel, plain, failed.remoteAddress(), Optional.ofNullable(failed.link().problem()));
        boolean isConnected;
        try {
            options.copyTo(plain);
            if (failed.localAddress() != null) {
                plain.bind(failed.localAddress());
            }
            plain.configureBlocking(blocking);
            isConnected = !blocking && jdk.connect(Verbs.FOREVER);
        } catch (IOException e) {
            plain.close();
            throw e;
        }
        carrier = jdk;
        state = isConnected ? State.READY : State.PENDING;
        failed.close(true);
        if (!blocking && !isConnected) {
            keys.carryBy(plain);
        }
    }

    private boolean finishOverTcp(JdkCarrier jdk) throws IOException {
        if (jdk.finishConnect()) {
            setConnected(jdk);
            if (!channel.isBlocking()) {
                keys.carryBy(jdk.plain());
            }
        }
        return isConnected();
    }

    void close() throws IOException {
        Carrier last;
        synchronized (this) {
            last = carrier();
            carrier = new Carrier.Closed(last.localAddress(), last.remoteAddress());
        }
        last.close(state != State.CONNECTED || options.linger() == 0);
    }
}
