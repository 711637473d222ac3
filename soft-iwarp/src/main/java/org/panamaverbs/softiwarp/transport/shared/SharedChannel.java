package org.panamaverbs.softiwarp.transport.shared;

import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import org.panamaverbs.ClosedException;
import org.panamaverbs.PeerException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.posix.Errno;
import org.panamaverbs.posix.Native;
import org.panamaverbs.posix.SocketCalls;
import org.panamaverbs.softiwarp.memory.IoVector;
import org.panamaverbs.softiwarp.transport.Channel;
import org.panamaverbs.softiwarp.transport.Failures;
import org.panamaverbs.softiwarp.transport.Multiplexer;
import org.panamaverbs.softiwarp.transport.epoll.Descriptor;
import org.panamaverbs.softiwarp.transport.epoll.EpollSource;

/**
 * A stream through two rings. The Unix socket of the connection carries a {@link Greeting} with the memory, then single bytes that wake a
 * sleeping peer. Its end means that the peer is gone, however that process ended; a peer that has only ended its direction says so in the
 * memory, since it still wakes this side when there is room. An eventfd could wake as well, but its flags belong to both processes: the
 * peer could make each write of this side wait.
 */
// Tested by SharedMultiplexerTest, HostileMapperTest.
final class SharedChannel implements Channel {
    private static final int WAKE_UPS = 64;
    /** Larger than any FPDU: there are no segments here. */
    private static final int SEGMENT_SIZE = 1 << 16;

    private final Descriptor socket;
    private final EpollSource source;
    private final InetSocketAddress local;
    private final InetSocketAddress remote;
    private final boolean accepted;
    private final MemorySegment wakeUps;
    private final MemorySegment errno;

    /** {@code null} until the greeting is there. */
    private volatile RingReader incoming;
    private volatile RingWriter outgoing;
    /** The handler of the events; {@code null} while there is none. */
    private volatile Watch watch;

    /** Whether a read came up short since the last edge. */
    private volatile boolean readerWaits = true;
    private volatile boolean writerWaits;
    private volatile boolean shut;
    /** The peer has ended its direction or is gone, so no further bytes enter the ring. */
    private volatile boolean ended;
    /** Nobody reads what this side writes. */
    private volatile boolean gone;
    private volatile boolean closed;
    /** Why the stream is broken, if by the peer's fault. */
    private volatile String fault;

    private SharedChannel(Descriptor socket, InetSocketAddress local, InetSocketAddress remote, boolean accepted) {
        this.socket = socket;
        this.source = EpollSource.ofReads(socket);
        this.wakeUps = socket.memory().allocate(WAKE_UPS);
        this.errno = Native.newErrno(socket.memory());
        this.local = local;
        this.remote = remote;
        this.accepted = accepted;
    }

