package org.panamaverbs.softiwarp.transport;

/** A socket whose events an epoll set tells: what a channel and an acceptor have in common. */
final class EpollSource {
    private final EpollMultiplexer multiplexer;
    private final Descriptor socket;
    /** {@code null} until a handler is there. */
    private volatile EpollSlots.Slot slot;

    EpollSource(EpollMultiplexer multiplexer, Descriptor socket) {
        this.multiplexer = multiplexer;
        this.socket = socket;
    }

    Descriptor socket() {
        return socket;
    }

    /** Tells its events to a handler from now on. */
    synchronized void register(Multiplexer.Handler handler) {
        if (slot != null) {
            throw new IllegalStateException("it has a handler already");
        }
        EpollSlots.Slot added = multiplexer.slots().add(handler);
        // Before the first event can come: a handler that reads looks at it.
        slot = added;
        if (!socket.acquire()) {
            multiplexer.slots().remove(added);
            return;
        }
        try {
            multiplexer.register(socket.fd(), added);
        } catch (RuntimeException e) {
            multiplexer.slots().remove(added);
            slot = null;
            throw e;
        } finally {
            socket.release();
        }
        if (socket.isClosed()) {
            multiplexer.slots().remove(added);
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
