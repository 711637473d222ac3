package org.panamaverbs.ddp.sctp;

/**
 * A DDP Stream Session, without I/O and without a clock (RFC 5043, 6). The {@link ActiveSession} sends an Initiate, the
 * {@link PassiveSession} answers it. Once it is established, both sides send segments, until each has sent a Terminate or the association
 * has ended.
 *
 * <p>Inputs are {@code on…}, outputs are {@link #pollTransmit} and the getters, commands are verbs. {@link MessageReader} passes received
 * messages on in the order of their DDP-SSNs. The caller polls after each input and each command.
 *
 * <pre>
 *              Initiate      Accept        Reject     Terminate              segment
 * INITIATING   failed        established   rejected   refused                failed
 * AWAITING     requested     failed        failed     failed                 failed
 * REQUESTED    failed        failed        failed     failed                 failed
 * ESTABLISHED  failed        failed        failed     its side has ended     delivered, unless its side has ended
 * </pre>
 *
 * <p>The last four states are outcomes: nothing that the peer sends changes them. They count once {@link #pollTransmit} is empty. No input
 * from a peer causes an exception. A command that does not fit the state throws {@link IllegalStateException} and changes nothing. One
 * thread at a time calls.
 *
 * <p>A control message never leaves while the peer may not yet have received the one before (RFC 5043, 6.6), since it may overtake. So a
 * passive side's Terminate waits for the first message that the peer sends after the Accept, or for {@link #onAcknowledged}.
 */
public abstract sealed class Session permits ActiveSession, PassiveSession {
    /** The states of a session. */
    public enum State {
        /** For the active side: the peer has not answered the Initiate. */
        INITIATING,
        /** For the passive side: the Initiate has not come. */
        AWAITING,
        /** For the passive side: the Initiate is here, and the program must accept or reject it. */
        REQUESTED,
        /** Each side may send segments until it sends a Terminate. */
        ESTABLISHED,
        /** The session has ended in order. */
        ENDED,
        /** The passive side's program rejected the session. */
        REJECTED,
        /** The passive side refused the session without asking its program. */
        REFUSED,
        /** The session was broken off: {@link #failure} says why. */
        FAILED
    }

    private static final byte[] NO_DATA = {};

    private final Outbound out;
    private State state;
    private String failure;
    private byte[] peerData;
    /** The function of the control message that must be sent, or 0. */
    private int due;
    private byte[] dueData = NO_DATA;
    /** Whether our Terminate must be sent as soon as it may. */
    private boolean terminating;
    private boolean terminated;
    private boolean peerTerminated;
    /** Whether the peer has received our last control message before a Terminate. */
    private boolean received;
    private boolean abortive;

    Session(Outbound out, State first) {
        this.out = out;
        this.state = first;
    }

    /** The current state. */
    public final State state() {
        return state;
    }

    /** Whether the session has come to one of its four outcomes. */
    public final boolean isOver() {
        return switch (state) {
            case INITIATING, AWAITING, REQUESTED, ESTABLISHED -> false;
            case ENDED, REJECTED, REFUSED, FAILED -> true;
        };
    }

    /**
     * Why the session failed, without the peer's address; in {@link State#FAILED}.
     *
     * @throws IllegalStateException in any other state
     */
    public final String failure() {
        require(state == State.FAILED, "failure");
        return failure;
    }

    /**
     * The private data of the peer's Initiate, Accept or Reject.
     *
     * @return a copy, at most 512 bytes
     * @throws IllegalStateException if none of these has come
     */
    public final byte[] peerData() {
        require(peerData != null, "peerData");
        return peerData.clone();
    }

    /** Whether segments may be sent. */
    public final boolean isOpen() {
        return state == State.ESTABLISHED && due == 0 && !terminating && !terminated;
    }

    /** Whether the peer has sent its Terminate: it sends no segment any more. */
    public final boolean isInputEnded() {
        return peerTerminated;
    }

    /** Whether the session failed and must not tell the peer, because its message could come before an earlier one: abort the association. */
    public final boolean isAbortive() {
        return abortive;
    }

    /**
     * The message to send next, a control message or a segment. The content stays until {@link Outbound#onSent}; it is empty if the session
     * has nothing to send now.
     */
    public final Outbound pollTransmit() {
        if (out.isEmpty()) {
            if (due == 0 && terminating && received) {
                terminating = false;
                terminated = true;
                due = SctpControl.TERMINATE;
                endIfBothDid();
            }
            if (due != 0) {
                SctpControl.put(out.begin(SctpControl.SIZE + dueData.length), 0, due, dueData);
                out.end(SctpControl.SIZE + dueData.length, SctpControl.PROTOCOL);
                due = 0;
                dueData = NO_DATA;
            }
        }
        return out;
    }

