package org.panamaverbs.softiwarp.progress;

import org.panamaverbs.softiwarp.transport.Multiplexer;

/** Drives one connection or socket: handles its events, and takes turns of the loop. Only the loop's leader calls it. */
public interface Driver extends Multiplexer.Handler {
    /**
     * Takes a turn, of limited length: receives what is there, and transmits what an earlier turn left.
     *
     * @return {@code true} if it needs another turn; then the loop gives it one after the turns of the others
     */
    boolean onTurn();

    /** Ends the connection without waiting for the peer, because the loop ends. */
    void closeNow();
}
