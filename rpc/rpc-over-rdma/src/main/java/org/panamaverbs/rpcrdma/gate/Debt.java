package org.panamaverbs.rpcrdma.gate;

/** What a peer owes, of one kind, and when it last did some of that. */
public final class Debt {
    private final Gate gate;
    private int owed;
    private long went;

    Debt(Gate gate) {
        this.gate = gate;
    }

    /** From now on the peer owes one thing more. */
    public synchronized void owe() {
        if (owed++ == 0) {
            went = gate.time();
        }
    }

    /** The peer did a part. */
    public synchronized void moved() {
        went = gate.time();
    }

    /** The peer did one thing that it owed. */
    public synchronized void paid() {
        owed--;
        went = gate.time();
    }

    /** The peer owes one thing less, though it did nothing. */
    public synchronized void excused() {
        owed--;
    }

    synchronized boolean isOverdue(long since) {
        return owed > 0 && went - since < 0;
    }
}
