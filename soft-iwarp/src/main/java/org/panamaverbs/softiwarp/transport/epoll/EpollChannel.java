package org.panamaverbs.softiwarp.transport.epoll;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.util.function.Supplier;
import org.panamaverbs.ClosedException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.cm.Route;
import org.panamaverbs.posix.Errno;
import org.panamaverbs.posix.Native;
import org.panamaverbs.posix.SocketAddresses;
import org.panamaverbs.posix.SocketCalls;
import org.panamaverbs.softiwarp.memory.IoVector;
import org.panamaverbs.softiwarp.transport.Channel;
import org.panamaverbs.softiwarp.transport.Failures;
import org.panamaverbs.softiwarp.transport.Multiplexer;
import org.panamaverbs.softiwarp.transport.TcpOptions;

/** A TCP connection on a non-blocking socket, read by {@code readv} or {@code recv} and written by {@code writev} or {@code send}. */
// Tested by EpollMultiplexerTest, CutConnectionTest.
final class EpollChannel implements Channel {
    private static final int DEFAULT_SEGMENT_SIZE = 1460;

    private final EpollSource source;
    private final Descriptor socket;
    private final InetSocketAddress local;
    private final InetSocketAddress remote;
    private final TcpOptions options;
    private final VectorCall reading;
    private final VectorCall writing;
    private volatile boolean connected;
    /** Whether this channel has sent data since {@link #ask} last found all data acknowledged. */
    private volatile boolean sent;
    private final PeerWatch.Silence silence = new PeerWatch.Silence();
    /** Whether the peer was silent for too long. */
    private volatile boolean gaveUp;
    /** Why the connection broke; the first cause stays. */
    private volatile Cause cause;

    /** The call that failed, its error number, and the setting of the socket that caused the failure, or {@code null}. */
    private record Cause(String call, int number, String words) {
    }

    /**
     * Makes a channel. If that fails, for example for lack of memory, the socket is closed: the peer must not stay connected to no channel.
     */
    static EpollChannel of(Descriptor socket, Supplier<InetSocketAddress> local, InetSocketAddress remote, boolean connected,
            TcpOptions options) {
        return socket.orClose(() -> new EpollChannel(socket, local.get(), remote, connected, options));
    }

    private EpollChannel(Descriptor socket, InetSocketAddress local, InetSocketAddress remote, boolean connected, TcpOptions options) {
        source = new EpollSource(socket, this);
        this.options = options;
        this.socket = socket;
        this.local = local;
        this.remote = remote;
        this.connected = connected;
        reading = new VectorCall(socket.memory(), true);
        writing = new VectorCall(socket.memory(), false);
    }

    @Override
    public int finishConnect() {
        if (connected) {
            return 1;
        }
        if (cause != null || !socket.acquire()) {
            return (int) BROKEN;
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment errno = Native.newErrno(arena);
            int error = Sockets.option(errno, socket.fd(), Libc.SOL_SOCKET(), Libc.SO_ERROR(), -1);
            if (error != 0) {
                broke(error < 0 ? "getsockopt" : "connect", error < 0 ? Native.errno(errno) : error);
                return (int) BROKEN;
            }
            // Without an error the peer may still not have answered: only a socket with a peer's address is connected.
            MemorySegment size = arena.allocateFrom(ValueLayout.JAVA_INT, 0);
            connected = SocketCalls.getpeername(errno, socket.fd(), SocketAddresses.newStorage(arena), size) == 0;
            return connected ? 1 : 0;
        } finally {
            socket.release();
        }
    }

    @Override
    public long read(IoVector into) {
        return transfer(reading, into, "readv", Multiplexer.READABLE);
    }

    @Override
    public long write(IoVector from) {
        long count = transfer(writing, from, "writev", Multiplexer.WRITABLE);
        if (count > 0) {
            onSent();
        }
        return count;
    }

    /** The peer must acknowledge bytes or the end of the stream. Called after the system call: ask clears the flag before it asks the kernel. */
    private void onSent() {
        if (!sent) {
            sent = true;
            source.sent();
        }
    }

