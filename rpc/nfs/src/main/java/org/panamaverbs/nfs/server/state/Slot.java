package org.panamaverbs.nfs.server.state;

import org.panamaverbs.nfs.xdr.Status;

/** A slot of a session: one call at a time, each executed once (RFC 8881, 2.10.6.1). */
public final class Slot {
    private int sequence;
    private boolean busy;
    private byte[] reply;
    private int fingerprint;

    /**
     * Begins a call.
     *
     * @param called  the call's sequence number
     * @param content a fingerprint of the call, to tell a retry from another call with its number (RFC 8881, 2.10.6.1.3.1)
     * @return the reply of the first time if this is a retry; {@code null} if the call is new, and then {@link #end} must follow
     */
    public synchronized byte[] begin(int called, int content) throws Refused {
        if (called == sequence) {
            if (busy) {
                throw new Refused(Status.DELAY);
            }
            if (sequence == 0) {
                throw new Refused(Status.SEQ_MISORDERED);
            }
            if (content != fingerprint) {
                throw new Refused(Status.SEQ_FALSE_RETRY);
            }
            if (reply == null) {
                throw new Refused(Status.RETRY_UNCACHED_REP);
            }
            return reply;
        }
        if (called != sequence + 1 || busy) {
            throw new Refused(busy ? Status.DELAY : Status.SEQ_MISORDERED);
        }
        sequence = called;
        busy = true;
        reply = null;
        fingerprint = content;
        return null;
    }

    /** Ends the call; keeps the reply, {@code null} if it is not kept. */
    public synchronized void end(byte[] kept) {
        reply = kept;
        busy = false;
    }
}
