package org.panamaverbs.softiwarp.transport;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.panamaverbs.softiwarp.memory.Fields;
import org.panamaverbs.spi.support.Complaints;

/** Connects the events of one channel or acceptor with a handler, until the channel or acceptor is closed. */
public final class Registration {
    private static final Complaints.Message FAILED = new Complaints(Registration.class)
            .message("the event handler {} failed; its connection may stall");
    static final VarHandle PENDING = Fields.of(MethodHandles.lookup(), "pending", int.class);

    /** {@code null} after {@link #cancel}. */
    private volatile Multiplexer.Handler handler;
    /** Events that wait in an {@link EventStack}; 0 if this is in no stack. */
    @SuppressWarnings("UnusedVariable") // PENDING reads it.
    private volatile int pending;
    /** The registration below. The thread that changed {@link #pending} from 0 writes it, then the thread that took the stack. */
    Registration below;

    public Registration(Multiplexer.Handler handler) {
        this.handler = handler;
    }

    /**
     * Calls another handler from now on. The handler that establishes a connection passes the events on to the driver of the stream. Only
     * the selecting thread calls this.
     */
    public synchronized void direct(Multiplexer.Handler next) {
        if (handler != null) {
            handler = next;
        }
    }

    /** Stops calls of the handler; a call that is under way continues. */
    public synchronized void cancel() {
        handler = null;
    }

    public boolean isCancelled() {
        return handler == null;
    }

    /**
     * Calls the handler. Logs an exception of the handler and does not pass it on: each edge is reported only once, and a bug in one
     * handler must not lose the edges of other channels.
     *
     * @return 1, or 0 if the registration was cancelled
     */
    public int dispatch(int events) {
        Multiplexer.Handler current = handler;
        if (current == null) {
            return 0;
        }
        try {
            current.onReady(events);
        } catch (RuntimeException | Error e) {
            FAILED.error(current.getClass(), e);
        }
        return 1;
    }
}
