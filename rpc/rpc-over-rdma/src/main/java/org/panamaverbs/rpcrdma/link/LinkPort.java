package org.panamaverbs.rpcrdma.link;

import org.panamaverbs.MemoryRegion;
import org.panamaverbs.QueuePair;
import org.panamaverbs.ReceiveRequest;
import org.panamaverbs.SendRequest;
import org.panamaverbs.VerbsException;
import org.panamaverbs.rpcrdma.link.RequestQueue.Request;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The queue pair of a link: posts receives, and the requests of its {@link RequestQueue}, whose lock guards the latter. Writes are signalled
 * by the Send behind them.
 *
 * <p>The identifier of a request is the number of a receive, or of a slot of the queue.
 */
final class LinkPort implements RequestQueue.Poster {
    private static final Logger LOG = LoggerFactory.getLogger(LinkPort.class);
    private static final long RECEIVE = 1L << 32;
    private static final long UNSIGNALED = 1L << 33;

    private final Reactor reactor;
    private final VerbsLink link;
    private final MessageMemory messages;
    private final SendRequest posted = new SendRequest();
    private final ReceiveRequest receive = new ReceiveRequest();
    private volatile QueuePair pair;

    LinkPort(Reactor reactor, VerbsLink link, MessageMemory messages) {
        this.reactor = reactor;
        this.link = link;
        this.messages = messages;
    }

    static boolean isReceive(long id) {
        return (id & RECEIVE) != 0;
    }

    static boolean isUnsignaled(long id) {
        return id == UNSIGNALED;
    }

    /** The queue pair was made: receives are posted before the peer can send. */
    void open(QueuePair created, LinkOptions options) {
        pair = created;
        for (int i = 0; i < options.receives(); i++) {
            pair.post(receive.receive(RECEIVE | i).local(messages.region(), messages.receiveOffset(i), options.receiveSize()));
        }
    }

    QueuePair pair() {
        return pair;
    }

    /** The message of a receive was taken. */
    void postReceive(int index, int length) {
        try {
            pair.tryPost(receive.receive(RECEIVE | index).local(messages.region(), messages.receiveOffset(index), length));
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
