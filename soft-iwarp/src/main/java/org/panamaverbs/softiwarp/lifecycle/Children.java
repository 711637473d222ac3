package org.panamaverbs.softiwarp.lifecycle;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.panamaverbs.ClosedException;

/** The objects that depend on an owner. They close before the owner, the youngest first. */
public final class Children {
    private final String owner;
    private final Set<AutoCloseable> open = new LinkedHashSet<>();
    private boolean closed;

    /**
     * Makes it without children.
     *
     * @param owner the owner, for messages
     */
    public Children(String owner) {
        this.owner = owner;
    }

    /** Adds a child; it closes with the owner. */
    public synchronized void add(AutoCloseable child) {
        if (closed) {
            throw closedException();
        }
        open.add(child);
    }

    /** Forgets a child, which has closed itself. */
    public synchronized void remove(AutoCloseable child) {
        open.remove(child);
    }

    /** Whether the owner is closed, or closes. */
    public synchronized boolean isClosed() {
        return closed;
    }

    /** Throws if the owner is closed. */
    public synchronized void check() {
        if (closed) {
            throw closedException();
        }
    }

    private ClosedException closedException() {
        return new ClosedException(owner + " is closed");
    }

    /**
     * Closes all children and accepts no more; {@code false} if it was closed before.
     *
     * @throws IllegalStateException if a child could not be closed; the others are closed
     */
    public boolean close() {
        List<AutoCloseable> last;
        synchronized (this) {
            if (closed) {
                return false;
            }
            closed = true;
            last = new ArrayList<>(open);
        }
        Throwable failure = null;
        for (AutoCloseable child : last.reversed()) {
            try {
                child.close();
            } catch (Exception | Error e) {
                failure = failure == null ? e : failure;
            }
        }
        if (failure != null) {
            throw new IllegalStateException("an object of " + owner + " could not be closed: " + failure.getMessage(), failure);
        }
        return true;
    }
}
