package org.panamaverbs.nfs.server.state;

import java.util.ArrayList;
import java.util.List;
import org.panamaverbs.nfs.xdr.Status;

/** A client (RFC 8881, 2.4): its record, which {@link Clients} guards. */
public final class Client {
    private final long id;
    private final OwnerName owner;
    private final long verifier;
    /** Introduced the client. */
    private final Caller caller;
    private final List<Session> sessions = new ArrayList<>();
    private boolean confirmed;
    private volatile boolean complete;
    private volatile boolean recorded;
    private volatile long renewed;
    /** The last CREATE_SESSION (RFC 8881, 18.36.4): a slot of its own. */
    private int sequence;
    private byte[] created;
    private volatile boolean gone;

    Client(long id, OwnerName owner, long verifier, Caller caller, long time) {
        this.id = id;
        this.owner = owner;
        this.verifier = verifier;
        this.caller = caller;
        renewed = time;
    }

    /** The client's number. */
    public long id() {
        return id;
    }

    OwnerName owner() {
        return owner;
    }

    long verifier() {
        return verifier;
    }

    Caller caller() {
        return caller;
    }

    boolean isConfirmed() {
        return confirmed;
    }

    void confirm() {
        confirmed = true;
    }

    List<Session> sessions() {
        return sessions;
    }

    /** The sequence number that its next CREATE_SESSION has. */
    int nextSequence() {
        return sequence + 1;
    }

    int sequence() {
        return sequence;
    }

    byte[] created() {
        return created;
    }

    void created(byte[] reply) {
        sequence++;
        created = reply;
    }

    void renew(long time) {
        renewed = time;
    }

    long renewed() {
        return renewed;
    }

    /** The client says that it will reclaim nothing more (RFC 8881, 18.51); {@link Grace} calls this. */
    synchronized void complete() throws Refused {
        if (complete) {
            throw new Refused(Status.COMPLETE_ALREADY);
        }
        complete = true;
    }

    boolean isComplete() {
        return complete;
    }

    /** The client is in the record that outlives the server; {@link Grace} calls this. */
    void recorded() {
        recorded = true;
    }

    boolean isRecorded() {
        return recorded;
    }

    /** Whether the record was removed: a late call must not add to it. */
    boolean isGone() {
        return gone;
    }

    void goes() {
        gone = true;
    }
}
