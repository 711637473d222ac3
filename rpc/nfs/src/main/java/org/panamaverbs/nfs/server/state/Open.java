package org.panamaverbs.nfs.server.state;

import java.util.HashMap;
import java.util.Map;
import org.panamaverbs.nfs.server.export.HeldFile;
import org.panamaverbs.nfs.xdr.StateId;

/** An open of a client's owner (RFC 8881, 9): the file, access and denial, and the locks under it. */
public final class Open extends State {
    private final Client client;
    private final HeldFile file;
    private final Map<OwnerName, LockSet> locks = new HashMap<>();
    private int access;
    private int deny;

    Open(Client client, OwnerName owner, HeldFile file, StateId first) {
        super(owner, first);
        this.client = client;
        this.file = file;
    }

    @Override
    Open open() {
        return this;
    }

    /** Its client. */
    public Client client() {
        return client;
    }

    /** The file. */
    public HeldFile file() {
        return file;
    }

    /** By their owner. */
    Map<OwnerName, LockSet> locks() {
        return locks;
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
