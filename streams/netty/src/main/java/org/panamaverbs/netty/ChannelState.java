package org.panamaverbs.netty;

/**
 * The life of a channel of verbs. The event loop changes it.
 *
 * <pre>
 *             CONNECT     ACCEPT     ESTABLISH  FAIL    CLOSE
 * NEW         CONNECTING  ACCEPTING                     CLOSED
 * CONNECTING                         ACTIVE     FAILED  CLOSED
 * ACCEPTING                          ACTIVE     FAILED  CLOSED
 * ACTIVE                                                CLOSED
 * FAILED                                                CLOSED
 * CLOSED
 * </pre>
 */
enum ChannelState {
    /** It has no stream yet. */
    NEW,
    /** Its stream connects; the program waits for the promise of its connect. */
    CONNECTING,
    /** The stream of a peer connects; Netty waits for the promise of the registration. */
    ACCEPTING,
    /** Bytes move. */
    ACTIVE,
    /** Its stream could not connect: the promise says why, and the channel is closed next. */
    FAILED,
    /** The program, or the end of its stream, has closed it. */
    CLOSED;

    /** A cause to change. */
    enum Event {
        /** The program connects it. */
        CONNECT,
        /** A server has accepted it, and it is registered. */
        ACCEPT,
        /** Its stream is connected. */
        ESTABLISH,
        /** Its stream could not connect. */
        FAIL,
        /** It is closed. */
        CLOSE
    }

    /** {@return the next state; the same for an event that changes nothing} */
    ChannelState after(Event event) {
        return switch (event) {
            case CONNECT -> this == NEW ? CONNECTING : this;
            case ACCEPT -> this == NEW ? ACCEPTING : this;
            case ESTABLISH -> isPending() ? ACTIVE : this;
            case FAIL -> isPending() ? FAILED : this;
            case CLOSE -> CLOSED;
        };
    }

    /** {@return whether a promise waits for the stream} */
    boolean isPending() {
        return this == CONNECTING || this == ACCEPTING;
    }
}
