package org.panamaverbs.softiwarp.mpa;

import java.lang.foreign.MemorySegment;
import org.panamaverbs.softiwarp.wire.MpaStart;

/** The initiator's part of MPA's start (RFC 5044, 7.1; RFC 6581, 9). It asks for the peer-to-peer model, so that either side may speak first. */
public final class Initiator {
    private final Terms terms;

    /**
     * Makes one.
     *
     * @param terms what we want
     */
    public Initiator(Terms terms) {
        this.terms = terms;
    }

    /** The Request. */
    public byte[] request() {
        boolean enhanced = terms.revision() >= 2;
        return Frames.encode(true, (terms.crc() ? MpaStart.CRC : 0) | (enhanced ? MpaStart.ENHANCED : 0), terms.revision(), enhanced,
                terms.ird() | MpaStart.PEER_TO_PEER, terms.ord() | MpaStart.RTR_WRITE, terms.privateData());
    }

    /** A Reply that refuses the connection, with what the peer's program said; {@code null} where it does not refuse. */
    public byte[] rejection(FrameReader reply) {
        int flags = MpaStart.flags(reply.frame(), 0);
        if ((flags & MpaStart.REJECTED) == 0) {
            return null;
        }
        return reply.privateData((flags & MpaStart.ENHANCED) != 0 ? MpaStart.ENHANCED_SIZE : 0);
    }

    /**
     * What a Reply that does not reject agrees to.
     *
     * @param reply whole
     * @throws NotMpaException where we cannot go on with it
     */
    public Agreement agree(FrameReader reply) throws NotMpaException {
        MemorySegment frame = reply.frame();
        int flags = MpaStart.flags(frame, 0);
        int revision = MpaStart.revision(frame, 0);
        if (revision == 0 || revision > terms.revision()) {
            throw new NotMpaException("the peer replied with MPA revision " + revision + "; asked for was " + terms.revision());
        }
        if ((flags & MpaStart.MARKERS) != 0) {
            throw new NotMpaException("the peer wants MPA Markers, which this side does not send");
        }
        boolean crc = (flags & MpaStart.CRC) != 0;
        if (terms.crc() && !crc) {
            throw new NotMpaException("the peer's Reply turns CRCs off, which this side asked for (RFC 5044, 7.1.1)");
        }
        if ((flags & MpaStart.ENHANCED) == 0) {
            return new Agreement(crc, terms.ird(), terms.ord(), false, reply.privateData(0));
        }
        if (MpaStart.privateLength(frame, 0) < MpaStart.ENHANCED_SIZE) {
            throw new NotMpaException("the peer's Reply says that it has IRD and ORD, but has not");
        }
        int ird = MpaStart.ird(frame, 0);
        int ord = MpaStart.ord(frame, 0);
        boolean peerToPeer = (ird & MpaStart.PEER_TO_PEER) != 0;
        if (peerToPeer && (ord & MpaStart.RTR_WRITE) == 0) {
            throw new NotMpaException("the peer takes no zero-length RDMA Write as ready-to-receive indication (RFC 6581, 9.2)");
        }
        int allowed = ird & MpaStart.DEPTH;
        int wanted = ord & MpaStart.DEPTH;
        if (wanted != MpaStart.DEPTH && wanted > terms.ird()) {
            throw new NotMpaException("the peer wants " + wanted + " outstanding Reads; this side serves " + terms.ird());
        }
        int agreed = allowed == MpaStart.DEPTH ? terms.ord() : Math.min(terms.ord(), allowed);
        return new Agreement(crc, terms.ird(), agreed, peerToPeer, reply.privateData(MpaStart.ENHANCED_SIZE));
    }
}
