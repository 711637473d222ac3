package org.panamaverbs.softiwarp.transport.nio;

import java.io.IOException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import org.panamaverbs.softiwarp.transport.Multiplexer;
import org.panamaverbs.softiwarp.transport.Registration;

/**
 * A socket that a selector watches; here level-triggered readiness is made to look edge-triggered.
 *
 * <p>A selector reports what is ready as long as it is, and as long as it is asked for. So an operation is no longer asked for from
 * the moment it was reported (the multiplexer does that, before it calls the handler), and is asked for again once a read or write came
 * back short ({@link #arm}). No edge is lost in between, whichever threads these are, because asking looks at the state, not at changes:
 * bytes that came after the short read and before the asking are reported by the next select. And the order of a report and an arming
 * that race does not matter: the report switches off first and calls the handler then, so a read that the handler leads to comes after the
 * switching off, and arms again.
 *
 * <p>It is not armed after the end of the stream or a failure: those stay ready for ever.
 */
final class NioSource {
    private final SelectableChannel socket;
    /** {@code null} until a handler is there. */
    private volatile NioMultiplexer multiplexer;

    NioSource(SelectableChannel socket) {
        this.socket = socket;
    }

    void register(NioMultiplexer watcher, int operations, Multiplexer.Handler handler) {
        if (multiplexer != null) {
            throw new IllegalStateException("it has a handler already");
        }
        // Before the first event can come: a handler that reads arms.
        multiplexer = watcher;
        try {
            socket.register(watcher.selector(), operations, new Registration(handler));
        } catch (ClosedChannelException e) {
            return; // nothing to report
        }
        watcher.interestChanged();
    }

    /** Asks for operations (again); nothing to do before a handler is there, since they are asked for then. */
    void arm(int operations) {
        NioMultiplexer watcher = multiplexer;
        // Waits for a registration that is under way on another thread, unlike a field that this would set only after it.
        SelectionKey key = watcher == null ? null : socket.keyFor(watcher.selector());
        if (key == null) {
            return;
        }
        try {
            if ((key.interestOpsOr(operations) & operations) != operations) {
                watcher.interestChanged();
            }
        } catch (CancelledKeyException e) {
            // Closed meanwhile.
        }
    }

    void close() {
        NioMultiplexer watcher = multiplexer;
        SelectionKey key = watcher == null ? null : socket.keyFor(watcher.selector());
        if (key != null) {
            ((Registration) key.attachment()).cancel();
        }
        try {
            socket.close();
        } catch (IOException e) {
            // It is closed for all that we can do.
        }
        if (key != null) {
            // Only the next selection lets the descriptor of a registered socket go.
            watcher.interestChanged();
        }
    }
}
