package org.panamaverbs.softiwarp.qp;

/**
 * Where a stream is in its life, after the RDMA verbs' queue pair states for iWARP:
 *
 * <pre>
 *  IDLE  -- CONNECT --&gt;  RTS  -- LOCAL_ERROR ----------------&gt;  TERMINATING  -- SENT, LOST, END_OF_STREAM --&gt;  ERROR
 *                        RTS  -- PEER_ERROR, LOST -----------------------------------------------------------&gt;  ERROR
 *                        RTS  -- DISCONNECT, END_OF_STREAM --&gt;  CLOSING      -- LOST, PEER_ERROR -------------&gt;  ERROR
 *  IDLE  -- DISCONNECT, FINISHED --------------------------------------------------------------------------&gt;  CLOSED
 *  RTS, TERMINATING, CLOSING, ERROR  -- FINISHED -----------------------------------------------------------&gt;  CLOSED
 * </pre>
 *
 * LOST or LOCAL_ERROR in IDLE lead to ERROR. What is not drawn changes nothing: the first cause wins.
 */
public enum StreamState {
    /** Not connected yet. */
    IDLE,
    /** Ready to send. */
    RTS,
    /** An error was found here: a Terminate is to be sent. */
    TERMINATING,
    /** Ended in good order by either end: what is described is still sent. */
    CLOSING,
    /** Failed. */
    ERROR,
    /** The connection is gone. */
    CLOSED;

    /** What happens to a stream. */
    public enum Event {
        /** The connection is established. */
        CONNECT,
        /** The program ends it. */
        DISCONNECT,
        /** An error was found in what the peer sent, or here. */
        LOCAL_ERROR,
        /** The peer sent a Terminate. */
        PEER_ERROR,
        /** The peer ended its direction. */
        END_OF_STREAM,
        /** The Terminate is sent. */
        SENT,
        /** The connection broke. */
        LOST,
        /** The connection is closed. */
        FINISHED
    }

    /** The state after an event. */
    public StreamState after(Event event) {
        return switch (this) {
            case IDLE -> switch (event) {
                case CONNECT -> RTS;
                case DISCONNECT, FINISHED -> CLOSED;
                case LOST, LOCAL_ERROR -> ERROR;
                default -> this;
            };
            case RTS -> switch (event) {
                case DISCONNECT, END_OF_STREAM -> CLOSING;
                case LOCAL_ERROR -> TERMINATING;
                case PEER_ERROR, LOST -> ERROR;
                case FINISHED -> CLOSED;
                default -> this;
            };
            case TERMINATING -> switch (event) {
                case SENT, LOST, END_OF_STREAM -> ERROR;
                case FINISHED -> CLOSED;
                default -> this;
            };
            case CLOSING -> switch (event) {
                case LOST, PEER_ERROR -> ERROR;
                case FINISHED -> CLOSED;
                default -> this;
            };
            case ERROR -> event == Event.FINISHED ? CLOSED : this;
            case CLOSED -> this;
        };
    }
}
