package org.panamaverbs.softiwarp.mpa;

import java.lang.foreign.MemorySegment;
import org.panamaverbs.softiwarp.wire.MpaStart;

/** The responder's part of MPA's start (RFC 5044, 7.1; RFC 6581, 9), from a Request that has come whole. */
public final class Responder {
    private static final int NEWEST = 2;

    private final int revision;
    private final boolean crc;
    private final boolean enhanced;
    private final int ird;
    private final int ord;
    private final byte[] privateData;

    /**
     * Reads a Request.
     *
     * @param request whole
     * @throws NotMpaException where we cannot go on with it; a rejecting Reply may be sent
     */
    public Responder(FrameReader request) throws NotMpaException {
        MemorySegment frame = request.frame();
        int flags = MpaStart.flags(frame, 0);
        revision = MpaStart.revision(frame, 0);
        if (revision == 0 || revision > NEWEST) {
            throw new NotMpaException("the peer asks for MPA revision " + revision + "; this side knows 1 and " + NEWEST);
        }
        if ((flags & MpaStart.MARKERS) != 0) {
            throw new NotMpaException("the peer wants MPA Markers, which this side does not send");
        }
        crc = (flags & MpaStart.CRC) != 0;
        enhanced = revision >= 2 && (flags & MpaStart.ENHANCED) != 0;
        if (enhanced && MpaStart.privateLength(frame, 0) < MpaStart.ENHANCED_SIZE) {
            throw new NotMpaException("the peer's Request says that it has IRD and ORD, but has not");
        }
        ird = enhanced ? MpaStart.ird(frame, 0) : MpaStart.DEPTH;
        ord = enhanced ? MpaStart.ord(frame, 0) : MpaStart.DEPTH;
        privateData = request.privateData(enhanced ? MpaStart.ENHANCED_SIZE : 0);
    }

    /** What the peer's program said. */
    public byte[] privateData() {
        return privateData.clone();
    }

    /** How many Reads of ours the peer serves at a time; 16,383 where it did not say. */
    public int remoteIrd() {
        return ird & MpaStart.DEPTH;
    }

    /** How many Reads of its own the peer wants outstanding; 16,383 where it did not say. */
    public int remoteOrd() {
        return ord & MpaStart.DEPTH;
    }

    /** What accepting on our terms agrees to. */
    public Agreement agree(Terms terms) {
        int ours = remoteIrd() == MpaStart.DEPTH ? terms.ord() : Math.min(terms.ord(), remoteIrd());
        return new Agreement(crc || terms.crc(), terms.ird(), ours, false, privateData);
    }

    /** The Reply that accepts, with the ready-to-receive indications that we take: a zero-length RDMA Write or Read. */
    public byte[] accept(Terms terms) {
        Agreement agreed = agree(terms);
        boolean peerToPeer = enhanced && (ird & MpaStart.PEER_TO_PEER) != 0;
        int irdWord = remoteOrd() == MpaStart.DEPTH ? MpaStart.DEPTH : agreed.ird();
        int ordWord = remoteIrd() == MpaStart.DEPTH ? MpaStart.DEPTH : agreed.ord();
        return Frames.encode(false, (agreed.crc() ? MpaStart.CRC : 0) | (enhanced ? MpaStart.ENHANCED : 0), revision, enhanced,
                irdWord | (peerToPeer ? MpaStart.PEER_TO_PEER : 0), ordWord | (peerToPeer ? MpaStart.RTR_WRITE | MpaStart.RTR_READ : 0),
                terms.privateData());
    }

    /** The Reply that rejects. */
    public byte[] reject(byte[] reason) {
        return Frames.encode(false, MpaStart.REJECTED | (crc ? MpaStart.CRC : 0) | (enhanced ? MpaStart.ENHANCED : 0), revision, enhanced,
                0, 0, reason);
    }
}
