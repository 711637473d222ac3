package org.panamaverbs.nfs.server.state;

import org.panamaverbs.nfs.server.export.HeldFile;
import org.panamaverbs.nfs.xdr.StateId;

/** An open of a client's owner (RFC 8881, 9): the file, and access and denial, which {@link Opens} guards. */
public final class Open {
    private final Client client;
    private final OwnerName owner;
    private final HeldFile file;
    private final StateId first;
    private int sequence = 1;
    private int access;
    private int deny;

    Open(Client client, OwnerName owner, HeldFile file, StateId first) {
        this.client = client;
        this.owner = owner;
        this.file = file;
        this.first = first;
    }

    /** Its client. */
    public Client client() {
        return client;
    }

    OwnerName owner() {
        return owner;
    }

    /** The file. */
    public HeldFile file() {
        return file;
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

    int access() {
        return access;
    }

    int deny() {
        return deny;
    }

    void share(int newAccess, int newDeny) {
        access = newAccess;
        deny = newDeny;
    }
}
