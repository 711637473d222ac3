package org.panamaverbs.softiwarp.transport.epoll;

import java.lang.foreign.MemorySegment;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.softiwarp.transport.Multiplexer;
import org.panamaverbs.softiwarp.transport.Registration;
import org.panamaverbs.spi.support.Rollback;

/** A socket whose events an epoll set reports: the common part of channels, acceptors and ports. */
// Tested by EpollMultiplexerTest, SharedMultiplexerTest.
public class EpollSource {
    private final Descriptor socket;
    /** The connection, or {@code null} for another kind of socket. */
    private final EpollChannel channel;
    /** The multiplexer that watches the socket; set before the slot. */
    private EpollMultiplexer multiplexer;
    /** {@code null} until a handler is registered. */
    private volatile EpollSlots.Slot slot;

    /** A socket that is no connection. */
    EpollSource(Descriptor socket) {
        this(socket, null);
    }

    EpollSource(Descriptor socket, EpollChannel channel) {
        this.socket = socket;
        this.channel = channel;
    }

    /** A socket of which only {@link Multiplexer#READABLE} is reported. */
    public static EpollSource ofReads(Descriptor socket) {
        return new EpollSource(socket) {
            @Override
            int interest() {
                return EpollMultiplexer.INTEREST & ~Libc.EPOLLOUT();
            }
        };
    }

    /** The events that epoll reports edges of. */
    int interest() {
        return EpollMultiplexer.INTEREST;
    }

    Descriptor socket() {
        return socket;
    }

    /** Makes a multiplexer report the events of the socket to a handler. */
    public synchronized Registration register(EpollMultiplexer watcher, Multiplexer.Handler handler) {
        if (slot != null) {
            throw new IllegalStateException("a handler is registered already");
        }
        EpollSlots.Slot added = watcher.slots().add(handler, channel);
        multiplexer = watcher;
        // Set before the first event can come: a handler that reads uses the slot.
        slot = added;
        if (!socket.acquire()) {
            watcher.slots().remove(added);
            return added.registration();
        }
        try (Rollback undo = new Rollback()) {
            undo.add(() -> {
                watcher.slots().remove(added);
                slot = null;
            });
            watcher.register(socket.fd(), added, interest());
            undo.commit();
        } finally {
            socket.release();
        }
        if (socket.isClosed()) {
            watcher.slots().remove(added);
        }
        if (channel != null && channel.hasSent()) {
            watcher.onSent();
        }
        return added.registration();
    }

    /** Makes no multiplexer report the events of the socket any more. Only the selecting thread calls it. */
    public synchronized void unregister() {
        EpollSlots.Slot current = slot;
        if (current != null) {
            unwatch();
            slot = null;
            multiplexer.slots().remove(current);
        }
    }

    /** Stops reporting events until {@link #watch}. Only the selecting thread calls it. */
    void unwatch() {
        if (slot != null && socket.acquire()) {
            try {
                multiplexer.unwatch(socket.fd());
            } finally {
                socket.release();
            }
        }
    }

    /** Reports events again; {@code false} if the system has no room for that. Only the selecting thread calls it. */
    boolean watch() {
        EpollSlots.Slot current = slot;
        if (current == null || !socket.acquire()) {
            return true;
        }
        try {
            return multiplexer.watch(socket.fd(), current, interest());
        } finally {
            socket.release();
        }
    }

    /** Whether an event has reported the end of the stream or a failure. */
    boolean hasEnded() {
        EpollSlots.Slot current = slot;
        return current != null && current.hasEnded();
    }

    /**
     * Changes the events of which epoll reports edges. Any thread may call it, with memory of its own.
     *
     * @return {@code false} if no handler is registered; then the registration reports all events
     */
    boolean change(MemorySegment errno, MemorySegment event, int fd, int mask) {
        EpollSlots.Slot current = slot;
        if (current == null) {
            return false;
        }
        multiplexer.change(errno, event, fd, current, mask);
        return true;
    }

    /** Reports events to the handler in addition to those of epoll. */
    public void report(int events) {
        EpollSlots.Slot current = slot;
        if (current != null) {
            multiplexer.report(current, events);
        }
    }

    /** The connection has sent data, and the multiplexer does not know it yet. */
    void sent() {
        if (slot != null) {
            multiplexer.onSent();
        }
    }

    /** Closes the socket, which also takes it out of the epoll set; further calls do nothing. */
    public void close() {
        if (socket.close()) {
            EpollSlots.Slot current = slot;
            if (current != null) {
                multiplexer.slots().remove(current);
            }
        }
    }
}
