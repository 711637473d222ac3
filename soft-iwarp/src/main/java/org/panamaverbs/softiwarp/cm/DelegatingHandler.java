package org.panamaverbs.softiwarp.cm;

import org.panamaverbs.softiwarp.transport.Multiplexer;

/** A channel's handler whose work passes on: from making the connection to the queue pair's driver. Of the loop's leader. */
public final class DelegatingHandler implements Multiplexer.Handler {
    private Multiplexer.Handler current;

    DelegatingHandler(Multiplexer.Handler first) {
        current = first;
    }

    /** Passes the events on to another. */
    public void to(Multiplexer.Handler next) {
        current = next;
    }

    @Override
    public void onReady(int events) {
        current.onReady(events);
    }
}
