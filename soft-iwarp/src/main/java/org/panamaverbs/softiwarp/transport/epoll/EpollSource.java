package org.panamaverbs.softiwarp.transport.epoll;

import org.panamaverbs.softiwarp.transport.Multiplexer;

/** A socket whose events an epoll set tells: what a channel and an acceptor have in common. */
final class EpollSource {
    private final Descriptor socket;
    /** Who watches it; set before the slot. */
    private EpollMultiplexer multiplexer;
    /** {@code null} until a handler is there. */
    private volatile EpollSlots.Slot slot;

    EpollSource(Descriptor socket) {
        this.socket = socket;
    }

    Descriptor socket() {
        return socket;
    }

    /** Has a multiplexer tell its events to a handler from now on. */
    synchronized void register(EpollMultiplexer watcher, Multiplexer.Handler handler) {
        if (slot != null) {
            throw new IllegalStateException("it has a handler already");
        }
        EpollSlots.Slot added = watcher.slots().add(handler);
        multiplexer = watcher;
        // Before the first event can come: a handler that reads looks at it.
        slot = added;
        if (!socket.acquire()) {
            watcher.slots().remove(added);
            return;
        }
        try {
            watcher.register(socket.fd(), added);
        } catch (RuntimeException e) {
            watcher.slots().remove(added);
            slot = null;
            throw e;
        } finally {
            socket.release();
        }
        if (socket.isClosed()) {
            watcher.slots().remove(added);
        }
    }

    /** Has its events not told until {@link #watch}; by the thread that selects. */
    void unwatch() {
        if (slot != null && socket.acquire()) {
            try {
                multiplexer.unwatch(socket.fd());
            } finally {
                socket.release();
            }
        }
    }

    /** Has its events told again; {@code false} where the system has no room for that. By the thread that selects. */
    boolean watch() {
        EpollSlots.Slot current = slot;
        if (current == null || !socket.acquire()) {
            return true;
        }
        try {
            return multiplexer.watch(socket.fd(), current);
        } finally {
            socket.release();
        }
    }

    /** Whether the handler was told of the end of the stream, or of a failure. */
    boolean hasEnded() {
        EpollSlots.Slot current = slot;
        return current != null && current.hasEnded();
    }

    /** Has the handler told of events besides those that epoll finds. */
    void report(int events) {
        EpollSlots.Slot current = slot;
        if (current != null) {
            multiplexer.report(current, events);
        }
    }

    /** Closes the socket, which takes it out of the epoll set too; more calls do nothing. */
    void close() {
        if (socket.close()) {
            EpollSlots.Slot current = slot;
            if (current != null) {
                multiplexer.slots().remove(current);
            }
        }
    }
}
