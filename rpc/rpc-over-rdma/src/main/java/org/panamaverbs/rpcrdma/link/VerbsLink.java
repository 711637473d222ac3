package org.panamaverbs.rpcrdma.link;

import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.panamaverbs.Capability;
import org.panamaverbs.ClosedException;
import org.panamaverbs.Completions;
import org.panamaverbs.Device;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.VerbsException;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.ConnectionEnd;
import org.panamaverbs.cm.Route;
import org.panamaverbs.rpcrdma.endpoint.Dispatcher;
import org.panamaverbs.rpcrdma.endpoint.Endpoint;
import org.panamaverbs.rpcrdma.endpoint.Link;
import org.panamaverbs.rpcrdma.gate.Seat;
import org.panamaverbs.rpcrdma.link.LinkLife.Stage;
import org.panamaverbs.rpcrdma.link.RequestQueue.Kind;
import org.panamaverbs.rpcrdma.link.RequestQueue.Request;
import org.panamaverbs.rpcrdma.wire.PrivateData;
import org.panamaverbs.spi.support.Complaints;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The link of one connection: its queue pair, a protection domain of its own, so that no other peer can use its keys, and memory for Sends
 * and receives. The reactor's leader takes its completions, ends it, and runs its tasks; what it throws ends it.
 */
public final class VerbsLink implements Link {
    private static final Logger LOG = LoggerFactory.getLogger(VerbsLink.class);
    /** A constant, because there may be no memory to load the class when it is needed. */
    private static final Class<?> CLOSED = ClosedException.class;
    private static final Complaints.Message FAILED = new Complaints(VerbsLink.class).message("{} ends, because a step of it failed");

    private final Reactor reactor;
    private final LinkOptions options;
    private final Device device;
    private final KeptRegistrations kept;
    private final Seat seat;
    private final ProtectionDomain domain;
    private final MessageMemory messages;
    private final MessageBuffers buffers;
    private final Endpoint endpoint;
    private final Exposures exposures;
    private final LinkPort port;
    private final RequestQueue requests;
    /** The peer's private data. Written before the connection, so it is there with it. */
    private volatile PrivateData peer;
    /** {@code null} until it is there. */
    private volatile Connection connection;

    private final LinkLife life = new LinkLife();
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean isScheduled = new AtomicBoolean();
    /** The link that was scheduled before this one; for {@link Reactor#schedule}. */
    VerbsLink nextScheduled;

    /** Allocates memory; {@link #begin} and {@link #connected} follow. The reactor has room for it. */
    VerbsLink(Reactor reactor, LinkOptions options, KeptRegistrations kept, Dispatcher dispatcher, Seat seat) {
        this.reactor = reactor;
        this.options = options;
        this.kept = kept;
        this.seat = seat;
        device = reactor.device();
        domain = device.allocateProtectionDomain();
        messages = new MessageMemory(domain, options);
        port = new LinkPort(reactor, this, messages);
        requests = new RequestQueue(options.sendDepth(), port);
        buffers = new MessageBuffers(domain);
        exposures = new Exposures(domain, options.offersInvalidation(device));
        endpoint = new Endpoint(this, options.endpoint(), dispatcher, seat);
    }

    public Endpoint endpoint() {
        return endpoint;
    }

    public Connection connection() {
        return connection;
    }

    ProtectionDomain domain() {
        return domain;
    }

    QueuePairAttributes attributes() {
        return QueuePairAttributes.of(reactor.queue()).withDepths(options.sendDepth(), options.receives()).withAttachment(this);
    }

    /** The queue pair was created: receives are posted before the peer can send. */
    void begin(QueuePair created) {
        seat.attach(this::fail, () -> execute(endpoint::onMemory));
        port.open(created, options);
    }

    /** This end, or {@code null} before it is connected. */
    public InetSocketAddress localAddress() {
        return connection == null ? null : connection.localAddress();
    }

