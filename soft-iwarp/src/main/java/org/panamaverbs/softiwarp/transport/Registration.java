package org.panamaverbs.softiwarp.transport;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.panamaverbs.softiwarp.memory.Fields;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** That a handler hears of the events of one channel or acceptor, until that is closed. */
public final class Registration {
    private static final Logger LOG = LoggerFactory.getLogger(Registration.class);
    static final VarHandle PENDING = Fields.of(MethodHandles.lookup(), "pending", int.class);

    /** {@code null} once it is cancelled. */
    private volatile Multiplexer.Handler handler;
    /** Events that wait in an {@link EventStack}; 0 where it is in none. */
    private volatile int pending;
    /** The one below it in the stack; belongs to whoever took {@link #pending} from 0, then to whoever took the stack. */
    Registration below;

    public Registration(Multiplexer.Handler handler) {
        this.handler = handler;
    }

    /** The handler hears no more; a call that is under way goes on. */
    public void cancel() {
        handler = null;
    }

    /**
     * Calls the handler. What it throws is logged and goes no further: an edge is told once only, and the other channels' edges must
     * not be lost to one handler's defect.
     *
     * @return 1, or 0 where it was cancelled
     */
    public int dispatch(int events) {
        Multiplexer.Handler current = handler;
        if (current == null) {
            return 0;
        }
        try {
            current.onReady(events);
        } catch (RuntimeException | Error e) {
            LOG.error("A handler of readiness events failed; its connection may stand still", e);
        }
        return 1;
    }
}
