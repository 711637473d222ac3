package org.panamaverbs.softiwarp.transport.epoll;

import java.net.InetSocketAddress;
import org.panamaverbs.softiwarp.transport.Acceptor;
import org.panamaverbs.softiwarp.transport.Channel;
import org.panamaverbs.softiwarp.transport.TcpOptions;

/**
 * A listening TCP socket. If {@link #accept} fails because no file descriptor is free, the peer stays in the backlog and no new event
 * reports it: call {@link #accept} again later.
 */
final class EpollAcceptor implements Acceptor<Channel> {
    private final EpollSource source;
    private final InetSocketAddress address;
    private final TcpOptions options;

    EpollAcceptor(Descriptor socket, InetSocketAddress address, TcpOptions options) {
        source = new EpollSource(socket);
        this.address = address;
        this.options = options;
    }

    @Override
    public Channel accept() {
        Descriptor socket = source.socket();
        if (!socket.acquire()) {
            return null;
        }
        try {
            Sockets.Accepted peer = Sockets.accept(socket.fd(), address, options);
            return peer == null ? null : EpollChannel.of(peer.socket(), peer::local, peer.remote(), true, options);
        } finally {
            socket.release();
        }
    }

    @Override
    public InetSocketAddress address() {
        return address;
    }

    EpollSource source() {
        return source;
    }

    @Override
    public void close() {
        source.close();
    }
}
