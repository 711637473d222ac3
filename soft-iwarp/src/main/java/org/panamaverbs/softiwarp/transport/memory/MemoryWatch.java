package org.panamaverbs.softiwarp.transport.memory;

import org.panamaverbs.softiwarp.transport.Multiplexer;
import org.panamaverbs.softiwarp.transport.Registration;

/** Who hears of the events of a channel or acceptor of the in-memory kind: nobody at first. */
final class MemoryWatch {
    private record Watcher(MemoryMultiplexer multiplexer, Registration registration) {
    }

    private volatile Watcher watcher;
    private volatile boolean closed;

    /** What happened before counts as an edge. */
    synchronized void register(MemoryMultiplexer multiplexer, Multiplexer.Handler handler, int events) {
        if (watcher != null) {
            throw new IllegalStateException("it has a handler already");
        }
        if (!closed) {
            watcher = new Watcher(multiplexer, new Registration(handler));
            report(events);
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
