package org.panamaverbs.softiwarp.cm;

import java.net.InetSocketAddress;
import java.util.function.Consumer;
import org.panamaverbs.VerbsException;
import org.panamaverbs.softiwarp.progress.EventLoop;
import org.panamaverbs.softiwarp.transport.Acceptor;
import org.panamaverbs.softiwarp.transport.Channel;
import org.panamaverbs.softiwarp.transport.Multiplexer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes peers at an address and receives their Requests. */
public final class ListeningPort implements Multiplexer.Handler {
    private static final Logger LOG = LoggerFactory.getLogger(ListeningPort.class);
    /** When there is no file descriptor for a peer: how long until it is tried again. */
    private static final long RETRY_NANOS = 100_000_000;

    private final EventLoop loop;
    private final Acceptor acceptor;
    private final long requestTimeoutNanos;
    private final Consumer<PassiveOpen> requested;
    private boolean closed;

    private ListeningPort(EventLoop loop, Acceptor acceptor, long requestTimeoutNanos, Consumer<PassiveOpen> requested) {
        this.loop = loop;
        this.acceptor = acceptor;
        this.requestTimeoutNanos = requestTimeoutNanos;
        this.requested = requested;
    }

    /**
     * Listens.
     *
     * @param requestTimeoutNanos how long a peer may take for its Request
     * @param requested           called by the loop's leader for each whole Request
     */
    public static ListeningPort open(EventLoop loop, InetSocketAddress local, int backlog, long requestTimeoutNanos,
            Consumer<PassiveOpen> requested) {
        ListeningPort port = new ListeningPort(loop, loop.multiplexer().listen(local, backlog), requestTimeoutNanos, requested);
        loop.execute(() -> loop.multiplexer().add(port.acceptor, port));
        return port;
    }

    /** Where it listens. */
    public InetSocketAddress address() {
        return acceptor.address();
    }

    @Override
    public void onReady(int events) {
        try {
            for (Channel channel = closed ? null : acceptor.accept(); channel != null; channel = acceptor.accept()) {
                PassiveOpen.start(loop, channel, requestTimeoutNanos, requested,
                        reason -> LOG.warn("refused a peer at {}: {}", address(), reason.getMessage()));
            }
        } catch (VerbsException e) {
            LOG.warn("cannot accept peers at {}: {}", address(), e.getMessage());
            loop.schedule(RETRY_NANOS, () -> onReady(events));
        }
    }

    /** Stops listening. */
    public void close() {
        loop.call(() -> {
            closed = true;
            acceptor.close();
        });
    }
}
