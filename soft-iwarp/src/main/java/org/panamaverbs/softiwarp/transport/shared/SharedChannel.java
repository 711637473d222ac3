package org.panamaverbs.softiwarp.transport.shared;

import java.net.InetSocketAddress;
import org.panamaverbs.VerbsException;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.softiwarp.memory.IoVector;
import org.panamaverbs.softiwarp.transport.Channel;
import org.panamaverbs.softiwarp.transport.Failures;
import org.panamaverbs.softiwarp.transport.epoll.Descriptor;
import org.panamaverbs.softiwarp.transport.epoll.EpollMultiplexer;

/**
 * A stream through two rings. The Unix socket of the connection carries a {@link Greeting} with the memory, then {@link WakeUps}. Its end
 * means that the peer is gone, however that process ended; a peer that has only ended its direction says so in the memory, since it still
 * wakes this side when there is room.
 */
final class SharedChannel implements Channel {
    /** Larger than any FPDU: there are no segments here. */
    private static final int SEGMENT_SIZE = 1 << 16;

    private final InetSocketAddress local;
    private final InetSocketAddress remote;
    private final SharedEvents events;
    private final SharedConnection connection;
    private final SharedLife life;
    private final SharedInput input;
    private final SharedOutput output;

    private SharedChannel(Descriptor socket, InetSocketAddress local, InetSocketAddress remote, boolean accepted) {
        this.local = local;
        this.remote = remote;
        events = new SharedEvents(socket);
        connection = new SharedConnection(socket, accepted, events);
        life = connection.life();
        input = connection.input();
        output = connection.output();
    }

    /** The channel of a peer that has connected; its greeting need not be there yet. It is broken if the peer is not served. */
    static SharedChannel ofAccepted(Offer.Accepted peer) {
        return peer.socket().orClose(() -> {
            SharedChannel channel = new SharedChannel(peer.socket(), peer.local(), peer.remote(), true);
            if (peer.objection() == null) {
                channel.connection.greet();
            } else {
                channel.connection.blame(peer.objection());
            }
            return channel;
        });
    }

    /** The channel of a socket that has connected: makes the memory and sends it. */
    static SharedChannel ofConnected(Offer.Connected peer, String action, int capacity) {
        return peer.socket().orClose(() -> {
            SharedChannel channel = new SharedChannel(peer.socket(), peer.local(), peer.remote(), false);
            int file = RingMemory.create(action, capacity);
            try {
                channel.connection.open(RingMemory.map(action, file, capacity));
                Greeting.send(action, peer.socket().fd(), file, capacity);
            } catch (RuntimeException | Error e) {
                channel.close();
                throw e;
            } finally {
                Libc.close(file);
            }
            return channel;
        });
    }

    // For the multiplexer.

    /** Directs the events to a handler. */
    void watch(Watch next) {
        events.watch(next);
        // A thread that closes the channel changes the state and then looks for the handler: so one of the two finds both.
        if (life.state() == SharedState.CLOSED) {
            events.cancel();
        }
    }

    /** Directs the events of the socket to the handler, too. */
    void register(EpollMultiplexer epoll, Watch handler) {
        events.register(epoll, handler);
    }

    /** Directs the events nowhere; another handler can be registered then. */
    void unwatch() {
        events.unwatch();
    }

    /** The socket has wake-ups, or its end. Called by the selecting thread. Returns the events that must be reported in any case. */
    int onSocket() {
        return connection.onSocket();
    }

    /** The events in the rings since the last call. Called by the selecting thread. */
    int takeEvents() {
        return life.state() == SharedState.OPEN ? input.takeEvents() | output.takeEvents() : 0;
    }

    /**
     * Has the peer wake this side for further events. Called by the selecting thread.
     *
     * @return {@code false} if there is one already
     */
    boolean sleep() {
        return life.state() != SharedState.OPEN || input.sleep() && output.sleep();
    }

    // The channel.

    @Override
    public int finishConnect() {
        return life.state() == SharedState.CLOSED ? (int) BROKEN : 1;
    }

    @Override
    public long read(IoVector into) {
        SharedState state = life.state();
        if (state == SharedState.GREETING) {
            state = connection.greet();
        }
        if (!state.hasRings()) {
            return state == SharedState.GREETING ? 0 : BROKEN;
        }
        long count = input.read(into, state.hasPeerLeft());
        if (count == Ring.NONSENSE) {
            return nonsense();
        }
        return count == END_OF_STREAM && state == SharedState.RESET ? BROKEN : count;
    }

    @Override
    public long write(IoVector from) {
        SharedState state = life.state();
        if (state != SharedState.OPEN) {
            return state == SharedState.GREETING && !output.hasEnded() ? 0 : BROKEN;
        }
        long count = output.write(from);
        return count == Ring.NONSENSE ? nonsense() : count;
    }

    private long nonsense() {
        events.report(connection.blame("the lengths and positions in the memory that it shares make no sense"));
        return BROKEN;
    }

    @Override
    public VerbsException failure() {
        return life.failure(Failures.connection(local, remote));
    }

    @Override
    public InetSocketAddress localAddress() {
        return local;
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return remote;
    }

    @Override
    public int segmentSize() {
        return SEGMENT_SIZE;
    }

    @Override
    public Path path() {
        return Path.SHARED_MEMORY;
    }

    @Override
    public void shutdownOutput() {
        connection.shutdownOutput();
    }

    @Override
    public void close() {
        try {
            connection.close();
        } finally {
            // Even if the rings cannot be given back: the channel is closed, and its owner does not close it again.
            events.close();
        }
    }
}
