package org.panamaverbs.softiwarp.progress;

/** How much a connection may do before the other connections of its loop get their turn. */
public final class TurnBudget {
    /** Bytes that one connection receives in a turn. */
    public static final long RECEIVE_BYTES = 4L << 20;
    /** FPDUs that one connection receives in a turn. */
    static final long RECEIVE_FPDUS = 4096;
    /** Bytes that the leader transmits for one connection in a turn. */
    static final long TRANSMIT_BYTES = 4L << 20;
    /** Write calls that a thread makes for one connection in a turn; each carries at most 1,024 FPDUs. */
    static final int TRANSMIT_WRITES = 64;
    /** Bytes that a posting thread transmits before it leaves the rest to the loop, so that a post returns. */
    static final long POSTER_BYTES = 64L << 20;

    private TurnBudget() {
    }
}