    private long transfer(VectorCall direction, IoVector vector, String call, int event) {
        if (gaveUp || !socket.acquire()) {
            return BROKEN;
        }
        long result;
        try {
            result = direction.transfer(socket.fd(), vector);
        } finally {
            socket.release();
        }
        if (direction.failure() != 0) {
            broke(call, direction.failure());
        }
        if (result > 0 && result < vector.bytes() && (direction.isUnsure() || source.hasEnded())) {
            // After a short count the caller waits for the next event. There may be none: an earlier event may have reported the end of the
            // stream or its failure together with the bytes, or memory was the cause of the short count. So we report one more event.
            source.report(event);
        }
        return result;
    }

    private void broke(String call, int number) {
        broke(call, number, connected ? silence(number) : null);
    }

    private synchronized void broke(String call, int number, String words) {
        if (cause == null) {
            cause = new Cause(call, number, words);
        }
    }

    /** A text about a connection that the kernel has given up; the error number is that of the route if the route had an error. */
    private String silence(int number) {
        boolean silent = number == Libc.ETIMEDOUT() || number == Libc.EHOSTUNREACH() || number == Libc.ENETUNREACH();
        return !silent || !options.keepsAlive() || !endedByKeepAlive() ? null : Route.text(remote) + " answered nothing for "
                + seconds(options.keepAliveMillis()) + " s (setting " + TcpOptions.KEEPALIVE.name() + ")";
    }

    private boolean endedByKeepAlive() {
        if (!socket.acquire()) {
            return false;
        }
        try {
            return PeerWatch.endedByKeepAlive(socket.fd());
        } finally {
            socket.release();
        }
    }

    private static String seconds(int milliseconds) {
        return milliseconds % 1000 == 0 ? Integer.toString(milliseconds / 1000) : Double.toString(milliseconds / 1000.0);
    }

    boolean hasSent() {
        return sent;
    }

    /**
     * Breaks the connection if its peer has been silent for too long. Only the selecting thread calls it.
     *
     * @param late whether this thread did not run for a while, so that there may be answers that the kernel has not processed yet
     * @return whether to ask again
     */
    boolean ask(PeerWatch watch, long nanoTime, boolean late) {
        if (!socket.acquire()) {
            return false;
        }
        // If asking or giving up fails, for lack of memory say, the connection is asked about again.
        boolean again = true;
        try {
            // Before the kernel is asked: data sent from now on sets the flag again.
            sent = false;
            PeerWatch.Answer answer = watch.ask(socket.fd(), silence, nanoTime, late);
            if (answer == PeerWatch.Answer.SILENT) {
                giveUp();
            }
            again = answer == PeerWatch.Answer.WAITING;
        } finally {
            if (again) {
                sent = true;
            }
            socket.release();
        }
        return again;
    }

    private void giveUp() {
        Sockets.dropOnClose(socket.fd());
        broke("user time-out", Libc.ETIMEDOUT(), Route.text(remote) + " acknowledged nothing for " + seconds(options.userTimeoutMillis())
                + " s (setting " + TcpOptions.USER_TIMEOUT.name() + ")");
        gaveUp = true;
        source.report(Multiplexer.READABLE | Multiplexer.WRITABLE);
    }

    @Override
    public VerbsException failure() {
        Cause reason = cause;
        String connection = Failures.connection(local, remote);
        if (reason != null) {
            return reason.words() == null ? Failures.of(connection, reason.call(), reason.number())
                    : Failures.of(connection, reason.call(), reason.number(), Errno.text(reason.number()) + ": " + reason.words());
        }
        return new ClosedException(connection + (socket.isClosed() ? " was closed here" : " is not broken"));
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
        if (!connected || !socket.acquire()) {
            return DEFAULT_SEGMENT_SIZE;
        }
        try (Arena arena = Arena.ofConfined()) {
            int size = Sockets.option(Native.newErrno(arena), socket.fd(), Libc.IPPROTO_TCP(), Libc.TCP_MAXSEG(), DEFAULT_SEGMENT_SIZE);
            return size > 0 ? size : DEFAULT_SEGMENT_SIZE;
        } finally {
            socket.release();
        }
    }

    @Override
    public void shutdownOutput() {
        if (socket.acquire()) {
            try {
                // Fails if the stream is broken already: read and write report that.
                if (SocketCalls.shutdown(Descriptor.UNREAD, socket.fd(), Libc.SHUT_WR()) == 0) {
                    onSent();
                }
            } finally {
                socket.release();
            }
        }
    }

    EpollSource source() {
        return source;
    }

    @Override
    public void close() {
        source.close();
    }
}
