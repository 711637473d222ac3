package org.panamaverbs.spi.support;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.panamaverbs.ClosedException;

/**
 * The objects that depend on an owner, and whether the owner is closed. They close before the owner, the youngest first: an owner begins its
 * own {@code close} with
 *
 * {@snippet :
 * if (!children.close()) {
 *     return;
 * }
 * }
 *
 * and a child's {@code close} ends with {@link #remove} on its owner. Any thread may call any method. No lock of this class that adding or
 * removing needs is held while a child closes.
 */
public final class Children {
    private final String owner;
    private final Set<AutoCloseable> open = new LinkedHashSet<>();
    /** Held while children close: another thread that closes the owner waits, since it may close next what the children still need. */
    private final ReentrantLock closing = new ReentrantLock();
    private boolean closed;
    private boolean allClosed;

    /**
     * Makes it without children.
     *
     * @param owner the owner, for messages: {@code "the protection domain"}
     */
    public Children(String owner) {
        this.owner = owner;
    }

    /**
     * Adds a child, which closes with the owner.
     *
     * @param child its {@code close} may be called again after it has closed
     * @throws ClosedException if the owner is closed
     */
    public synchronized void add(AutoCloseable child) {
        check();
        open.add(child);
    }

    /**
     * Adds a child, or closes it if the owner was closed meanwhile.
     *
     * @param <T>   the child's type
     * @param child as for {@link #add}
     * @return the child
     * @throws ClosedException if the owner is closed
     */
    public <T extends AutoCloseable> T adopt(T child) {
        try {
            add(child);
            return child;
        } catch (ClosedException e) {
            try {
                child.close();
            } catch (Exception other) {
                e.addSuppressed(other);
            }
            throw e;
        }
    }

    /**
     * Forgets a child that has closed.
     *
     * @param child may be unknown
     * @return whether it was known: {@code true} for one thread alone of those that close it
     */
    public synchronized boolean remove(AutoCloseable child) {
        return open.remove(child);
    }

    /** {@return the children that have not closed; a copy, the oldest first} */
    public synchronized List<AutoCloseable> open() {
        return new ArrayList<>(open);
    }

    /**
     * Whether the owner is closed, or closes.
     *
     * @return {@code true} from the beginning of {@link #close} on
     */
    public synchronized boolean isClosed() {
        return closed;
    }

    /**
     * Refuses what needs the owner open.
     *
     * @throws ClosedException if the owner is closed, or closes
     */
    public synchronized void check() {
        if (closed) {
            throw new ClosedException(owner + " is closed");
        }
    }

    /**
     * Closes all children and accepts no more. If another thread is closing them, this one waits until that is done.
     *
     * @return whether this call closed them; {@code false} if they were closed before, or if a child that is closing calls this
     * @throws IllegalStateException if a child could not be closed; the others are closed, and the next call tries again
     */
    public boolean close() {
        if (closing.isHeldByCurrentThread()) {
            return false;
        }
        closing.lock();
        try {
            return closeOnce();
        } finally {
            closing.unlock();
        }
    }

    private boolean closeOnce() {
        if (allClosed) {
            return false;
        }
        List<AutoCloseable> last;
        synchronized (this) {
            closed = true;
            last = open();
        }
        IllegalStateException failure = null;
        for (AutoCloseable child : last.reversed()) {
            failure = close(child, failure);
        }
        if (failure != null) {
            throw failure;
        }
        allClosed = true;
        return true;
    }

    private @Nullable IllegalStateException close(AutoCloseable child, @Nullable IllegalStateException before) {
        try {
            child.close();
            return before;
        } catch (Exception | Error e) {
            if (before != null) {
                before.addSuppressed(e);
                return before;
            }
            return new IllegalStateException("closing what depends on " + owner + " failed: " + e.getMessage(), e);
        }
    }
}
