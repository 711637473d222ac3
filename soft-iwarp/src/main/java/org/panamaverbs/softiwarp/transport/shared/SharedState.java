package org.panamaverbs.softiwarp.transport.shared;

/**
 * The life of a channel. The peer ends it, or this side closes it.
 *
 * <pre>
 *           GREET  LEAVE  RESET  BREAK   CLOSE
 * GREETING  OPEN                 BROKEN  CLOSED
 * OPEN             LEFT   RESET  BROKEN  CLOSED
 * LEFT                           BROKEN  CLOSED
 * RESET                          BROKEN  CLOSED
 * BROKEN                                 CLOSED
 * CLOSED
 * </pre>
 */
enum SharedState {
    /** The greeting is not there yet, and so there are no rings. */
    GREETING,
    /** Bytes move. Each side may have ended its direction. */
    OPEN,
    /** The peer is gone, and its last bytes can be read. */
    LEFT,
    /** The peer is gone, without having read all. Its last bytes can be read. */
    RESET,
    /** The peer has broken the rules of shared memory: this side does not use the rings any more. */
    BROKEN,
    /** This side has closed the channel. */
    CLOSED;

    /** A cause to change. */
    enum Event {
        /** The rings are there. */
        GREET,
        /** The peer's socket has ended. */
        LEAVE,
        /** The peer's socket has ended, and the peer has not read all. */
        RESET,
        /** The peer breaks a rule. */
        BREAK,
        /** This side closes the channel. */
        CLOSE
    }

    /** {@return the next state; the same for an event that changes nothing} */
    SharedState after(Event event) {
        return switch (event) {
            case GREET -> this == GREETING ? OPEN : this;
            case LEAVE -> this == OPEN ? LEFT : this;
            case RESET -> this == OPEN ? RESET : this;
            case BREAK -> this == GREETING || hasRings() ? BROKEN : this;
            case CLOSE -> CLOSED;
        };
    }

    /** {@return whether this side may read from the rings} */
    boolean hasRings() {
        return this == OPEN || hasPeerLeft();
    }

    /** {@return whether the peer's last bytes are in the ring} */
    boolean hasPeerLeft() {
        return this == LEFT || this == RESET;
    }
}
