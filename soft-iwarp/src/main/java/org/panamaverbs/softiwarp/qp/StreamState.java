package org.panamaverbs.softiwarp.qp;

/**
 * The states of a stream.
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
 * An event that is not drawn changes nothing. So the first cause of an end wins, and the thread that moves the stream to TERMINATING owns
 * the Terminate.
 */
public enum StreamState {
    /** Not connected yet. */
    IDLE,
    /** Ready to send. */
    RTS,
    /** The program disconnected: requests posted before are still sent, and messages of the peer still received. */
    CLOSING,
    /** The stream ended in good order; no further message is sent or received. */
    ENDING,
    /** This side found an error and sends a Terminate; no other message is sent or received. */
    TERMINATING,
    /** The stream failed; no further message is sent or received. */
    ERROR,
    /** The connection is gone. */
    CLOSED;

    /** The events of a stream. */
    public enum Event {
        /** The connection is established. */
        CONNECT,
        /** The program ends the stream in good order. */
        DISCONNECT,
        /** The program closes the stream, and no request is outstanding. */
        CLOSE,
        /** After a DISCONNECT, everything posted before is done; or the peer has ended its direction, and our Reads get no answer. */
        DRAINED,
        /** This side found an error in its own work or the peer's, or the program closes the stream with requests outstanding. */
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