    /** The channel of a peer that has connected; its greeting need not be there yet. It is broken if the peer is not served. */
    static SharedChannel ofAccepted(Offer.Accepted peer) {
        return peer.socket().orClose(() -> {
            SharedChannel channel = new SharedChannel(peer.socket(), peer.local(), peer.remote(), true);
            if (peer.objection() == null) {
                channel.greet();
            } else {
                channel.blame(peer.objection());
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
                channel.use(RingMemory.map(action, file, capacity));
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

    private void use(RingMemory rings) {
        outgoing = new RingWriter(rings, accepted ? 1 : 0, this::wakePeer);
        incoming = new RingReader(rings, accepted ? 0 : 1, this::wakePeer);
        endOutput();
    }

    /** Takes the peer's greeting, if it is there. */
    private synchronized void greet() {
        if (incoming != null || closed || fault != null || !socket.acquire()) {
            return;
        }
        try {
            Greeting.Received greeting = Greeting.receive(socket.fd());
            if (greeting.objection() != null) {
                report(blame(greeting.objection()));
            } else if (greeting.rings() != null) {
                use(greeting.rings());
                // Writes before took nothing.
                report(Multiplexer.READABLE | Multiplexer.WRITABLE);
            }
        } finally {
            socket.release();
        }
    }

    // Waking and waiting.

    /** Wakes a peer that sleeps. If its socket is full of bytes that it has not read, it is awake. */
    private void wakePeer() {
        if (socket.acquire()) {
            try {
                SocketCalls.transferPart(Descriptor.UNREAD, false, socket.fd(), wakeUps, 0, 1);
            } finally {
                socket.release();
            }
        }
    }

    /** The socket has wake-ups, or its end. Called by the selecting thread. Returns the events that must be reported in any case. */
    int onSocket() {
        greet();
        if (incoming == null || gone || !socket.acquire()) {
            return 0;
        }
        try {
            long result = takeWakeUps();
            if (result > WAKE_UPS) {
                return blame("it wakes this side again and again");
            } else if (result > 0) {
                return 0;
            }
            gone = true;
            ended = true;
            return Multiplexer.READABLE | Multiplexer.WRITABLE;
        } finally {
            socket.release();
        }
    }

    /**
     * Reads all wake-ups: one edge may stand for them and for the end of the stream behind them. A peer that keeps to the rules has made
     * two at most.
     *
     * @return a positive number, more than {@link #WAKE_UPS} if there were more; 0 or less if the stream has ended
     */
    private long takeWakeUps() {
        long all = 1;
        while (all <= WAKE_UPS) {
            long count = SocketCalls.transferPart(errno, true, socket.fd(), wakeUps, 0, WAKE_UPS);
            if (count > 0) {
                all += count;
            } else if (count == 0 || Native.errno(errno) != Errno.EINTR) {
                return count < 0 && Native.errno(errno) == Errno.EAGAIN ? all : count;
            }
        }
        return all;
    }

    /** The events that have come since the last call. Called by the selecting thread. */
    int takeEvents() {
        RingReader reading = incoming;
        RingWriter writing = outgoing;
        if (reading == null || !reading.acquire()) {
            return 0;
        }
        int events = 0;
        if (hasNews(reading)) {
            if (reading.isEnded()) {
                ended = true;
            }
            readerWaits = false;
            events = Multiplexer.READABLE;
        }
        reading.release();
        if (writerWaits && writing.acquire()) {
            if (writing.hasRoom()) {
                writerWaits = false;
                writing.awaitNoRoom();
                events |= Multiplexer.WRITABLE;
            }
            writing.release();
        }
        return events;
    }

    /**
     * Has the peer wake this side for further events. Called by the selecting thread.
     *
     * @return {@code false} if there is one already
     */
    boolean sleep() {
        RingReader reading = incoming;
        if (reading == null || !reading.acquire()) {
            return true;
        }
        try {
            reading.sleep();
            return !hasNews(reading) && !isRoomThere();
        } finally {
            reading.release();
        }
    }

    /** Whether a read that waits has bytes, or the peer has ended its direction and nobody was told. */
    private boolean hasNews(RingReader reading) {
        return readerWaits && reading.hasBytes() || !ended && reading.isEnded();
    }

    /**
     * Asks for room once more, if a write waits for it. The peer clears a mark that it saw a moment before; if it was interrupted between
     * the two, it clears that of a later write, and its wake-up comes too early for that one.
     *
     * @return whether there is room already
     */
    private boolean isRoomThere() {
        RingWriter writing = outgoing;
        if (!writerWaits || !writing.acquire()) {
            return false;
        }
        try {
            return !writing.awaitRoom();
        } finally {
            writing.release();
        }
    }

    /** Directs the events to a handler. */
    synchronized void watch(Watch next) {
        if (watch != null) {
            throw new IllegalStateException("a handler is registered already");
        }
        watch = next;
        if (closed) {
            next.registration().cancel();
        }
    }

    /** Directs the events nowhere; another handler can be registered then. */
    synchronized void unwatch() {
        source.unregister();
        if (watch != null) {
            watch.registration().cancel();
            watch = null;
        }
    }

    EpollSource source() {
        return source;
    }

    private void report(int events) {
        Watch current = watch;
        if (current != null) {
            current.report(events);
        }
    }

    // The channel.

    @Override
    public int finishConnect() {
        return closed ? (int) BROKEN : 1;
    }

    @Override
    public long read(IoVector into) {
        RingReader reading = incoming;
        if (reading == null) {
            greet();
            reading = incoming;
            if (reading == null) {
                return closed || fault != null ? BROKEN : 0;
            }
        }
        if (fault != null || !reading.acquire()) {
            return BROKEN;
        }
        try {
            // Before the positions: no byte enters the ring after its end was seen.
            boolean last = ended || reading.isEnded();
            long count = reading.read(into);
            if (count == Ring.NONSENSE) {
                return nonsense();
            } else if (count == 0 && last) {
                return reading.isLeftUnread() ? BROKEN : END_OF_STREAM;
            }
            if (count >= 0 && count < into.bytes()) {
                awaitBytes(reading, last);
            }
            return count;
        } finally {
            reading.release();
        }
    }

    private void awaitBytes(RingReader reading, boolean last) {
        if (!readerWaits) {
            readerWaits = true;
        } else if (!reading.isFaulty() && !last) {
            return;
        }
        // Bytes that came meanwhile were no edge; the end or memory that cannot be used makes a read short without bytes to come.
        if (reading.isFaulty() || ended || reading.isEnded() || reading.hasBytes()) {
            report(Multiplexer.READABLE);
        }
    }

    @Override
    public long write(IoVector from) {
        RingWriter writing = outgoing;
        if (writing == null) {
            return closed || fault != null ? BROKEN : 0;
        }
        if (shut || gone || !writing.acquire()) {
            return BROKEN;
        }
        try {
            long count = writing.write(from);
            if (count == Ring.NONSENSE) {
                return nonsense();
            }
            if (count >= 0 && count < from.bytes()) {
                writerWaits = true;
                if (!writing.awaitRoom() || writing.isFaulty() || gone) {
                    report(Multiplexer.WRITABLE);
                }
            }
            return count;
        } finally {
            writing.release();
        }
    }

    private long nonsense() {
        report(blame("the lengths and positions in the memory that it shares make no sense"));
        return BROKEN;
    }

    /** The peer has broken the rules. Returns the events that must be reported. */
    private int blame(String words) {
        fault = words;
        ended = true;
        gone = true;
        return Multiplexer.READABLE | Multiplexer.WRITABLE;
    }

    @Override
    public VerbsException failure() {
        String connection = Failures.connection(local, remote);
        if (fault != null) {
            return new PeerException(connection + ": the peer broke the rules of shared memory: " + fault);
        }
        if (closed) {
            return new ClosedException(connection + " was closed here");
        }
        RingReader reading = incoming;
        boolean reset = reading != null && reading.acquire();
        if (reset) {
            reset = reading.isLeftUnread();
            reading.release();
        }
        return reset ? Failures.of(connection, "read", Errno.ECONNRESET, "Connection reset by peer")
                : Failures.of(connection, "write", Errno.EPIPE, "Broken pipe");
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
        shut = true;
        endOutput();
    }

    /** Called once the rings are there, too: one of the two calls finds both. */
    private void endOutput() {
        RingWriter writing = outgoing;
        if (shut && writing != null && writing.acquire()) {
            try {
                writing.end();
            } finally {
                writing.release();
            }
        }
    }

    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            if (watch != null) {
                watch.registration().cancel();
            }
        }
        RingReader reading = incoming;
        RingWriter writing = outgoing;
        if (reading != null) {
            if (reading.hasBytes()) {
                writing.leaveUnread();
            }
            reading.close();
            writing.close();
        }
        source.close();
    }
}
