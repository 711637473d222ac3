package org.panamaverbs.rdmacore.lifecycle;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.panamaverbs.ClosedException;

/** The dependants of an object, which close before it, the youngest first. */
public final class Children {
    private final String owner;
    private final Set<AutoCloseable> open = new LinkedHashSet<>();
    private Closing closing = new Closing();
    private boolean closed;

    public Children(String owner) {
        this.owner = owner;
    }

    public synchronized void add(AutoCloseable child) {
        if (closed) {
            throw closedException();
        }
        open.add(child);
    }

    /** Adds an object, or closes it if the parent was closed meanwhile. */
    public <T extends AutoCloseable> T adopt(T child) {
        try {
            add(child);
            return child;
        } catch (RuntimeException e) {
            try {
                child.close();
            } catch (Exception other) {
                e.addSuppressed(other);
            }
            throw e;
        }
    }

    public synchronized void remove(AutoCloseable child) {
        open.remove(child);
    }

    synchronized boolean isClosed() {
        return closed;
    }

    public synchronized void check() {
        if (closed) {
            throw closedException();
        }
    }

    /** Does something with each. */
    public void each(Consumer<AutoCloseable> action) {
        List<AutoCloseable> now;
        synchronized (this) {
            now = new ArrayList<>(open);
        }
        now.forEach(action);
    }

    /** Whether something holds of each. */
    public synchronized boolean all(Predicate<AutoCloseable> condition) {
        return open.stream().allMatch(condition);
    }

    private ClosedException closedException() {
        return new ClosedException(owner + " is closed");
    }

    /**
     * Takes no more, and closes those there are; {@code false} if another thread has done that, or tried. A child that cannot be closed does
     * not keep the others from being closed, and stays: closing again tries again.
     */
    public boolean close() {
        Closing mine;
        synchronized (this) {
            mine = closing;
        }
        if (!mine.begin()) {
            return false;
        }
        RuntimeException failure = null;
        try {
            List<AutoCloseable> last;
            synchronized (this) {
                closed = true;
                last = new ArrayList<>(open);
            }
            for (AutoCloseable child : last.reversed()) {
                failure = close(child, failure);
            }
        } finally {
            if (failure != null) {
                synchronized (this) {
                    closing = new Closing();
                }
            }
            mine.end();
        }
        if (failure != null) {
            throw failure;
        }
        return true;
    }

    private RuntimeException close(AutoCloseable child, RuntimeException before) {
        try {
            child.close();
            return before;
        } catch (Exception e) {
            if (before != null) {
                before.addSuppressed(e);
                return before;
            }
            return new IllegalStateException("closing what depends on " + owner + " failed: " + e.getMessage(), e);
        }
    }
}
