package org.panamaverbs.rpcrdma.link;

import org.panamaverbs.rpcrdma.link.LinkState.Event;

/** The state of a link, and the reason of its end: the first reason wins. Any thread may call any method. */
final class LinkLife {
    private volatile LinkState state = LinkState.LIVE;
    private Object reason;

    LinkState state() {
        return state;
    }

    /**
     * Changes the state. It allocates nothing.
     *
     * @param why a text, or what a step threw; {@code null} if another event says it
     * @return {@code false} if the event changes nothing
     */
    synchronized boolean change(Event event, Object why) {
        LinkState next = state.after(event);
        if (next == state) {
            return false;
        }
        state = next;
        if (reason == null) {
            reason = why;
        }
        return true;
    }

    /** {@return why the link has ended; {@code null} if it has not} */
    String endReason() {
        return state.hasEnded() ? reason() : null;
    }

    /** {@return why it ends, or has ended; {@code null} if there is no reason yet} */
    synchronized String reason() {
        return reason instanceof Throwable thrown ? "a step of the connection failed: " + thrown : (String) reason;
    }
}