    /** The other end, or {@code null} before it is connected. */
    public InetSocketAddress remoteAddress() {
        return connection == null ? null : connection.remoteAddress();
    }

    /** The thread that connects has the connection. The leader may have it already, by the peer's first message. */
    void connected(Connection established) {
        take(established);
        established.ended().whenComplete((end, failed) -> execute(() -> end(describe(end, failed))));
    }

    private void take(Connection established) {
        peer = PrivateData.decode(established.privateData()).orElse(null);
        connection = established;
    }

    private boolean isConnected() {
        if (connection == null) {
            Connection.of(port.pair()).ifPresent(this::take);
        }
        return connection != null;
    }

    /** Has the leader run a task in one of its next turns. */
    private void execute(Runnable task) {
        tasks.add(task);
        schedule();
    }

    private void schedule() {
        if (isScheduled.compareAndSet(false, true)) {
            reactor.schedule(this);
        }
    }

    /** A turn of the leader, which was asked for. */
    void onTurn() {
        isScheduled.set(false);
        if (life.stage() == Stage.FAILED) {
            close();
        }
        if (life.stage() == Stage.DISCONNECTED) {
            end(null);
        }
        // A link whose task has thrown is scheduled again, for the others.
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
        if (life.stage() == Stage.DETACHED) {
            giveBack();
        }
    }

    private String describe(ConnectionEnd end, Throwable failed) {
        if (end == null) {
            return this + " ended: " + failed;
        }
        Optional<VerbsException> cause = end.failure();
        return cause.isPresent() ? this + " ended: " + cause.get().getMessage() : this + " was closed by the peer";
    }

    /**
     * Waits for an answer. On the side of the client the thread may take completions meanwhile. Of a service, whose programs may run where
     * completions are taken, the reactor's thread always does: then this returns at once.
     *
     * @param condition whether the thread need not wait any more
     * @param nanos     the longest time; this may return earlier
     */
    public void await(BooleanSupplier condition, long nanos) {
        if (options.endpoint().client()) {
            reactor.await(condition, nanos);
        }
    }

    /** Answers will come for which no thread is in {@link #await}. */
    public void expectAnswers() {
        if (options.endpoint().client()) {
            reactor.expect();
        }
    }

    @Override
    public int sendCapacity() {
        return options.sendSize();
    }

    @Override
    public int receiveCapacity() {
        return options.receiveSize();
    }

    @Override
    public PrivateData peer() {
        return peer;
    }

    @Override
    public boolean canInvalidate() {
        return options.remoteInvalidation() && device.supports(Capability.SEND_WITH_INVALIDATE);
    }

    @Override
    public Memory takeSend() {
        return messages.takeSend();
    }

    @Override
    public Memory takeBuffer(long length) {
        return buffers.take(length);
    }

    @Override
    public Memory takeReplyBuffer(long length) {
        return buffers.takeForReply(length);
    }

    @Override
    public Memory source(MemorySegment memory) {
        SourceMemory registered = kept.find(domain, memory);
        if (registered != null) {
            return registered;
        }
        MemoryRegion region = domain.register(memory);
        return new SourceMemory(region, memory, region::close);
    }

    @Override
    public void send(Memory message, long length, Done done) {
        post(Kind.SEND, message, 0, length, 0, 0, done);
    }

    @Override
    public void sendInvalidate(Memory message, long length, int handle, Done done) {
        post(Kind.SEND_INVALIDATE, message, 0, length, handle, 0, done);
    }

    @Override
    public void write(Memory from, long offset, long length, int handle, long address) {
        post(Kind.WRITE, from, offset, length, handle, address, null);
    }

    @Override
    public void read(Memory into, long offset, long length, int handle, long address, Done done) {
        post(Kind.READ, into, offset, length, handle, address, done);
    }

