package org.panamaverbs.rpcrdma.link;

import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.panamaverbs.Access;
import org.panamaverbs.Capability;
import org.panamaverbs.ClosedException;
import org.panamaverbs.Completions;
import org.panamaverbs.Device;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.RegistrableArena;
import org.panamaverbs.SendRequest;
import org.panamaverbs.VerbsException;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.ConnectionEnd;
import org.panamaverbs.cm.Route;
import org.panamaverbs.rpcrdma.endpoint.Dispatcher;
import org.panamaverbs.rpcrdma.endpoint.Endpoint;
import org.panamaverbs.rpcrdma.endpoint.Link;
import org.panamaverbs.rpcrdma.gate.Seat;
import org.panamaverbs.rpcrdma.link.RequestQueue.Kind;
import org.panamaverbs.rpcrdma.link.RequestQueue.Request;
import org.panamaverbs.rpcrdma.wire.PrivateData;
import org.panamaverbs.spi.Complaints;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The link of one connection: its queue pair, a protection domain of its own, so that no other peer can use its keys, and memory for Sends
 * and receives.
 *
 * <p>The identifier of a request is the number of a receive, or of a slot of the {@link RequestQueue}.
 */
public final class VerbsLink implements Link {
    private static final Logger LOG = LoggerFactory.getLogger(VerbsLink.class);
    private static final Complaints.Message FAILED = new Complaints(VerbsLink.class).message("{} ends, because a step of it failed");
    private static final long RECEIVE = 1L << 32;
    private static final long UNSIGNALED = 1L << 33;

    private final Reactor reactor;
    private final LinkOptions options;
    private final Device device;
    private final KeptRegistrations kept;
    private final Seat seat;
    private final ProtectionDomain domain;
    private final RegistrableArena arena = RegistrableArena.ofShared();
    private final MemoryRegion messages;
    private final MessageBuffers buffers;
    private final Endpoint endpoint;
    private final boolean invalidates;
    private final Queue<SendMemory> freeSends = new ArrayDeque<>();
    private final Exposures exposures;
    private final RequestQueue requests;

    /** Messages that came before {@link #open}; the reactor's leader alone uses these two. */
    private final Queue<Early> early = new ArrayDeque<>();
    private boolean open;
    private volatile Connection connection;
    private volatile InetSocketAddress local;
    private volatile InetSocketAddress remote;
    private volatile QueuePair pair;
    private volatile PrivateData peer;

    private enum Life {
        LIVE,
        /** It is to end for the reason; the leader does that in its next turn. */
        FAILED,
        /** A thread closes the connection. */
        CLOSING,
        /** The leader ends the link in its next turn. */
        DISCONNECTED,
        /** It posts nothing more, and takes no message. */
        ENDED,
        /** Its queue pair is closed: nothing that was posted, and no peer, uses memory any more. */
        DETACHED,
        /** It has given back what it had. */
        OVER
    }

