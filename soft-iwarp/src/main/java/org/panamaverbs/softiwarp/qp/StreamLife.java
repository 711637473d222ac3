package org.panamaverbs.softiwarp.qp;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.panamaverbs.softiwarp.memory.Fields;

/**
 * The state of a stream and the reason for its end. The two change together, by one atomic instruction of any thread. The first reason wins.
 */
public final class StreamLife {
    /** A state, and the reason for the end; {@code null} before the end. */
    private record Moment(StreamState state, EndReason reason) {
    }

    private static final VarHandle CURRENT = Fields.of(MethodHandles.lookup(), "current", Moment.class);

    private volatile Moment current = new Moment(StreamState.IDLE, null);

    /** The current state. */
    public StreamState state() {
        return current.state;
    }

    /** The reason for the end; {@code null} before the end. */
    public EndReason reason() {
        return current.reason;
    }

    /** The connection broke, or soft-iwarp itself failed; {@code false} if the stream is over already. */
    public boolean lose(EndReason reason) {
        return move(StreamState.Event.LOST, reason);
    }

    /**
     * Moves to the state after an event.
     *
     * @param reason the reason, if the event ends the stream
     * @return {@code false} if the event changes nothing
     */
    boolean move(StreamState.Event event, EndReason reason) {
        while (true) {
            Moment from = current;
            StreamState to = from.state.after(event);
            if (to == from.state) {
                return false;
            }
            EndReason kept = from.reason != null || !to.isOver() ? from.reason : reason;
            if (CURRENT.compareAndSet(this, from, new Moment(to, kept))) {
                return true;
            }
        }
    }
}
