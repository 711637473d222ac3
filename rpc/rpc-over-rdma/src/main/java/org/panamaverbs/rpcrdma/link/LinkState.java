package org.panamaverbs.rpcrdma.link;

/**
 * The life of a link. A step that fails, a thread that closes the link, or the end of the connection end it; the leader of the reactor does
 * the rest.
 *
 * <pre>
 *               FAIL    CLOSE    DISCONNECT    END    DETACH    RELEASE
 * LIVE          FAILED  CLOSING                ENDED
 * FAILED                CLOSING                ENDED
 * CLOSING                        DISCONNECTED  ENDED
 * DISCONNECTED                                 ENDED
 * ENDED                                               DETACHED
 * DETACHED                                                      RELEASED
 * RELEASED
 * </pre>
 */
enum LinkState {
    /** Messages move, or will once the link is connected. */
    LIVE,
    /** A step has failed. The leader closes the connection in its next turn. */
    FAILED,
    /** A thread closes the connection. */
    CLOSING,
    /** The connection is closed. The leader ends the link in its next turn. */
    DISCONNECTED,
    /** The link posts nothing more, and takes no message. */
    ENDED,
    /** The queue pair is closed: nothing that was posted, and no peer, uses memory any more. */
    DETACHED,
    /** The link has given its memory back. */
    RELEASED;

    /** A cause to change. */
    enum Event {
        /** A step of this side has failed. */
        FAIL,
        /** A thread begins to close the connection. */
        CLOSE,
        /** That thread has closed the connection. */
        DISCONNECT,
        /** The leader ends the link. */
        END,
        /** The leader has closed the queue pair. */
        DETACH,
        /** The leader gives the memory back. */
        RELEASE
    }

    /** {@return the next state; the same for an event that changes nothing} */
    LinkState after(Event event) {
        return switch (event) {
            case FAIL -> this == LIVE ? FAILED : this;
            case CLOSE -> this == LIVE || this == FAILED ? CLOSING : this;
            case DISCONNECT -> this == CLOSING ? DISCONNECTED : this;
            case END -> hasEnded() ? this : ENDED;
            case DETACH -> this == ENDED ? DETACHED : this;
            case RELEASE -> this == DETACHED ? RELEASED : this;
        };
    }

    /** {@return whether the link posts nothing more, and takes no message} */
    boolean hasEnded() {
        return this == ENDED || isDetached();
    }

    /** {@return whether nothing uses the link's memory any more} */
    boolean isDetached() {
        return this == DETACHED || this == RELEASED;
    }
}
