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

    /** Closes all children and accepts no more; {@code false} if it was closed before. */
    public boolean close() {
        List<AutoCloseable> last;
        synchronized (this) {
            if (closed) {
                return false;
            }
            closed = true;
            last = new ArrayList<>(open);
        }
        for (AutoCloseable child : last.reversed()) {
            try {
                child.close();
            } catch (Exception e) {
                throw new IllegalStateException("closing what depends on " + owner + " failed", e);
            }
        }
        return true;
    }
}
