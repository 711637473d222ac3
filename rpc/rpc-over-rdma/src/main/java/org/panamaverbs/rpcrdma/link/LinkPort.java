package org.panamaverbs.rpcrdma.link;

import java.net.InetSocketAddress;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.QueuePair;
import org.panamaverbs.ReceiveRequest;
import org.panamaverbs.SendRequest;
import org.panamaverbs.VerbsException;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.rpcrdma.link.LinkOutput.Request;
import org.panamaverbs.rpcrdma.wire.PrivateData;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The queue pair of a link and its connection: posts receives, and the requests of the {@link LinkOutput}, whose lock guards the latter.
 * Writes are signalled by the Send behind them.
 *
 * <p>The identifier of a request is the number of a receive, or of a slot of the queue.
 */
final class LinkPort implements LinkOutput.Poster {
    private static final Logger LOG = LoggerFactory.getLogger(LinkPort.class);
    private static final long RECEIVE = 1L << 32;
    private static final long UNSIGNALED = 1L << 33;

    private final Reactor reactor;
    private final Served link;
    private final MessageMemory messages;
    private final LinkOptions options;
    private final SendRequest posted = new SendRequest();
    private final ReceiveRequest receive = new ReceiveRequest();
    private volatile QueuePair pair;
    /** {@code null} until it is there. The thread that connects and the leader write the same. */
    private volatile Established established;

    /** A connection, and what the peer said of itself when it connected, or {@code null}. */
    private record Established(Connection connection, PrivateData peer) {
    }

    LinkPort(Reactor reactor, Served link, MessageMemory messages, LinkOptions options) {
        this.reactor = reactor;
        this.link = link;
        this.messages = messages;
        this.options = options;
    }

    static boolean isReceive(long id) {
        return (id & RECEIVE) != 0;
    }

    static boolean isUnsignaled(long id) {
        return id == UNSIGNALED;
    }

    /** The queue pair was made: receives are posted before the peer can send. */
    void open(QueuePair created) {
        pair = created;
        for (int i = 0; i < options.receives(); i++) {
            pair.post(receive(i));
        }
    }

    private ReceiveRequest receive(int index) {
        return receive.receive(RECEIVE | index).local(messages.region(), messages.receiveOffset(index), options.receiveSize());
    }

    void connected(Connection connection) {
        established = new Established(connection, PrivateData.decode(connection.privateData()).orElse(null));
    }

    /** {@return whether it is connected} The peer's first message may come before the thread that connects has the connection. */
    boolean isConnected() {
        if (established == null) {
            Connection.of(pair).ifPresent(this::connected);
        }
        return established != null;
    }

    /** {@return the connection, or {@code null} before it is there} */
    Connection connection() {
        Established there = established;
        return there == null ? null : there.connection;
    }

    /** {@return the address of this side, or {@code null} before it is connected} */
    InetSocketAddress localAddress() {
        Established there = established;
        return there == null ? null : there.connection.localAddress();
    }

    /** {@return the address of the peer, or {@code null} before it is connected} */
    InetSocketAddress remoteAddress() {
        Established there = established;
        return there == null ? null : there.connection.remoteAddress();
    }

    /** {@return what the peer said of itself when it connected, or {@code null}} */
    PrivateData peer() {
        Established there = established;
        return there == null ? null : there.peer;
    }

    QueuePair pair() {
        return pair;
    }

    /** The message of a receive was taken. */
    void postReceive(int index) {
        try {
            pair.tryPost(receive(index));
        } catch (VerbsException | IllegalStateException e) {
            LOG.debug("no receive is posted any more: {}", e.getMessage());
        }
    }

    @Override
    public boolean tryPost(Request request, int slot) {
        MemoryRegion region = request.memory().region();
        long offset = request.memory().offset() + request.offset();
        long length = request.length();
        boolean more = reactor.flushes(link);
        return pair.tryPost(switch (request.kind()) {
            case SEND -> posted.send(slot).local(region, offset, length).signaled().more(more);
            case SEND_INVALIDATE -> posted.send(slot).local(region, offset, length).invalidating(request.handle()).signaled().more(more);
            case WRITE -> posted.write(UNSIGNALED).local(region, offset, length).remote(request.address(), request.handle()).more();
            case READ -> posted.read(slot).local(region, offset, length).remote(request.address(), request.handle()).signaled().more(more);
        });
    }

    /** What was posted with MORE goes. */
    @Override
    public void ringDoorbell() {
        try {
            pair.ringDoorbell();
        } catch (VerbsException e) {
            LOG.debug("nothing is sent any more: {}", e.getMessage());
        }
    }

    /** When this returns, nothing that was posted, and no peer, uses memory any more. */
    void close() {
        if (pair != null) {
            pair.close();
        }
    }
}
