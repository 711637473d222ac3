package org.panamaverbs.softiwarp.qp;

/**
 * Where a stream is in its life.
 *
 * <pre>
 *  IDLE     -- CONNECT --------------------&gt;  RTS
 *  RTS      -- DISCONNECT -----------------&gt;  CLOSING
 *  RTS      -- END_OF_STREAM, CLOSE -------&gt;  ENDING
 *  CLOSING  -- DRAINED, CLOSE -------------&gt;  ENDING
 *  IDLE, RTS, CLOSING  -- LOST ------------&gt;  ERROR
 *  RTS, CLOSING  -- PEER_ERROR ------------&gt;  ERROR
 *  RTS, CLOSING  -- LOCAL_ERROR -----------&gt;  TERMINATING
 *  IDLE  -- DISCONNECT, CLOSE -------------&gt;  CLOSED
 *  all  -- FINISHED -----------------------&gt;  CLOSED
 * </pre>
 *
 * An event that is not drawn changes nothing. So the first cause of an end wins, and it alone: whoever moves the stream to TERMINATING
 * owns the Terminate.
 */
public enum StreamState {
    /** Not connected yet. */
    IDLE,
    /** Ready to send. */
    RTS,
    /** The program disconnected: what was posted before is still sent, and what comes is still received. */
    CLOSING,
    /** Ended in good order; no further message is sent or received. */
    ENDING,
    /** An error was found here, and the peer gets a Terminate; no further message is sent or received. */
    TERMINATING,
    /** Failed; no further message is sent or received. */
    ERROR,
    /** The connection is gone. */
    CLOSED;

    /** What happens to a stream. */
    public enum Event {
        /** The connection is established. */
        CONNECT,
        /** The program ends it in good order. */
        DISCONNECT,
        /** The program closes it, and nothing that was posted is outstanding. */
        CLOSE,
        /** After a DISCONNECT, all that was posted is sent and done. */
        DRAINED,
        /** An error was found in what the peer sent, or here. */
        LOCAL_ERROR,
        /** The peer sent a Terminate. */
        PEER_ERROR,
        /** The peer ended its direction between two messages. */
        END_OF_STREAM,
        /** The connection broke. */
        LOST,
        /** The connection is closed. */
        FINISHED
    }

    /** The state after an event. */
    public StreamState after(Event event) {
        if (event == Event.FINISHED) {
            return CLOSED;
        }
        return switch (this) {
            case IDLE -> switch (event) {
                case CONNECT -> RTS;
                case DISCONNECT, CLOSE -> CLOSED;
                case LOST -> ERROR;
                default -> this;
            };
            case RTS -> switch (event) {
                case DISCONNECT -> CLOSING;
                case END_OF_STREAM, CLOSE -> ENDING;
                case LOCAL_ERROR -> TERMINATING;
                case PEER_ERROR, LOST -> ERROR;
                default -> this;
            };
            case CLOSING -> switch (event) {
                case DRAINED, CLOSE -> ENDING;
                case LOCAL_ERROR -> TERMINATING;
                case PEER_ERROR, LOST -> ERROR;
                default -> this;
            };
            case ENDING, TERMINATING, ERROR, CLOSED -> this;
        };
    }

    /** Whether messages are received. */
    public boolean receives() {
        return this == RTS || this == CLOSING;
    }

    /** Whether the stream is past its last message. */
    public boolean isOver() {
        return this != IDLE && this != RTS && this != CLOSING;
    }
}
