package org.panamaverbs.softiwarp.mpa;

import java.lang.foreign.SegmentAllocator;
import java.util.OptionalInt;
import org.panamaverbs.softiwarp.wire.MpaStart;

/**
 * The initiator's part of the start-up of MPA. It asks for the peer-to-peer model, so that either side may send first (RFC 6581, 9.2).
 *
 * <pre>
 * SENDING    until the Request is sent --------------------------------------&gt; RECEIVING
 * RECEIVING  until the Reply is here: it accepts, on terms that we can keep --&gt; AGREED
 *                                     it rejects ----------------------------&gt; REJECTED
 *                                     it is anything else -------------------&gt; FAILED
 * both       the stream ends ------------------------------------------------&gt; FAILED
 * </pre>
 */
public final class InitiatorHandshake extends Handshake {
    private final Terms terms;
    private byte[] rejection;
    private OptionalInt rejectedIrd;
    private OptionalInt rejectedOrd;

    /**
     * Makes a handshake that has its Request to send.
     *
     * @param terms  the terms that this side asks for
     * @param memory allocates native memory for both frames
     */
    public InitiatorHandshake(Terms terms, SegmentAllocator memory) {
        super(false, memory);
        this.terms = terms;
        boolean enhanced = terms.revision() >= MpaStart.ENHANCED_REVISION;
        send(Frames.encode(memory, true, terms.crc() ? MpaStart.CRC : 0, terms.revision(), enhanced,
                terms.ird() | MpaStart.PEER_TO_PEER, terms.ord() | MpaStart.RTR_WRITE, terms.privateData()));
    }

    /**
     * The private data with which the peer's program rejected the connection; in {@link Handshake.State#REJECTED}.
     *
     * @throws IllegalStateException in any other state
     */
    public byte[] rejection() {
        require(state() == State.REJECTED, "rejection");
        return rejection.clone();
    }

    /**
     * The peer's IRD in the Reply that rejects, or empty if the Reply does not say; in {@link Handshake.State#REJECTED}.
     *
     * @throws IllegalStateException in any other state
     */
    public OptionalInt rejectedIrd() {
        require(state() == State.REJECTED, "rejectedIrd");
        return rejectedIrd;
    }

    /**
     * The peer's ORD in the Reply that rejects, or empty if the Reply does not say; in {@link Handshake.State#REJECTED}.
     *
     * @throws IllegalStateException in any other state
     */
    public OptionalInt rejectedOrd() {
        require(state() == State.REJECTED, "rejectedOrd");
        return rejectedOrd;
    }

    /** Describes, for the message of a timeout, what the handshake waits for. */
    public String waitsFor() {
        return switch (state()) {
            case SENDING -> "the peer took no MPA Request";
            case RECEIVING -> filled() == 0
                    ? "TCP connected, but no MPA Reply came; is a program that speaks iWARP at that address?"
                    : "TCP connected, but only " + filled() + " bytes of an MPA Reply came";
            case REQUESTED, AGREED, REJECTED, FAILED -> "the handshake is over";
        };
    }

    @Override
    String describeEnd() {
        return "not an MPA peer, or one that gave up: it closed the connection after " + filled()
                + " bytes of its MPA Reply; is a program that speaks iWARP at that address?";
    }

    @Override
    void onFrameSent() {
        move(State.RECEIVING);
    }

    @Override
    void onFrame(FrameReader reply) {
        if (reply.has(MpaStart.REJECTED)) {
            rejection = reply.privateData();
            rejectedIrd = depth(reply.irdWord());
            rejectedOrd = depth(reply.ordWord());
            move(State.REJECTED);
            return;
        }
        String objection = objection(reply);
        if (objection != null) {
            fail(objection);
            return;
        }
        int allowed = reply.irdWord() & MpaStart.DEPTH;
        int ord = allowed == MpaStart.DEPTH ? terms.ord() : Math.min(terms.ord(), allowed);
        agree(new Agreement(terms.crc() || reply.has(MpaStart.CRC), terms.ird(), ord, (reply.irdWord() & MpaStart.PEER_TO_PEER) != 0,
                reply.privateData()));
    }

    private static OptionalInt depth(int word) {
        int depth = word & MpaStart.DEPTH;
        return depth == MpaStart.DEPTH ? OptionalInt.empty() : OptionalInt.of(depth);
    }

    /** Why this side cannot use a Reply that accepts; {@code null} if it can. */
    private String objection(FrameReader reply) {
        if (reply.revision() == 0 || reply.revision() > terms.revision()) {
            return "the peer replied with MPA revision " + reply.revision() + "; this side asked for revision " + terms.revision();
        }
        String objection = reply.objection();
        if (objection != null) {
            return objection;
        }
        if ((reply.irdWord() & MpaStart.PEER_TO_PEER) != 0 && (reply.ordWord() & MpaStart.RTR_WRITE) == 0) {
            return "the peer accepts no zero-length RDMA Write as ready-to-receive indication (RFC 6581, 9.2)";
        }
        int wanted = reply.ordWord() & MpaStart.DEPTH;
        if (wanted != MpaStart.DEPTH && wanted > terms.ird()) {
            return "the peer wants " + wanted + " outstanding Reads; this side serves " + terms.ird();
        }
        return null;
    }
}
