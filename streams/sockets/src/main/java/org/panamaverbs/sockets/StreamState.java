package org.panamaverbs.sockets;

/**
 * The life of a stream. The program closes it; every other reason for which nothing moves any more ends it.
 *
 * <pre>
 *             CONNECT    CLOSE    END
 * CONNECTING  CONNECTED  LEAVING  ENDED
 * LEAVING     CLOSING             CLOSED
 * CONNECTED              CLOSING  ENDED
 * CLOSING                         CLOSED
 * ENDED                  CLOSED
 * CLOSED
 * </pre>
 */
enum StreamState {
    /** No byte moves yet. */
    CONNECTING,
    /** No byte moves yet. The program has closed the stream, and what it wrote goes out once the stream is connected. */
    LEAVING,
    /** Bytes move. */
    CONNECTED,
    /** The program has closed the stream, and what it wrote still goes out. */
    CLOSING,
    /** Nothing moves any more. What has arrived can be read. */
    ENDED,
    /** The stream has ended, and the program has closed it. */
    CLOSED;

    /** A cause to change. */
    enum Event {
        /** The queue pair is connected to a peer that speaks the protocol. */
        CONNECT,
        /** The program closes the stream. */
        CLOSE,
        /** The connection ends, or a failure does. */
        END
    }

    /** {@return the next state; the same for an event that changes nothing} */
    StreamState after(Event event) {
        return switch (event) {
            case CONNECT -> switch (this) {
                case CONNECTING -> CONNECTED;
                case LEAVING -> CLOSING;
                default -> this;
            };
            case CLOSE -> switch (this) {
                case CONNECTING, LEAVING -> LEAVING;
                case CONNECTED, CLOSING -> CLOSING;
                case ENDED, CLOSED -> CLOSED;
            };
            case END -> isClosed() ? CLOSED : ENDED;
        };
    }

    /** {@return whether bytes move} */
    boolean isConnected() {
        return this == CONNECTED || this == CLOSING;
    }

    /** {@return whether nothing moves any more} */
    boolean hasEnded() {
        return this == ENDED || this == CLOSED;
    }

    /** {@return whether the program has closed the stream} */
    boolean isClosed() {
        return this == LEAVING || this == CLOSING || this == CLOSED;
    }

    /** {@return whether reads and writes answer without waiting: the program has closed the stream, or nothing moves any more} */
    boolean isOver() {
        return isClosed() || hasEnded();
    }

    /** {@return whether the program has closed the stream, and what it wrote still goes out} */
    boolean isDraining() {
        return this == LEAVING || this == CLOSING;
    }
}
