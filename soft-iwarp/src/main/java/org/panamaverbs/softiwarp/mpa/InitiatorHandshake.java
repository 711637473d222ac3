package org.panamaverbs.softiwarp.mpa;

import java.lang.foreign.MemorySegment;
import java.util.OptionalInt;
import org.panamaverbs.softiwarp.memory.IoVector;
import org.panamaverbs.softiwarp.wire.MpaStart;
import org.panamaverbs.softiwarp.wire.TerminateCode;

/**
 * The initiator's part of the start-up of MPA. It asks for the peer-to-peer model, so that either side may send first (RFC 6581, 9.2).
 *
 * <pre>
 * SENDING    until the Request is sent --------------------------------------&gt; RECEIVING
 * RECEIVING  until the Reply is here: it accepts, on terms that we can keep --&gt; AGREED
 *                                     it rejects ----------------------------&gt; REJECTED
 *                                     it accepts, on terms that we cannot keep &gt; SENDING
 *                                     it is anything else -------------------&gt; FAILED
 * SENDING    until the Terminate is sent that says so -----------------------&gt; FAILED
 * all        the stream ends ------------------------------------------------&gt; FAILED
 * </pre>
 */
// Tested by HandshakeTest, RejectHandshakeTest.
public final class InitiatorHandshake extends Handshake {
    private final Terms terms;
    /** The reason for which this side cannot keep the terms of the Reply and sends a Terminate; {@code null} if it sends none. */
    private String refusal;
    private byte[] rejection;
    private OptionalInt rejectedIrd;
    private OptionalInt rejectedOrd;
    private boolean rejectedWithoutCrc;

    /**
     * Makes a handshake that has its Request to send.
     *
     * @param terms the terms that this side asks for
     */
    public InitiatorHandshake(Terms terms) {
        super(false);
        this.terms = terms;
        boolean enhanced = terms.revision() >= MpaStart.ENHANCED_REVISION;
        send(Frames.encode(true, terms.crc() ? MpaStart.CRC : 0, terms.revision(), enhanced,
                terms.ird() | MpaStart.PEER_TO_PEER | MpaStart.RTR_SEND, terms.ord() | MpaStart.RTR_WRITE | MpaStart.RTR_READ,
                terms.privateData()));
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

    /**
     * Whether this side asked for CRCs, and the rejecting Reply has no C flag: siw rejects like this if it may not use CRCs. Call it in
     * {@link Handshake.State#REJECTED}.
     *
     * @throws IllegalStateException in any other state
     */
    public boolean isRejectedWithoutCrc() {
        require(state() == State.REJECTED, "isRejectedWithoutCrc");
        return rejectedWithoutCrc;
    }

    /**
     * The Terminate of an initiator that cannot use the connection although both sides agreed (RFC 6581, 9.3). It takes the memory of the
     * Reply: this side may have no other. A responder may send none, since it has no FPDU of the initiator yet (RFC 5044, 7.1.2).
     *
     * @return the bytes to send; none if the peer speaks revision 1, which has no such Terminate
     * @throws IllegalStateException in any state but {@link Handshake.State#AGREED}
     */
    public IoVector terminate() {
        IoVector out = pollTransmit();
        if (agreement().enhanced()) {
            MemorySegment frame = StartupTerminate.ofLocalError(spareMemory(), agreement());
            out.add(frame, 0, frame.byteSize());
        }
        return out;
    }

    /** Describes, for the message of a timeout, what the handshake waits for. */
    public String waitsFor() {
        return switch (state()) {
            case SENDING -> refusal == null ? "the peer took no MPA Request" : refusal;
            case RECEIVING -> filled() == 0 ? "TCP connected, but no MPA Reply came; is a program that speaks iWARP at that address?"
                    : "TCP connected, but only " + filled() + " bytes of an MPA Reply came";
            case REQUESTED, AGREED, REJECTED, FAILED -> "the handshake is over";
        };
    }

    @Override
    String describeEnd() {
        return refusal != null ? refusal : "not an MPA peer, or one that gave up: it closed the connection after " + filled()
                + " bytes of its MPA Reply; is a program that speaks iWARP at that address?";
    }

    @Override
    void onFrameSent() {
        if (refusal == null) {
            move(State.RECEIVING);
        } else {
            fail(refusal);
        }
    }

    @Override
    void onFrame(FrameReader reply) {
        if (reply.has(MpaStart.REJECTED)) {
            rejection = reply.privateData();
            rejectedIrd = reply.ird();
            rejectedOrd = reply.ord();
            rejectedWithoutCrc = terms.crc() && !reply.has(MpaStart.CRC);
            move(State.REJECTED);
            return;
        }
        String objection = objection(reply);
        if (objection != null) {
            fail(objection);
            return;
        }
        int wanted = reply.ord().orElse(0);
        ReadyIndication ready = ready(reply);
        if (wanted > terms.ird()) {
            terminate(reply, TerminateCode.MPA_INSUFFICIENT_IRD,
                    "the peer wants " + wanted + " outstanding Reads; this side serves " + terms.ird()
                            + ": raise the inbound Reads of this side's ConnectionParameters, or lower the outbound Reads of the peer's");
        } else if (ready == null) {
            terminate(reply, TerminateCode.MPA_NO_RTR, "the peer accepts no ready-to-receive indication at all (RFC 6581, 9.2)");
        } else {
            agree(Agreement.of(reply, terms.crc(), terms.ird(), Math.min(terms.ord(), reply.ird().orElse(terms.ord())), ready));
        }
    }

    /** The ready-to-receive indication to send; {@code null} if the peer wants one, but only such as this side cannot send. */
    private static ReadyIndication ready(FrameReader reply) {
        if (!reply.isPeerToPeer()) {
            return ReadyIndication.NONE;
        } else if ((reply.ordWord() & MpaStart.RTR_WRITE) != 0) {
            return ReadyIndication.WRITE;
        } else if ((reply.ordWord() & MpaStart.RTR_READ) != 0) {
            return ReadyIndication.READ;
        }
        return (reply.irdWord() & MpaStart.RTR_SEND) != 0 ? ReadyIndication.SEND : null;
    }

    private void terminate(FrameReader reply, int error, String reason) {
        refusal = reason;
        boolean crc = terms.crc() || reply.has(MpaStart.CRC);
        boolean markers = reply.has(MpaStart.MARKERS);
        send(StartupTerminate.encode(spareMemory(), error, crc, markers));
    }

    /** The reason for which this side cannot read an accepting Reply; {@code null} if it can. */
    private String objection(FrameReader reply) {
        if (reply.revision() == 0 || reply.revision() > terms.revision()) {
            return "the peer replied with MPA revision " + reply.revision() + "; this side asked for revision " + terms.revision();
        }
        return reply.objection();
    }
}
