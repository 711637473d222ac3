package org.panamaverbs.rpcrdma.link;

import java.util.ArrayList;
import java.util.List;
import org.panamaverbs.rpcrdma.endpoint.Link.Done;

/** How far a link is in its life, and why it ends: the first reason wins. Any thread may call any method. */
final class LinkLife {
    enum Stage {
        LIVE,
        /** It is to end for the reason; the leader does that in its next turn. */
        FAILED,
        /** A thread closes the connection. */
        CLOSING,
        /** The leader ends the link in its next turn. */
        DISCONNECTED,
        /** It posts nothing more, and takes no message. */
        ENDED,
        /** Its queue pair is closed: nothing that was posted, and no peer, uses memory any more. */
        DETACHED,
        /** It has given back what it had. */
        OVER
    }

    private volatile Stage stage = Stage.LIVE;
    private Object reason;
    private final List<Done> waiting = new ArrayList<>();

    Stage stage() {
        return stage;
    }

    boolean hasEnded() {
        return stage.compareTo(Stage.ENDED) >= 0;
    }

    /**
     * Goes on to a later stage. It allocates nothing.
     *
     * @param why a text, or what a step threw; {@code null} if that is not known yet
     * @return {@code false} if it is there already, or beyond
     */
    synchronized boolean reach(Stage next, Object why) {
        if (stage.compareTo(next) >= 0) {
            return false;
        }
        stage = next;
        if (reason == null) {
            reason = why;
        }
        return true;
    }

    synchronized String reason() {
        return reason instanceof Throwable thrown ? "a step of the connection failed: " + thrown : (String) reason;
    }

    /** Has a caller wait until the link is detached; {@code false} if it is. */
    synchronized boolean awaitDetached(Done done) {
        if (stage.compareTo(Stage.DETACHED) >= 0) {
            return false;
        }
        waiting.add(done);
        return true;
    }

    /** The link is detached; returns those that waited for that. */
    synchronized List<Done> detach() {
        reach(Stage.DETACHED, null);
        List<Done> all = List.copyOf(waiting);
        waiting.clear();
        return all;
    }
}
