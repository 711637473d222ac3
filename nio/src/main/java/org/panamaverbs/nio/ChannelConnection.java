package org.panamaverbs.nio;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.net.SocketTimeoutException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import org.panamaverbs.Verbs;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.cm.Route;

/**
 * Carries a channel. It begins with a channel of the JDK. A connection to an address that goes over verbs has a {@link StreamLink} in its
 * place, or another channel of the JDK if the peer does not accept verbs.
 */
// Tested by ConnectRulesTest, FallBackTest.
final class ChannelConnection {
    /** How long a peer may take to begin a stream, if TCP is the alternative; */
    private static final Duration SHORT_BEGINNING = Duration.ofSeconds(5);
    /** and if there is none. */
    private static final Duration LONG_BEGINNING = Duration.ofSeconds(60);

    private final VerbsSocketChannel channel;
    private final VerbsSelectorProvider provider;
    private final OptionValues options;
    /** {@code null} if it goes over verbs. */
    private volatile SocketChannel plain;
    /** {@code null} if it does not go over verbs. */
    private volatile StreamLink link;
    private volatile InetSocketAddress local;
    private volatile InetSocketAddress remote;
    /** Why the peer does not accept verbs; {@code null} if it does, or was not asked. */
    private volatile String refusal;
    private volatile boolean connected;

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
        connected = true;
        provider.verbs().countConnection(true);
        link = new StreamLink(provider.verbs(), channel::changed);
        link.accept(request, SHORT_BEGINNING.plusSeconds(5), options.forStream());
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
        return connected;
    }

    boolean isPending() {
        SocketChannel known = plain;
        return !connected && (link != null || known != null && (known.isConnectionPending() || known.isConnected()));
    }

    /** {@return the address of the peer, also before and after the connection; {@code null} if there never was one} */
    InetSocketAddress remoteAddress() {
        return remote;
    }

    /** {@return its own address; {@code null} if it has none} */
    InetSocketAddress localAddress() throws IOException {
        SocketChannel known = plain;
        return known == null ? local : (InetSocketAddress) known.getLocalAddress();
    }

    /** The channel is registered with a selector. */
    void registered(VerbsSelectionKey key) {
        StreamLink known = link;
        SocketChannel carrier = plain;
        if (known != null) {
            known.chooseFor(key.selector());
        } else if (carrier != null && (connected || carrier.isConnectionPending())) {
            VerbsSocketChannel.carryBy(carrier, key);
        }
    }

    /** {@return whether it is connected} In blocking mode it waits for that. */
    boolean connect(InetSocketAddress peer, Duration timeout) throws IOException {
        remote = peer;
        if (!provider.verbs().carry(peer)) {
            return connectPlain(timeout);
        }
        connectOverVerbs(peer);
        return channel.isBlocking() && awaitConnected(timeout);
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
        made.connect(route, provider.verbs().fallsBack() ? SHORT_BEGINNING : LONG_BEGINNING, options.forStream());
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
            channel.close();
            throw new NoRouteToHostException(e.getMessage());
        }
    }

    private static InetSocketAddress anyLike(InetSocketAddress peer, int port) throws IOException {
        return new InetSocketAddress(InetAddress.getByAddress(new byte[peer.getAddress().getAddress().length]), port);
    }

    private boolean connectPlain(Duration timeout) throws IOException {
        SocketChannel known = plain;
        try {
            if (channel.isBlocking() && timeout.compareTo(Verbs.FOREVER) < 0) {
                known.socket().connect(remote, (int) Math.min(Integer.MAX_VALUE, Math.max(1, timeout.toMillis())));
                plainConnected();
            } else if (known.connect(remote)) {
                plainConnected();
            }
        } catch (IOException e) {
            channel.close();
            throw e;
        }
        if (!channel.isBlocking()) {
            channel.carryKeys(known);
        }
        return connected;
    }

    private void plainConnected() {
        connected = true;
        provider.verbs().countConnection(false);
        if (refusal != null) {
            provider.verbs().fellBack(remote, refusal);
        }
    }

    /** {@return whether it is connected} Waits for that. */
    private boolean awaitConnected(Duration timeout) throws IOException {
        boolean done = false;
        channel.beginWait();
        try {
            while (channel.isOpen() && link != null && !link.isSettled()) {
                if (!link.awaitSettled(timeout)) {
                    channel.close();
                    throw new SocketTimeoutException("Connect timed out: " + remote + " did not answer within " + timeout);
                }
                if (Thread.currentThread().isInterrupted()) {
                    break;
                }
            }
            done = link != null && link.isSettled() && link.problem() == null;
        } finally {
            channel.endWait(done);
        }
        return finish();
    }

    /** {@return whether a pending connection has come to its end, or would not wait for it} A peer that does not accept verbs gets TCP. */
    boolean isSettled() {
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
        return known.problem() != null && provider.verbs().fallsBack() && known.mayAcceptTcp();
    }

    private synchronized void fallBack(StreamLink failed) throws IOException {
        if (link != failed || !channel.isOpen()) {
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
        } else if (!channel.isBlocking()) {
            channel.carryKeys(carrier);
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
                channel.close();
                throw e;
            }
            known = link;
        }
        if (known == null) {
            return finishPlain();
        }
        if (problem != null) {
            if (!channel.isOpen()) {
                // The close of another thread ended the stream.
                throw new AsynchronousCloseException();
            }
            channel.close();
            throw StreamLink.asOfTcp(problem);
        }
        connected = true;
        local = known.localAddress();
        provider.verbs().countConnection(true);
        channel.changed();
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
            channel.close();
            throw e;
        }
    }

    /** {@return whether a pending connection is connected} In blocking mode it waits for that. */
    boolean finishConnect() throws IOException {
        if (link == null) {
            return finishPlain();
        }
        if (channel.isBlocking()) {
            return awaitConnected(Verbs.FOREVER);
        }
        return link.isSettled() && finish();
    }

    void close() throws IOException {
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
}
