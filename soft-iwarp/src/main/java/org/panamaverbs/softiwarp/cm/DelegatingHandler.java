package org.panamaverbs.softiwarp.cm;

import org.panamaverbs.softiwarp.transport.Multiplexer;

/**
 * Forwards a channel's events to another handler: first to the one that establishes the connection, then to the queue pair's driver. Only
 * the loop's leader uses it.
 */
public final class DelegatingHandler implements Multiplexer.Handler {
    private Multiplexer.Handler current;

    DelegatingHandler(Multiplexer.Handler first) {
        current = first;
    }

    /** Forwards all further events to another handler. */
    public void to(Multiplexer.Handler next) {
        current = next;
    }

    @Override
    public void onReady(int events) {
        current.onReady(events);
    }
}
