package org.panamaverbs.rpcrdma.link;

import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.panamaverbs.Capability;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.rpcrdma.endpoint.Dispatcher;
import org.panamaverbs.rpcrdma.endpoint.Endpoint;
import org.panamaverbs.rpcrdma.endpoint.Link;
import org.panamaverbs.rpcrdma.gate.Seat;
import org.panamaverbs.rpcrdma.link.LinkOutput.Kind;
import org.panamaverbs.rpcrdma.link.LinkOutput.Request;
import org.panamaverbs.rpcrdma.wire.PrivateData;

/** The link of one connection, and the endpoint that it serves. */
public final class VerbsLink implements Link {
    private final Reactor reactor;
    private final LinkOptions options;
    private final Seat seat;
    private final LinkConnection connection;
    private final Endpoint endpoint;

    /** Allocates memory; {@link #begin} and {@link #connected} follow. The reactor has room for it. */
    VerbsLink(Reactor reactor, LinkOptions options, KeptRegistrations kept, Dispatcher dispatcher, Seat seat) {
        this.reactor = reactor;
        this.options = options;
        this.seat = seat;
        connection = new LinkConnection(reactor, options, kept, this::endpoint);
        endpoint = new Endpoint(this, options.endpoint(), dispatcher, seat);
    }

    public Endpoint endpoint() {
        return endpoint;
    }

    public Connection connection() {
        return connection.port().connection();
    }

    ProtectionDomain domain() {
        return connection.memory().domain();
    }

    QueuePairAttributes attributes() {
        return connection.attributes();
    }

    /** The queue pair was created: receives are posted before the peer can send. */
    void begin(QueuePair created) {
        connection.begin(created, seat);
    }

    /** The thread that connects has the connection. */
    void connected(Connection established) {
        connection.connected(established);
    }

    /** This end, or {@code null} before it is connected. */
    public InetSocketAddress localAddress() {
        return connection.port().localAddress();
    }

    /** The other end, or {@code null} before it is connected. */
    public InetSocketAddress remoteAddress() {
        return connection.port().remoteAddress();
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
        return connection.port().peer();
    }

    @Override
    public boolean canInvalidate() {
        return options.remoteInvalidation() && reactor.device().supports(Capability.SEND_WITH_INVALIDATE);
    }

    @Override
    public Memory takeSend() {
        return connection.memory().messages().takeSend();
    }

    @Override
    public Memory takeBuffer(long length) {
        return connection.memory().buffers().take(length);
    }

    @Override
    public Memory takeReplyBuffer(long length) {
        return connection.memory().buffers().takeForReply(length);
    }

    @Override
    public Memory source(MemorySegment memory) {
        return connection.memory().source(memory);
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
        connection.post(new Request(kind, registered, offset, length, handle, address, done));
    }

    @Override
    public Exposure expose(MemorySegment memory, boolean forWriting) {
        return connection.exposures().expose(memory, forWriting, connection.port().pair());
    }

    @Override
    public void revoke(List<Exposure> revoked, boolean invalidated, int handle, Done done) {
        connection.revoke(revoked, done);
    }

    @Override
    public String endReason() {
        return connection.life().endReason();
    }

    @Override
    public void fail(String why) {
        connection.fail(why);
    }

    @Override
    public void fail(Throwable cause) {
        connection.fail(cause);
    }

    /** Ends the connection; calls under way fail. */
    public void close() {
        connection.close();
    }

    /** {@return the connection, which completions of the queue pair name} */
    Served served() {
        return connection;
    }

    @Override
    public String toString() {
        return connection.toString();
    }
}
