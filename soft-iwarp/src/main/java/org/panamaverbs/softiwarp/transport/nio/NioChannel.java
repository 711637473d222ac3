package org.panamaverbs.softiwarp.transport.nio;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import org.panamaverbs.ClosedException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.softiwarp.memory.IoVector;
import org.panamaverbs.softiwarp.transport.Channel;
import org.panamaverbs.softiwarp.transport.Failures;
import org.panamaverbs.softiwarp.transport.Multiplexer;
import org.panamaverbs.softiwarp.transport.Registration;

/**
 * A TCP connection as a {@link SocketChannel}. It reuses the buffers of segments ({@link SegmentViews}). The JDK may still allocate inside
 * its scattering reads and gathering writes.
 */
// Tested by NioMultiplexerTest.
final class NioChannel implements Channel {
    private static final InetSocketAddress NONE = new InetSocketAddress(0);
    private static final int SEGMENT_SIZE = 1460;

    private final SocketChannel socket;
    private final InetSocketAddress remote;
    private final NioSource source;
    private final SegmentViews reading = new SegmentViews();
    private final SegmentViews writing = new SegmentViews();
    private volatile InetSocketAddress local;
    private volatile boolean connected;
    private volatile boolean closed;
    private volatile IOException cause;
    private volatile String causedBy;

    NioChannel(SocketChannel socket, InetSocketAddress remote, boolean connected) {
        this.socket = socket;
        this.remote = remote;
        this.connected = connected;
        source = new NioSource(socket);
        local = connected ? findLocalAddress() : NONE;
    }

    SocketChannel socket() {
        return socket;
    }

    private InetSocketAddress findLocalAddress() {
        try {
            return socket.getLocalAddress() instanceof InetSocketAddress address ? address : NONE;
        } catch (IOException e) {
            return NONE;
        }
    }

    /** Watches the socket: for the end of connecting first, if it is not connected yet. Holds the lock of {@link #finishConnect}. */
    synchronized Registration register(NioMultiplexer multiplexer, Multiplexer.Handler handler) {
        return source.register(multiplexer, connected ? SelectionKey.OP_READ | SelectionKey.OP_WRITE : SelectionKey.OP_CONNECT, handler);
    }

    void unregister() {
        source.unregister();
    }

    @Override
    public int finishConnect() {
        if (connected) {
            return closed ? (int) BROKEN : 1;
        }
        synchronized (this) {
            if (cause != null) {
                return (int) BROKEN;
            }
            try {
                if (!socket.finishConnect()) {
                    source.arm(SelectionKey.OP_CONNECT);
                    return 0;
                }
                local = findLocalAddress();
                connected = true;
                // If no event reported the connection, the operation is still armed. A connected socket stays ready for it, so select would
                // never wait.
                source.disarm(SelectionKey.OP_CONNECT);
                source.arm(SelectionKey.OP_READ | SelectionKey.OP_WRITE);
                return 1;
            } catch (IOException e) {
                broke("connect", e);
                return (int) BROKEN;
            }
        }
    }

    @Override
    public long read(IoVector into) {
        if (!connected) {
            return closed || cause != null ? BROKEN : 0;
        }
        for (int i = 0; i < into.size(); i++) {
            if (into.segment(i).isReadOnly()) {
                return BAD_MEMORY;
            }
        }
        long count;
        try {
            count = socket.read(reading.buffers(), 0, reading.load(into));
        } catch (IllegalStateException | WrongThreadException e) {
            // The arena of a segment is closed, or is confined to another thread.
            return BAD_MEMORY;
        } catch (IOException e) {
            return broke("read", e);
        }
        if (count >= 0 && count < into.bytes()) {
            source.arm(SelectionKey.OP_READ);
        }
        return count < 0 ? END_OF_STREAM : count;
    }

    @Override
    public long write(IoVector from) {
        if (!connected) {
            return closed || cause != null ? BROKEN : 0;
        }
        long count;
        try {
            count = socket.write(writing.buffers(), 0, writing.load(from));
        } catch (IllegalStateException | WrongThreadException e) {
            return BAD_MEMORY;
        } catch (IOException e) {
            return broke("write", e);
        }
        if (count < from.bytes()) {
            source.arm(SelectionKey.OP_WRITE);
        }
        return count;
    }

    private long broke(String call, IOException e) {
        // EFAULT has no class of its own; this is its text in the C locale.
        if ("Bad address".equals(e.getMessage())) {
            return BAD_MEMORY;
        }
        if (cause == null) {
            causedBy = call;
            cause = e;
        }
        return BROKEN;
    }

    @Override
    public VerbsException failure() {
        IOException known = cause;
        String connection = Failures.connection(local, remote);
        if (closed && (known == null || known instanceof ClosedChannelException)) {
            return new ClosedException(connection + " was closed here");
        }
        return known == null ? new ClosedException(connection + " is not broken") : Failures.of(connection, causedBy, known);
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
        return SEGMENT_SIZE; // NIO does not offer it
    }

    @Override
    public void shutdownOutput() {
        try {
            socket.shutdownOutput();
        } catch (IOException e) {
            // The stream is broken or closed already: read and write report that.
        }
    }

    @Override
    public void close() {
        closed = true;
        source.close();
    }
}
