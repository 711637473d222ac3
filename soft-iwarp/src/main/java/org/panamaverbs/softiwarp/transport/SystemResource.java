package org.panamaverbs.softiwarp.transport;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.panamaverbs.softiwarp.memory.Fields;

/**
 * Something of the system that is given back once nobody uses it: a file descriptor, or a mapping. A thread that used it later would meet
 * what the system has put in its place. So each use stands between {@link #acquire} and {@link #release}, and the last one out gives it
 * back.
 */
public abstract class SystemResource {
    /** The sign bit: closed; the other bits count the users. */
    private static final int CLOSED = 1 << 31;
    private static final VarHandle STATE = Fields.of(MethodHandles.lookup(), "state", int.class);

    private volatile int state;

    /** Begins a use; {@code false} if it is closed. */
    public final boolean acquire() {
        int seen;
        do {
            seen = state;
            if (seen < 0) {
                return false;
            }
        } while (!STATE.compareAndSet(this, seen, seen + 1));
        return true;
    }

    /** Ends a use. */
    public final void release() {
        if ((int) STATE.getAndAdd(this, -1) == CLOSED + 1) {
            closeNow();
        }
    }

    /** Gives it back, now or when the last use ends; {@code false} if it was closed before. */
    public final boolean close() {
        int seen = (int) STATE.getAndBitwiseOr(this, CLOSED);
        if (seen == 0) {
            closeNow();
        }
        return seen >= 0;
    }

    public final boolean isClosed() {
        return state < 0;
    }

    /** Gives it back to the system; called once. */
    protected abstract void closeNow();
}
