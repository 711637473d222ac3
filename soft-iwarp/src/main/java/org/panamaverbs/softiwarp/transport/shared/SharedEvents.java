package org.panamaverbs.softiwarp.transport.shared;

import org.panamaverbs.softiwarp.transport.epoll.Descriptor;
import org.panamaverbs.softiwarp.transport.epoll.EpollMultiplexer;
import org.panamaverbs.softiwarp.transport.epoll.EpollSource;

/** The handler of a channel's events, if there is one. */
final class SharedEvents {
    private final EpollSource source;
    /** {@code null} while there is no handler. */
    private volatile Watch watch;

    SharedEvents(Descriptor socket) {
        source = EpollSource.ofReads(socket);
    }

    /** Directs the events to a handler. */
    synchronized void watch(Watch next) {
        if (watch != null) {
            throw new IllegalStateException("a handler is registered already");
        }
        watch = next;
    }

    /** Directs the events of the socket to the handler, too. */
    void register(EpollMultiplexer epoll, Watch handler) {
        source.register(epoll, handler);
    }

    /** Directs the events nowhere; another handler can be registered then. */
    synchronized void unwatch() {
        source.unregister();
        cancel();
        watch = null;
    }

    /** The handler gets no more events. */
    void cancel() {
        Watch current = watch;
        if (current != null) {
            current.registration().cancel();
        }
    }

    /** The rings are there. */
    void begin() {
        Watch current = watch;
        if (current != null) {
            current.begin();
        }
    }

    void report(int events) {
        Watch current = watch;
        if (current != null) {
            current.report(events);
        }
    }

    /** Closes the socket. */
    void close() {
        cancel();
        source.close();
    }
}
