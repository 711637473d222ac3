package org.panamaverbs.softiwarp.transport.nio;

import java.io.IOException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import org.panamaverbs.softiwarp.transport.Multiplexer;
import org.panamaverbs.softiwarp.transport.Registration;

/**
 * A socket that a selector watches. Turns the selector's level-triggered events into edge-triggered ones.
 *
 * <p>A selector reports an operation as long as the socket is ready for it and the operation is armed. So the multiplexer disarms an
 * operation when it reports it, before it calls the handler, and {@link #arm} arms it again after a short read or write. No edge is lost in
 * between, on whatever threads these run, because a selection checks the state of the socket: if bytes come after a short read and before
 * the operation is armed, the next select reports them. A report and an arming may race: the report disarms first and then calls the
 * handler, so a read that follows from the report comes after the disarming and arms again.
 *
 * <p>The socket is not armed after the end of the stream or a failure, because it stays ready for ever then.
 */
public final class NioSource {
    private final SelectableChannel socket;
    /** {@code null} until a handler is registered. */
    private volatile NioMultiplexer multiplexer;

    /** Makes the source of a channel, which no selector watches yet. */
    public NioSource(SelectableChannel socket) {
        this.socket = socket;
    }

    /** Has a multiplexer report these operations to a handler. */
    public Registration register(NioMultiplexer watcher, int operations, Multiplexer.Handler handler) {
        if (multiplexer != null) {
            throw new IllegalStateException("a handler is registered already");
        }
        // Set before the first event can come: a handler that reads calls arm().
        multiplexer = watcher;
        Registration registration = new Registration(handler);
        try {
            socket.register(watcher.selector(), operations, registration);
        } catch (ClosedChannelException e) {
            return registration; // closed: no event will come
        }
        watcher.interestChanged();
        return registration;
    }

    /** Makes no multiplexer report the events of the socket any more. */
    void unregister() {
        NioMultiplexer watcher = multiplexer;
        SelectionKey key = key(watcher);
        if (key != null) {
            multiplexer = null;
            ((Registration) key.attachment()).cancel();
            key.cancel();
            // The selector keeps the key, and with it the file descriptor of a closed socket, until its next selection.
            watcher.interestChanged();
        }
    }

    /** Arms operations. Does nothing before a handler is registered, because the registration arms them. */
    public void arm(int operations) {
        NioMultiplexer watcher = multiplexer;
        SelectionKey key = key(watcher);
        if (key == null) {
            return;
        }
        try {
            if ((key.interestOpsOr(operations) & operations) != operations) {
                watcher.interestChanged();
            }
        } catch (CancelledKeyException e) {
            // Another thread has closed the socket.
        }
    }

    /** Disarms operations that have ended for good; the next selection no longer watches them. */
    void disarm(int operations) {
        SelectionKey key = key(multiplexer);
        if (key == null) {
            return;
        }
        try {
            key.interestOpsAnd(~operations);
        } catch (CancelledKeyException e) {
            // Another thread has closed the socket.
        }
    }

    private SelectionKey key(NioMultiplexer watcher) {
        // keyFor() waits for a registration under way on another thread; a field would only be set after the registration.
        return watcher == null ? null : socket.keyFor(watcher.selector());
    }

    /** Closes the channel; the multiplexer forgets it. */
    public void close() {
        NioMultiplexer watcher = multiplexer;
        SelectionKey key = key(watcher);
        if (key != null) {
            ((Registration) key.attachment()).cancel();
        }
        try {
            socket.close();
        } catch (IOException e) {
            // Nothing more can be done to close it.
        }
        if (key != null) {
            // Only the next selection frees the file descriptor of a registered socket.
            watcher.interestChanged();
        }
    }

    /**
     * Closes the channel of a listening socket; when this returns, its port is free and refuses peers. Only the thread that selects calls it
     * once a handler is registered. {@link #close} leaves the port open until the next selection, and a peer that comes in between is reset.
     */
    public void closePort() {
        NioMultiplexer watcher = multiplexer;
        close();
        if (watcher != null) {
            watcher.freeClosed();
        }
    }
}
