package org.panamaverbs.softiwarp;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.panamaverbs.ClosedException;

/** The objects that depend on an owner. They close before the owner, the youngest first. */
final class Children {
    private final String owner;
    private final Set<AutoCloseable> open = new LinkedHashSet<>();
    private boolean closed;

    Children(String owner) {
        this.owner = owner;
    }

    synchronized void add(AutoCloseable child) {
        if (closed) {
            throw closedException();
        }
        open.add(child);
    }

    synchronized void remove(AutoCloseable child) {
        open.remove(child);
    }

    synchronized boolean isClosed() {
        return closed;
    }

    synchronized void check() {
        if (closed) {
            throw closedException();
        }
    }

    private ClosedException closedException() {
        return new ClosedException(owner + " is closed");
    }

    /** Closes all children and accepts no more; {@code false} if it was closed before. */
    boolean close() {
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
