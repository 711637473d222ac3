package org.panamaverbs.nfs.server.state;

import org.panamaverbs.nfs.xdr.StateId;

/** What a client holds of a file under a name (RFC 8881, 8.2): an open, or the byte-range locks of an owner. {@link Opens} guards it. */
public abstract sealed class State permits Open, LockSet {
    private final OwnerName owner;
    private final StateId first;
    private int sequence = 1;

    State(OwnerName owner, StateId first) {
        this.owner = owner;
        this.first = first;
    }

    /** The open that it is, or belongs to. */
    abstract Open open();

    OwnerName owner() {
        return owner;
    }

    /** The state's name now. */
    StateId stateId() {
        return first.withSequence(sequence);
    }

    int sequence() {
        return sequence;
    }

    void step() {
        // RFC 8881, 8.2.2: 0 has a meaning of its own.
        sequence = sequence == -1 ? 1 : sequence + 1;
    }
}
