package org.panamaverbs.rpcrdma.link;

import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;
import org.panamaverbs.ClosedException;
import org.panamaverbs.Completions;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.VerbsException;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.ConnectionEnd;
import org.panamaverbs.cm.Route;
import org.panamaverbs.rpcrdma.endpoint.Endpoint;
import org.panamaverbs.rpcrdma.endpoint.Link.Done;
import org.panamaverbs.rpcrdma.endpoint.Link.Exposure;
import org.panamaverbs.rpcrdma.gate.Seat;
import org.panamaverbs.rpcrdma.link.LinkOutput.Request;
import org.panamaverbs.rpcrdma.link.LinkState.Event;
import org.panamaverbs.spi.support.Complaints;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connection of a link from its opening to its release: the link's life, its two parts, its queue pair and its memory. The reactor's
 * leader takes its completions, ends it, and runs its tasks; any thread may call the other methods.
 */
// Tested by VerbsLinkTest, ReactorTest.
final class LinkConnection extends Served {
    private static final Logger LOG = LoggerFactory.getLogger(LinkConnection.class);
    /** A constant, because there may be no memory to load the class when it is needed. */
    private static final Class<?> CLOSED = ClosedException.class;
    private static final Complaints.Message FAILED = new Complaints(LinkConnection.class).message("{} ends, because a step of it failed");

    private final Reactor reactor;
    private final LinkOptions options;
    private final Supplier<Endpoint> endpoint;
    private final LinkLife life = new LinkLife();
    private final LinkMemory memory;
    private final Exposures exposures;
    private final LinkPort port;
    private final LinkInput input;
    private final LinkOutput output;
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();

    /**
     * Allocates memory; {@link #begin} and {@link #connected} follow. The reactor has room for it.
     *
     * @param endpoint gives the endpoint of the link; asked after the constructor
     */
    LinkConnection(Reactor reactor, LinkOptions options, KeptRegistrations kept, Supplier<Endpoint> endpoint) {
        this.reactor = reactor;
        this.options = options;
        this.endpoint = endpoint;
        memory = new LinkMemory(reactor.device(), options, kept);
        exposures = new Exposures(life, memory.domain(), options.offersInvalidation(reactor.device()));
        port = new LinkPort(reactor, this, memory.messages(), options);
        input = new LinkInput(life, port, memory.messages(), endpoint);
        output = new LinkOutput(life, options.sendDepth(), port);
    }

    LinkLife life() {
        return life;
    }

    LinkMemory memory() {
        return memory;
    }

    LinkPort port() {
        return port;
    }

    QueuePairAttributes attributes() {
        return QueuePairAttributes.of(reactor.queue()).withDepths(options.sendDepth(), options.receives()).withAttachment(this);
    }

    /** The queue pair was created: receives are posted before the peer can send. */
    void begin(QueuePair created, Seat seat) {
        seat.attach(this::fail, () -> execute(endpoint.get()::onMemory));
        port.open(created);
    }

    /** The thread that connects has the connection. The leader may have it already, by the peer's first message. */
    void connected(Connection established) {
        port.connected(established);
        established.ended().whenComplete((end, failed) -> execute(() -> end(describe(end, failed))));
    }

    private String describe(ConnectionEnd end, Throwable failed) {
        if (end == null) {
            return this + " ended: " + failed;
        }
        Optional<VerbsException> cause = end.failure();
        return cause.isPresent() ? this + " ended: " + cause.get().getMessage() : this + " was closed by the peer";
    }

    /** Has the leader run a task in one of its next turns. */
    private void execute(Runnable task) {
        tasks.add(task);
        reactor.schedule(this);
    }

    void post(Request request) {
        if (!output.post(request)) {
            execute(() -> request.finish(false));
        }
    }

    @Override
    void flush() {
        port.ringDoorbell();
    }

    @Override
    void onCompletion(Completions completion) {
        long id = completion.id();
        if (LinkPort.isReceive(id)) {
            input.onCompletion(completion);
        } else if (!LinkPort.isUnsignaled(id)) {
            output.onCompletion((int) id, completion.isSuccess());
        } else if (!completion.isSuccess()) {
            LOG.debug("a Write to {} failed: {}", Route.text(port.remoteAddress()), completion.status().text());
        }
    }

    @Override
    void onTurn() {
        if (life.state() == LinkState.FAILED) {
            close();
        }
        if (life.state() == LinkState.DISCONNECTED) {
            end(null);
        }
        // A link whose task has thrown is scheduled again, for the others.
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
        if (life.state() == LinkState.DETACHED) {
            giveBack();
        }
    }

    Exposures exposures() {
        return exposures;
    }

    /** Ends exposures; the peer cannot touch their memory when {@code done} is called. */
    void revoke(List<Exposure> revoked, Done done) {
        String failed = exposures.revoke(revoked);
        if (failed == null) {
            execute(() -> done.done(true));
            return;
        }
        // RFC 8166, 4.5.4: "the Requester MUST close the connection […] before the associated RPC transaction is complete".
        fail("memory of a call could not be closed to the peer: " + failed);
        if (!exposures.awaitDetached(done)) {
            execute(() -> done.done(false));
        }
    }

    void fail(String why) {
        if (life.change(Event.FAIL, why)) {
            LOG.debug("{} ends: {}", this, why);
        }
        reactor.schedule(this);
    }

    @Override
    void fail(Throwable cause) {
        life.change(Event.FAIL, cause);
        reactor.schedule(this);
        // The end of a link closes what another thread may be posting to.
        if (!CLOSED.isInstance(cause)) {
            FAILED.error(this, cause);
        }
    }

    /** The connection has ended, and if this side did not fail before, for this reason. */
    private void end(String why) {
        if (!output.end(why)) {
            return;
        }
        // The queue pair is closed before memory is given back: nothing posted uses it any more.
        port.close();
        life.change(Event.DETACH, null);
        List<Done> detached = exposures.detached();
        endpoint.get().onEnd(life.reason());
        detached.forEach(done -> execute(() -> done.done(false)));
        reactor.schedule(this);
    }

    /** Ends the connection; calls under way fail. */
    void close() {
        if (!life.change(Event.CLOSE, null)) {
            return;
        }
        Connection connection = port.connection();
        try {
            if (connection != null) {
                connection.close();
            }
        } finally {
            life.change(Event.DISCONNECT, "the connection was closed by this side");
            reactor.schedule(this);
        }
    }

    /** Gives back what the link has, after the completions that closing the queue pair brought. */
    private void giveBack() {
        life.change(Event.RELEASE, null);
        output.release();
        memory.release();
        reactor.leave();
    }

    @Override
    public String toString() {
        return "the connection to " + Route.text(port.remoteAddress());
    }
}
