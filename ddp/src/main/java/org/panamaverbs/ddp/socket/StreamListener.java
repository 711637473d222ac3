package org.panamaverbs.ddp.socket;

import java.net.InetSocketAddress;
import java.time.Duration;
import org.panamaverbs.ddp.DdpListener;
import org.panamaverbs.ddp.DdpSocket;
import org.panamaverbs.softiwarp.cm.AcceptQueue;
import org.panamaverbs.softiwarp.cm.ListeningPort;

/** A listener, as the program sees it: established streams that wait until a thread accepts them. The port is the transport's. */
final class StreamListener implements DdpListener {
    /** From so many streams that wait on, no further peer is accepted. */
    private static final int BACKLOG = 128;

    private final SoftDdpGroup group;
    private final AcceptQueue<AbstractSocket> queue = new AcceptQueue<>("stream", BACKLOG);
    private Port port;

    /** The port of a transport that listens. */
    interface Port {
        InetSocketAddress address();

        void close();
    }

    /** A TCP port. */
    static Port portOf(ListeningPort<?> listening) {
        return new Port() {
            @Override
            public InetSocketAddress address() {
                return listening.address();
            }

            @Override
            public void close() {
                listening.close();
            }
        };
    }

    StreamListener(SoftDdpGroup group) {
        this.group = group;
    }

    /** The streams that wait, for the port: it accepts no further peer while this has no room. */
    AcceptQueue<?> queue() {
        return queue;
    }

    /** Called once, before the program has the listener. */
    StreamListener listensAt(Port opened) {
        port = opened;
        return this;
    }

    /** A stream is established. Any thread calls it, without locks. Returns the socket, which is closed if the listener is. */
    <T extends AbstractSocket> T add(T socket) {
        if (!queue.add(socket)) {
            socket.close();
        }
        return socket;
    }

    @Override
    public InetSocketAddress address() {
        return port.address();
    }

    @Override
    public DdpSocket accept(Duration timeout) {
        return queue.take(address(), timeout);
    }

    @Override
    public void close() {
        queue.close().ifPresent(dropped -> {
            port.close();
            dropped.forEach(AbstractSocket::close);
            group.children().remove(this);
        });
    }
}