    private void post(Kind kind, Memory memory, long offset, long length, int handle, long address, Done done) {
        if (!(memory instanceof RegisteredMemory registered)) {
            throw new IllegalArgumentException("memory of another link");
        }
        Request request = new Request(kind, registered, offset, length, handle, address, done);
        if (!requests.post(request)) {
            execute(() -> finish(request, false));
        }
    }

    /** What was posted with MORE goes: the leader's thread. */
    void flush() {
        port.ringDoorbell();
    }

    /** A completion of this link; the reactor's thread. */
    void onCompletion(Completions completion) {
        long id = completion.id();
        if (LinkPort.isReceive(id)) {
            // Those of an ended link may come after its memory was given back. The leader alone ends it.
            if (completion.isSuccess() && !life.hasEnded() && isConnected()) {
                boolean invalidated = completion.hasInvalidatedKey();
                endpoint.onReceive(messages.receive((int) id), completion.byteLength(), invalidated,
                        invalidated ? completion.invalidatedKey() : 0);
                port.postReceive((int) id, options.receiveSize());
            }
            return;
        }
        if (LinkPort.isUnsignaled(id)) {
            if (!completion.isSuccess()) {
                LOG.debug("a Write to {} failed: {}", Route.text(remoteAddress()), completion.status().text());
            }
            return;
        }
        Request request = requests.completed((int) id);
        if (request != null) {
            finish(request, completion.isSuccess());
            requests.pump();
        }
    }

    private void finish(Request request, boolean success) {
        if (request.memory() instanceof MessageMemory.Send send) {
            send.release();
        }
        if (request.done() != null) {
            request.done().done(success);
        }
    }

    @Override
    public Exposure expose(MemorySegment memory, boolean forWriting) {
        return exposures.expose(memory, forWriting, port.pair());
    }

    @Override
    public void revoke(List<Exposure> revoked, boolean invalidated, int handle, Done done) {
        String failed = exposures.revoke(revoked);
        if (failed == null) {
            execute(() -> done.done(true));
            return;
        }
        // RFC 8166, 4.5.4: "the Requester MUST close the connection […] before the associated RPC transaction is complete".
        fail("memory of a call could not be closed to the peer: " + failed);
        if (!life.awaitDetached(done)) {
            execute(() -> done.done(false));
        }
    }

    @Override
    public void fail(String why) {
        if (life.reach(Stage.FAILED, why)) {
            LOG.debug("{} ends: {}", this, why);
        }
        schedule();
    }

    @Override
    public void fail(Throwable cause) {
        life.reach(Stage.FAILED, cause);
        schedule();
        // The end of a link closes what another thread may be posting to.
        if (!CLOSED.isInstance(cause)) {
            FAILED.error(this, cause);
        }
    }

    /** The connection has ended, and if this side did not fail before, for this reason. */
    private void end(String why) {
        if (!life.reach(Stage.ENDED, why)) {
            return;
        }
        requests.end();
        // The queue pair is closed before memory is given back: nothing posted uses it any more.
        port.close();
        List<Done> detached = life.detach();
        endpoint.onEnd(life.reason());
        detached.forEach(done -> execute(() -> done.done(false)));
        schedule();
    }

    /** Ends the connection; calls under way fail. */
    public void close() {
        if (!life.reach(Stage.CLOSING, null)) {
            return;
        }
        try {
            if (connection != null) {
                connection.close();
            }
        } finally {
            life.reach(Stage.DISCONNECTED, "the connection was closed by this side");
            schedule();
        }
    }

    /** Gives back what the link has, after the completions that closing the queue pair brought. */
    private void giveBack() {
        life.reach(Stage.OVER, null);
        for (Request request : requests.drain()) {
            finish(request, false);
        }
        kept.forget(domain);
        buffers.close();
        messages.deregister();
        domain.close();
        try {
            messages.free();
        } catch (IllegalStateException e) {
            LOG.debug("memory of a connection is still in use: {}", e.getMessage());
        }
        reactor.leave();
    }

    @Override
    public String toString() {
        return "the connection to " + Route.text(remoteAddress());
    }
}
