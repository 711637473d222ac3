package org.panamaverbs.rdmacore;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.panamaverbs.ClosedException;

/** What depends on an object and closes before it, the youngest first. */
final class Children {
    private final String owner;
    private final Set<AutoCloseable> open = new LinkedHashSet<>();
    private final Closing closing = new Closing();
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

    /** Does something with each. */
    void each(Consumer<AutoCloseable> action) {
        List<AutoCloseable> now;
        synchronized (this) {
            now = new ArrayList<>(open);
        }
        now.forEach(action);
    }

    /** Whether something holds of each. */
    synchronized boolean all(Predicate<AutoCloseable> condition) {
        return open.stream().allMatch(condition);
    }

    private ClosedException closedException() {
        return new ClosedException(owner + " is closed");
    }

    /** Takes no more, and closes those there are; {@code false} where another did that, and has done. */
    boolean close() {
        if (!closing.begin()) {
            return false;
        }
        try {
            List<AutoCloseable> last;
            synchronized (this) {
                closed = true;
                last = new ArrayList<>(open);
            }
            for (AutoCloseable child : last.reversed()) {
                close(child);
            }
        } finally {
            closing.end();
        }
        return true;
    }

    private void close(AutoCloseable child) {
        try {
            child.close();
        } catch (Exception e) {
            throw new IllegalStateException("closing what depends on " + owner + " failed", e);
        }
    }
}
