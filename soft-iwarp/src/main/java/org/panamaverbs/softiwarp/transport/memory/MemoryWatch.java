package org.panamaverbs.softiwarp.transport.memory;

import org.panamaverbs.softiwarp.transport.Multiplexer;
import org.panamaverbs.softiwarp.transport.Registration;

/** The handler of an in-memory channel's or acceptor's events; at first there is none. */
final class MemoryWatch {
    private record Watcher(MemoryMultiplexer multiplexer, Registration registration) {
    }

    private volatile Watcher watcher;
    private volatile boolean closed;

    /** Registers the handler and reports these events at once, so that no earlier event is lost. */
    synchronized Registration register(MemoryMultiplexer multiplexer, Multiplexer.Handler handler, int events) {
        if (watcher != null) {
            throw new IllegalStateException("a handler is registered already");
        }
        Registration registration = new Registration(handler);
        if (!closed) {
            watcher = new Watcher(multiplexer, registration);
            report(events);
        }
        return registration;
    }

    /** Removes the handler; another one can be registered then. */
    synchronized void unregister() {
        if (watcher != null) {
            watcher.registration().cancel();
            watcher = null;
        }
    }

    void report(int events) {
        Watcher current = watcher;
        if (current != null) {
            current.multiplexer().report(current.registration(), events);
        }
    }

    synchronized void close() {
        closed = true;
        if (watcher != null) {
            watcher.registration().cancel();
        }
    }

    boolean isClosed() {
        return closed;
    }
}