    /**
     * Ends our side of an established session: after the message that is to be sent, a Terminate leaves. The peer may go on sending
     * segments. Further calls change nothing.
     *
     * @throws IllegalStateException if the session is not established
     */
    public final void terminate() {
        require(state == State.ESTABLISHED, "terminate");
        terminating = !terminated;
    }

    /** The peer has received everything that was sent. A transport that cannot know calls it when it has waited long enough. */
    public final void onAcknowledged() {
        if (state == State.ESTABLISHED && due == 0 && out.isEmpty()) {
            received = true;
        }
    }

    /**
     * Breaks the session off. A Terminate tells the peer, unless {@link #isAbortive}. Does nothing after an outcome.
     *
     * @param reason for {@link #failure}
     */
    public final void fail(String reason) {
        if (isOver()) {
            return;
        }
        // A Terminate may leave if no control message of ours can be on its way, and if it has not left already.
        boolean silent = state == State.AWAITING || state == State.REQUESTED;
        due = 0;
        dueData = NO_DATA;
        terminating = !terminated && (silent || received);
        received = true;
        abortive = !terminating && !terminated;
        if (abortive) {
            out.drop();
        }
        failure = reason;
        state = State.FAILED;
    }

    /** The association has ended: no message comes or leaves any more. */
    public final void onEndOfAssociation() {
        out.drop();
        if (state == State.ESTABLISHED && (terminated || peerTerminated)) {
            state = State.ENDED;
        } else if (!isOver()) {
            fail(describeEnd());
            out.drop();
        }
        due = 0;
        terminating = false;
    }

    private String describeEnd() {
        return switch (state) {
            case INITIATING -> "the peer ended the association without an answer to the DDP Session Initiate; does it speak DDP over SCTP?";
            case AWAITING -> "the peer ended the association before it sent a DDP Session Initiate; does it speak DDP over SCTP?";
            case REQUESTED -> "the peer ended the association before its DDP Session Initiate was answered";
            default -> "the association ended, and neither side had sent a DDP Session Terminate";
        };
    }

    /** A segment's turn has come. Returns {@code false} if the session failed. */
    final boolean onSegment() {
        if (state != State.ESTABLISHED || peerTerminated) {
            violated("a DDP segment");
            return false;
        }
        received = true;
        return true;
    }

    /** A control message's turn has come. Returns {@code false} if the session failed. */
    final boolean onControl(int function, byte[] privateData) {
        if (state == State.ESTABLISHED && function == SctpControl.TERMINATE && !peerTerminated) {
            peerTerminated = true;
            received = true;
            endIfBothDid();
        } else if (state == State.ESTABLISHED || !onStart(function, privateData)) {
            violated("a DDP " + SctpControl.name(function));
            return false;
        }
        return true;
    }

    /** A control message has come before the session is established. Returns {@code false} if it is illegal. */
    abstract boolean onStart(int function, byte[] privateData);

    private void violated(String what) {
        fail("the peer sent " + what + (peerTerminated ? " after its DDP Session Terminate" : " while the session was in state " + state)
                + " (RFC 5043, 6)");
    }

    private void endIfBothDid() {
        if (state == State.ESTABLISHED && terminated && peerTerminated) {
            state = State.ENDED;
        }
    }

    /** Has a control message sent. */
    final void send(int function, byte[] privateData) {
        due = function;
        dueData = privateData;
    }

    final void keep(byte[] privateData) {
        peerData = privateData;
    }

    final void establish(boolean peerHasReceived) {
        state = State.ESTABLISHED;
        received = peerHasReceived;
    }

    final void move(State next) {
        state = next;
    }

    final void require(boolean fits, String call) {
        if (!fits) {
            throw new IllegalStateException(call + " in state " + state);
        }
    }

    static byte[] checked(byte[] privateData) {
        if (privateData.length > SctpControl.MAXIMUM_PRIVATE_DATA) {
            throw new IllegalArgumentException(
                    "private data has at most " + SctpControl.MAXIMUM_PRIVATE_DATA + " bytes, not " + privateData.length);
        }
        return privateData.clone();
    }
}