    /** Changes under this link's lock, to later ones alone. */
    private volatile Life life = Life.LIVE;
    /** Why it failed: a text, or what a step threw. */
    private Object reason;
    /** Calls whose memory could not be closed to the peer: they wait until the queue pair is closed. */
    private final List<Done> unprotected = new ArrayList<>();

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
        long receiveBytes = (long) options.receives() * options.receiveSize();
        messages = domain.register(arena.allocate(receiveBytes + (long) options.sends() * options.sendSize(), 4096), Access.LOCAL_WRITE);
        for (int i = 0; i < options.sends(); i++) {
            freeSends.add(new SendMemory(receiveBytes + (long) i * options.sendSize()));
        }
        requests = new RequestQueue(options.sendDepth(), new Sends());
        buffers = new MessageBuffers(domain);
        invalidates = offersInvalidation(device, options.remoteInvalidation());
        exposures = new Exposures(domain, invalidates);
        endpoint = new Endpoint(this, options.endpoint(), dispatcher, seat);
    }

    /** Whether all that a call opens can be invalidated by the peer, and by no other (RFC 8797, 3.2). */
    static boolean offersInvalidation(Device device, boolean wanted) {
        return wanted && device.supports(Capability.INVALIDATE_REGION) && device.supports(Capability.INVALIDATION_RIGHT);
    }

    /** What this side says of itself when it connects. */
    static PrivateData privateData(Device device, LinkOptions options) {
        return new PrivateData(offersInvalidation(device, options.remoteInvalidation()), options.sendSize(), options.receiveSize());
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

    /** The queue pair was made: receives are posted before the peer can send. */
    void begin(QueuePair made) {
        pair = made;
        for (int i = 0; i < options.receives(); i++) {
            pair.postReceive(RECEIVE | i, messages, (long) i * options.receiveSize(), options.receiveSize());
        }
    }

    /** The ends of the connection, and what the peer said when it connected; before its first call can come. */
    void peerSaid(InetSocketAddress here, InetSocketAddress there, byte[] privateData) {
        local = here;
        remote = there;
        peer = PrivateData.decode(privateData).orElse(null);
    }

    public InetSocketAddress localAddress() {
        return local;
    }

    public InetSocketAddress remoteAddress() {
        return remote;
    }

    void connected(Connection made) {
        connection = made;
        seat.attach(this::fail, () -> execute(endpoint::onMemory));
        connection.ended().whenComplete((end, failed) -> execute(() -> end(describe(end, failed))));
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
        if (life == Life.FAILED) {
            close();
        }
        if (life == Life.DISCONNECTED) {
            end(null);
        }
        // A link whose task has thrown is scheduled again, for the others.
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
        if (life == Life.DETACHED) {
            giveBack();
        }
    }

    /** Takes messages from now on, and first those that came already: all that they need is there. */
    public void open() {
        execute(() -> {
            open = true;
            for (Early each = early.poll(); each != null; each = early.poll()) {
                received(each.index, each.length, each.invalidated, each.handle);
            }
        });
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
    public synchronized Memory takeSend() {
        return freeSends.poll();
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
        SourceMemory known = kept.find(domain, memory);
        if (known != null) {
            return known;
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
        try {
            pair.ringDoorbell();
        } catch (VerbsException e) {
            LOG.debug("nothing is sent any more: {}", e.getMessage());
        }
    }

    /** A completion of this link; the reactor's thread. */
    void onCompletion(Completions completion) {
        long id = completion.id();
        if ((id & RECEIVE) != 0) {
            // Those of an ended link may come after its memory was given back. The leader alone ends it.
            if (completion.isSuccess() && !hasEnded()) {
                boolean invalidated = completion.hasInvalidatedKey();
                int handle = invalidated ? completion.invalidatedKey() : 0;
                if (open) {
                    received((int) id, completion.byteLength(), invalidated, handle);
                } else {
                    early.add(new Early((int) id, completion.byteLength(), invalidated, handle));
                }
            }
            return;
        }
        if (id == UNSIGNALED) {
            if (!completion.isSuccess()) {
                LOG.debug("a Write to {} failed: {}", Route.text(remote), completion.status().text());
            }
            return;
        }
        Request request = requests.completed((int) id);
        if (request != null) {
            finish(request, completion.isSuccess());
            requests.pump();
        }
    }

    private void received(int index, long length, boolean invalidated, int handle) {
        if (hasEnded()) {
            // The queue still held it when the connection ended; its memory may be gone.
            return;
        }
        long offset = (long) index * options.receiveSize();
        endpoint.onReceive(messages.segment().asSlice(offset, options.receiveSize()), length, invalidated, handle);
        try {
            pair.tryPostReceive(RECEIVE | index, messages, offset, options.receiveSize());
        } catch (VerbsException | IllegalStateException e) {
            LOG.debug("no receive is posted any more: {}", e.getMessage());
        }
    }

    private void finish(Request request, boolean success) {
        if (request.memory() instanceof SendMemory send) {
            send.release();
        }
        if (request.done() != null) {
            request.done().done(success);
        }
    }

    @Override
    public Exposure expose(MemorySegment memory, boolean forWriting) {
        return exposures.expose(memory, forWriting, pair);
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
        synchronized (this) {
            if (life.compareTo(Life.DETACHED) < 0) {
                unprotected.add(done);
                return;
            }
        }
        execute(() -> done.done(false));
    }

    @Override
    public void fail(String why) {
        if (reach(Life.FAILED, why)) {
            LOG.debug("{} ends: {}", this, why);
        }
        schedule();
    }

    @Override
    public void fail(Throwable cause) {
        reach(Life.FAILED, cause);
        schedule();
        if (!(cause instanceof ClosedException)) {
            FAILED.error(this, cause);
        }
    }

    /** Goes on to a later part of its life; {@code false} if it is there already, or beyond. */
    private synchronized boolean reach(Life next, Object why) {
        if (life.compareTo(next) >= 0) {
            return false;
        }
        life = next;
        if (reason == null) {
            reason = why;
        }
        return true;
    }

    private boolean hasEnded() {
        return life.compareTo(Life.ENDED) >= 0;
    }

    /** The connection has ended, and if this side did not fail before, for this reason. */
    private void end(String why) {
        if (!reach(Life.ENDED, why)) {
            return;
        }
        requests.end();
        // The queue pair is closed before memory is given back: nothing posted uses it any more.
        if (pair != null) {
            pair.close();
        }
        List<Done> detached;
        synchronized (this) {
            life = Life.DETACHED;
            detached = List.copyOf(unprotected);
            unprotected.clear();
        }
        endpoint.onEnd(reason instanceof Throwable thrown ? "a step of the connection failed: " + thrown : (String) reason);
        detached.forEach(done -> execute(() -> done.done(false)));
        schedule();
    }

    /** Ends the connection; calls under way fail. */
    public void close() {
        if (!reach(Life.CLOSING, null)) {
            return;
        }
        try {
            if (connection != null) {
                connection.close();
            }
        } finally {
            reach(Life.DISCONNECTED, "the connection was closed by this side");
            schedule();
        }
    }

    /** Gives back what the link has, after the completions that closing the queue pair brought. */
    private void giveBack() {
        reach(Life.OVER, null);
        for (Request request : requests.drain()) {
            finish(request, false);
        }
        kept.forget(domain);
        buffers.close();
        messages.close();
        domain.close();
        try {
            arena.close();
        } catch (IllegalStateException e) {
            LOG.debug("memory of a connection is still in use: {}", e.getMessage());
        }
        reactor.giveBack(options.completions());
    }

    @Override
    public String toString() {
        return "the connection to " + Route.text(remote);
    }

    private record Early(int index, long length, boolean invalidated, int handle) {
    }

    private final class SendMemory implements RegisteredMemory {
        private final long offset;
        private final MemorySegment segment;

        SendMemory(long offset) {
            this.offset = offset;
            segment = messages.segment().asSlice(offset, options.sendSize());
        }

        @Override
        public MemorySegment segment() {
            return segment;
        }

        @Override
        public MemoryRegion region() {
            return messages;
        }

        @Override
        public long offset() {
            return offset;
        }

        @Override
        public void release() {
            synchronized (VerbsLink.this) {
                freeSends.add(this);
            }
        }
    }

    /** The send queue; Writes are signalled by the Send behind them. */
    private final class Sends implements RequestQueue.Poster {
        private final SendRequest posted = new SendRequest();

        @Override
        public boolean tryPost(Request request, int slot) {
            MemoryRegion region = request.memory().region();
            long offset = request.memory().offset() + request.offset();
            long length = request.length();
            int flags = SendRequest.SIGNALED | (reactor.flushes(VerbsLink.this) ? SendRequest.MORE : 0);
            return pair.tryPost(switch (request.kind()) {
                case SEND -> posted.send(slot).local(region, offset, length).flags(flags);
                case SEND_INVALIDATE -> posted.send(slot).local(region, offset, length).invalidating(request.handle()).flags(flags);
                case WRITE -> posted.write(UNSIGNALED).local(region, offset, length).remote(request.address(), request.handle()).more();
                case READ -> posted.read(slot).local(region, offset, length).remote(request.address(), request.handle()).flags(flags);
            });
        }

        @Override
        public void ringDoorbell() {
            flush();
        }
    }
}
