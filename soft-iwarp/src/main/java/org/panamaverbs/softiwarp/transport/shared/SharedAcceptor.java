package org.panamaverbs.softiwarp.transport.shared;

import java.net.InetSocketAddress;
import org.panamaverbs.softiwarp.transport.Acceptor;
import org.panamaverbs.softiwarp.transport.Channel;
import org.panamaverbs.softiwarp.transport.Multiplexer;
import org.panamaverbs.softiwarp.transport.epoll.Descriptor;
import org.panamaverbs.softiwarp.transport.epoll.EpollMultiplexer;
import org.panamaverbs.softiwarp.transport.epoll.EpollSource;

/** A listening TCP port, and its offer of shared memory. */
final class SharedAcceptor implements Acceptor<Channel> {
    /** The most peers of other users to turn away before a peer of TCP is served. */
    private static final int STRANGERS = 64;

    private final Acceptor<Channel> tcp;
    /** {@code null} if there is none. */
    private final Descriptor offer;
    private final EpollSource source;
    /** Only the thread that accepts uses it. */
    private boolean sharedFirst;

    SharedAcceptor(Acceptor<Channel> tcp, Descriptor offer) {
        this.tcp = tcp;
        this.offer = offer;
        source = offer == null ? null : EpollSource.ofReads(offer);
    }

    void register(EpollMultiplexer epoll, Multiplexer.Handler handler) {
        if (source != null) {
            source.register(epoll, handler);
        }
        epoll.add(tcp, handler);
    }

    /** Takes turns: peers that come one way as fast as they can must not keep out those of the other. */
    @Override
    public Channel accept() {
        sharedFirst = !sharedFirst;
        Channel first = sharedFirst ? acceptShared() : tcp.accept();
        return first != null ? first : sharedFirst ? tcp.accept() : acceptShared();
    }

    private Channel acceptShared() {
        if (offer == null || !offer.acquire()) {
            return null;
        }
        try {
            for (int i = 0; i < STRANGERS; i++) {
                Offer.Accepted peer = Offer.accept(offer.fd(), address());
                if (peer == null) {
                    return null;
                }
                if (Offer.isOwn(peer.socket().fd())) {
                    return SharedChannel.ofAccepted(peer);
                }
                // It sees that this process is another user's, and takes TCP.
                peer.socket().close();
            }
            // The port serves others first.
            source.report(Multiplexer.READABLE);
            return null;
        } finally {
            offer.release();
        }
    }

    @Override
    public InetSocketAddress address() {
        return tcp.address();
    }

    @Override
    public void close() {
        if (source != null) {
            source.close();
        }
        tcp.close();
    }
}
