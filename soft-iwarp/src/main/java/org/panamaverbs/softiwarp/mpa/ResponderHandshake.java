package org.panamaverbs.softiwarp.mpa;

import java.lang.foreign.SegmentAllocator;
import org.panamaverbs.softiwarp.wire.MpaStart;

/**
 * The responder's part of MPA's start. It takes revisions 1 and 2.
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
public final class ResponderHandshake extends Handshake {
    private static final int NEWEST = 2;

    /** {@code null} until it is whole, and one that we can go on with. */
    private FrameReader request;
    /** What the Reply agrees to; {@code null} if it rejects. */
    private Agreement answer;

    /**
     * Makes one that waits for a Request.
     *
     * @param memory gives native memory for both frames
     */
    public ResponderHandshake(SegmentAllocator memory) {
        super(true, memory);
    }

    /** The time for the Request is over. If the Request is here, that changes nothing. */
    public void onTimeout() {
        if (state() == State.RECEIVING) {
            fail("not an MPA peer: it connected, and sent only " + filled() + " bytes of an MPA Request in time");
        }
    }

    /**
     * What the peer's program said; once requested.
     *
     * @throws IllegalStateException before
     */
    public byte[] privateData() {
        require(request != null, "privateData");
        return request.privateData();
    }

    /**
     * How many Reads of ours the peer serves at a time, 16,383 if it did not say; once requested.
     *
     * @throws IllegalStateException before
     */
    public int remoteIrd() {
        require(request != null, "remoteIrd");
        return request.irdWord() & MpaStart.DEPTH;
    }

    /**
     * How many Reads of its own the peer wants outstanding, 16,383 if it did not say; once requested.
     *
     * @throws IllegalStateException before
     */
    public int remoteOrd() {
        require(request != null, "remoteOrd");
        return request.ordWord() & MpaStart.DEPTH;
    }

    /**
     * Accepts: the Reply is to be sent.
     *
     * @param terms what we want; the revision is the Request's
     * @throws IllegalStateException if no Request waits for an answer
     */
    public void accept(Terms terms) {
        require(state() == State.REQUESTED, "accept");
        int ord = remoteIrd() == MpaStart.DEPTH ? terms.ord() : Math.min(terms.ord(), remoteIrd());
        answer = new Agreement(request.has(MpaStart.CRC) || terms.crc(), terms.ird(), ord, false, request.privateData());
        reply(answer.crc() ? MpaStart.CRC : 0, terms.ird(), ord, terms.privateData());
    }

    /**
     * Rejects: the Reply is to be sent.
     *
     * @param privateData what the peer's program is told
     * @throws IllegalStateException if no Request waits for an answer
     */
    public void reject(byte[] privateData) {
        require(state() == State.REQUESTED, "reject");
        reply(MpaStart.REJECTED | (request.has(MpaStart.CRC) ? MpaStart.CRC : 0), 0, 0, privateData);
    }

    /** Makes the Reply: its words repeat A, and the depths that the Request does not negotiate (RFC 6581, 9.1 and 9.2). */
    private void reply(int flags, int ird, int ord, byte[] privateData) {
        int irdWord = remoteOrd() == MpaStart.DEPTH ? MpaStart.DEPTH : ird;
        int ordWord = remoteIrd() == MpaStart.DEPTH ? MpaStart.DEPTH : ord;
        if ((request.irdWord() & MpaStart.PEER_TO_PEER) != 0) {
            irdWord |= MpaStart.PEER_TO_PEER;
            // With an IRD of 0 a Read could not be the ready-to-receive indication: even one of no bytes would be refused.
            ordWord |= MpaStart.RTR_WRITE | (ird > 0 ? MpaStart.RTR_READ : 0);
        }
        send(Frames.encode(memory(), false, flags, request.revision(), request.isEnhanced(), irdWord, ordWord, privateData));
    }

    @Override
    String describeEnd() {
        return state() == State.RECEIVING
                ? "not an MPA peer, or one that gave up: it closed the connection after " + filled() + " bytes of its MPA Request"
                : "the peer gave up: it closed the connection before it had an MPA Reply";
    }

    @Override
    void onFrame(FrameReader frame) {
        String objection = frame.revision() == 0 || frame.revision() > NEWEST
                ? "the peer asks for MPA revision " + frame.revision() + "; this side knows 1 and " + NEWEST
                : frame.objection();
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
