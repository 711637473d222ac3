package org.panamaverbs.softiwarp.mpa;

import org.panamaverbs.softiwarp.wire.MpaStart;

/**
 * The responder's part of the start-up of MPA. It supports revisions 1 and 2.
 *
 * <pre>
 * RECEIVING  until the Request is here: we can go on with it ----------------&gt; REQUESTED
 *                                       it is anything else, or late --------&gt; FAILED
 * REQUESTED  until the program accepts or rejects ---------------------------&gt; SENDING
 * SENDING    until the Reply is sent: it accepts ----------------------------&gt; AGREED
 *                                     it rejects ----------------------------&gt; REJECTED
 * all three  the stream ends ------------------------------------------------&gt; FAILED
 * </pre>
 */
// Tested by HandshakeTest, RejectHandshakeTest.
public final class ResponderHandshake extends Handshake {
    private static final int NEWEST = 2;

    /** The Request; {@code null} until it is whole and valid. */
    private FrameReader request;
    /** The terms that the Reply agrees to; {@code null} if it rejects. */
    private Agreement answer;

    /** Makes a handshake that waits for a Request. */
    public ResponderHandshake() {
        super(true);
    }

    /** The time for the Request is over. Changes nothing if the Request is here. */
    public void onTimeout() {
        if (state() == State.RECEIVING) {
            fail("not an MPA peer: it connected, and sent only " + filled() + " bytes of an MPA Request in time");
        }
    }

    /**
     * The private data of the Request.
     *
     * @throws IllegalStateException if no Request has come
     */
    public byte[] privateData() {
        require(request != null, "privateData");
        return request.privateData();
    }

    /**
     * How many of our Reads the peer serves at a time; 16,383 if the Request does not say.
     *
     * @throws IllegalStateException if no Request has come
     */
    public int remoteIrd() {
        require(request != null, "remoteIrd");
        return request.irdWord() & MpaStart.DEPTH;
    }

    /**
     * How many of its own Reads the peer wants outstanding; 16,383 if the Request does not say.
     *
     * @throws IllegalStateException if no Request has come
     */
    public int remoteOrd() {
        require(request != null, "remoteOrd");
        return request.ordWord() & MpaStart.DEPTH;
    }

    /**
     * Accepts the connection: the Reply must be sent next.
     *
     * @param terms the terms that this side asks for; the Reply has the revision of the Request
     * @throws IllegalStateException if no Request waits for an answer
     */
    public void accept(Terms terms) {
        require(state() == State.REQUESTED, "accept");
        int ord = remoteIrd() == MpaStart.DEPTH ? terms.ord() : Math.min(terms.ord(), remoteIrd());
        int ird = terms.ird() == 0 && needsARead() ? 1 : terms.ird();
        answer = Agreement.of(request, terms.crc(), ird, ord, awaited());
        reply(answer.crc() ? MpaStart.CRC : 0, ird, ord, terms.privateData());
    }

    /**
     * Rejects the connection: the Reply must be sent next. If the Request has depths, so has the Reply: the ORD may exceed the peer's IRD,
     * and then says what this side needs (RFC 6581, 9.1).
     *
     * @param terms the depths that this side would accept with, and private data for the peer's program
     * @throws IllegalStateException if no Request waits for an answer
     */
    public void reject(Terms terms) {
        require(state() == State.REQUESTED, "reject");
        reply(MpaStart.REJECTED | (request.has(MpaStart.CRC) ? MpaStart.CRC : 0), terms.ird(), terms.ord(), terms.privateData());
    }

    private ReadyIndication awaited() {
        if (!request.isPeerToPeer()) {
            return ReadyIndication.NONE;
        }
        return offersSend() ? ReadyIndication.AWAITED_SEND : ReadyIndication.AWAITED;
    }

    private boolean offersSend() {
        return (request.irdWord() & MpaStart.RTR_SEND) != 0;
    }

    /**
     * Whether a Read is the only ready-to-receive indication that the initiator can send: then this side must serve one (RFC 6581, 9.1).
     */
    private boolean needsARead() {
        return request.isPeerToPeer() && remoteOrd() != MpaStart.DEPTH && !offersSend()
                && (request.ordWord() & (MpaStart.RTR_WRITE | MpaStart.RTR_READ)) == MpaStart.RTR_READ;
    }

    /** Makes the Reply. It repeats A, and does not negotiate a depth that the Request does not negotiate (RFC 6581, 9.1 and 9.2). */
    private void reply(int flags, int ird, int ord, byte[] privateData) {
        int irdWord = remoteOrd() == MpaStart.DEPTH ? MpaStart.DEPTH : ird;
        int ordWord = remoteIrd() == MpaStart.DEPTH ? MpaStart.DEPTH : ord;
        if (request.isPeerToPeer()) {
            // A program may also send an empty Send first: so it is an indication only if the Request offers it.
            irdWord |= MpaStart.PEER_TO_PEER | (offersSend() ? MpaStart.RTR_SEND : 0);
            // With an IRD of 0, a Read cannot be the ready-to-receive indication: this side would refuse even a Read of no bytes.
            ordWord |= MpaStart.RTR_WRITE | (ird > 0 ? MpaStart.RTR_READ : 0);
        }
        send(Frames.encode(false, flags, request.revision(), request.isEnhanced(), irdWord, ordWord, privateData));
    }

    @Override
    String describeEnd() {
        return state() == State.RECEIVING
                ? "not an MPA peer, or one that gave up: it closed the connection after " + filled() + " bytes of its MPA Request"
                : "the peer gave up: it closed the connection before it received an MPA Reply";
    }

    @Override
    void onFrame(FrameReader frame) {
        String objection = frame.revision() == 0 || frame.revision() > NEWEST
                ? "the peer asks for MPA revision " + frame.revision() + "; this side supports 1 and " + NEWEST : frame.objection();
        if (objection != null) {
            fail(objection);
            return;
        }
        request = frame;
        move(State.REQUESTED);
    }

    @Override
    void onFrameSent() {
        if (answer == null) {
            move(State.REJECTED);
        } else {
            agree(answer);
        }
    }
}
