package org.panamaverbs.softiwarp.transport.nio;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import org.panamaverbs.ClosedException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.softiwarp.transport.Channel;
import org.panamaverbs.softiwarp.transport.Failures;
import org.panamaverbs.softiwarp.transport.Multiplexer;
import org.panamaverbs.softiwarp.transport.Registration;

/** A connection by a channel of the JDK, of TCP or SCTP: how it is established, the failure that broke it, and its end. */
// Tested by NioMultiplexerTest, SctpTransportTest.
public abstract class NioConnection {
    /** The local address before a connection is established, or if the system does not say it. */
    protected static final InetSocketAddress NONE = new InetSocketAddress(0);
    private static final int BROKEN = (int) Channel.BROKEN;

    private final InetSocketAddress remote;
    private final NioSource source;
    private volatile InetSocketAddress local = NONE;
    private volatile boolean connected;
    private volatile boolean closed;
    private volatile IOException cause;
    private volatile String causedBy;

    /** Makes one that is not established yet. */
    protected NioConnection(SelectableChannel socket, InetSocketAddress remote) {
        this.remote = remote;
        this.source = new NioSource(socket);
    }

    /** Whether the channel is connected; if it is not, the system goes on with that. */
    protected abstract boolean finish() throws IOException;

    /** The channel is connected: sees what the system says of it, and calls {@link #established}. */
    protected abstract void onConnected() throws IOException;

    /** Names it in messages. */
    protected abstract String describe();

    /** Bytes and messages come and go from now on. */
    protected final void established(InetSocketAddress localAddress) {
        local = localAddress;
        connected = true;
    }

    protected final boolean isEstablished() {
        return connected;
    }

    /** The result of a read or write before it is established: 0, or BROKEN if it never will be. */
    protected final int unestablished() {
        return closed || cause != null ? BROKEN : 0;
    }

    /** The first failure counts; BROKEN. */
    protected final int broke(String call, IOException e) {
        if (cause == null) {
            causedBy = call;
            cause = e;
        }
        return BROKEN;
    }

    /** Arms operations, as {@link NioSource#arm}. */
    protected final void arm(int operations) {
        source.arm(operations);
    }

    /** Watches the socket: for the end of connecting first, if it is not connected yet. Holds the lock of {@link #finishConnect}. */
    public final synchronized Registration register(NioMultiplexer multiplexer, Multiplexer.Handler handler) {
        return source.register(multiplexer, connected ? SelectionKey.OP_READ | SelectionKey.OP_WRITE : SelectionKey.OP_CONNECT, handler);
    }

    final void unregister() {
        source.unregister();
    }

    /** As {@link Channel#finishConnect}. */
    public final int finishConnect() {
        if (connected) {
            return closed ? BROKEN : 1;
        }
        synchronized (this) {
            if (cause != null) {
                return BROKEN;
            }
            try {
                if (!finish()) {
                    arm(SelectionKey.OP_CONNECT);
                    return 0;
                }
                onConnected();
                // If no event reported the connection, the operation is still armed. A connected socket stays ready for it, so select would
                // never wait.
                source.disarm(SelectionKey.OP_CONNECT);
                arm(SelectionKey.OP_READ | SelectionKey.OP_WRITE);
                return 1;
            } catch (IOException e) {
                return broke("connect", e);
            }
        }
    }

    /** As {@link Channel#failure}. */
    public final VerbsException failure() {
        IOException first = cause;
        if (closed && (first == null || first instanceof ClosedChannelException)) {
            return new ClosedException(describe() + " was closed here");
        }
        return first == null ? new ClosedException(describe() + " is not broken") : Failures.of(describe(), causedBy, first);
    }

    /** As {@link Channel#localAddress}. */
    public final InetSocketAddress localAddress() {
        return local;
    }

    /** As {@link Channel#remoteAddress}. */
    public final InetSocketAddress remoteAddress() {
        return remote;
    }

    /** As {@link Channel#close}. */
    public final void close() {
        closed = true;
        source.close();
    }
}
