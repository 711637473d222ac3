package org.panamaverbs.nfs.server.state;

import org.panamaverbs.nfs.xdr.StateId;

/** The byte-range locks that an owner got under an open (RFC 8881, 8.2.1): it stays when it is empty, until the client frees it. */
final class LockSet extends State {
    private final Open open;

    LockSet(Open open, OwnerName owner, StateId first) {
        super(owner, first);
        this.open = open;
    }

    @Override
    Open open() {
        return open;
    }

    /** Owners are those of their client. */
    boolean isOf(Client client, OwnerName name) {
        return open.client() == client && owner().equals(name);
    }
}
