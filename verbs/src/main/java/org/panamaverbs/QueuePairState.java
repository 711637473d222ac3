package org.panamaverbs;

/** The state of a queue pair ({@code ibv_qp_state}, with iWARP's CLOSING and TERMINATE within {@link #ERROR}). */
public enum QueuePairState {
    /** Created, not connected: receives may be posted. */
    INIT,
    /** Ready to send: connected, everything may be posted. */
    READY_TO_SEND,
    /** Disconnected or failed: all outstanding requests are flushed, and so is every new one. */
    ERROR,
    /** Closed: posting throws. */
    CLOSED
}
