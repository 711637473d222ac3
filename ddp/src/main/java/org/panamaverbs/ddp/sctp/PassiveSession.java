package org.panamaverbs.ddp.sctp;

/** The side that answers a request for a session: its program accepts or rejects it, or the listener refuses it for its program. */
public final class PassiveSession extends Session {
    /**
     * Makes a session that waits for an Initiate.
     *
     * @param out empty
     */
    public PassiveSession(Outbound out) {
        super(out, State.AWAITING);
    }

    /** The time for the Initiate is over. Changes nothing if the Initiate is here. */
    public void onTimeout() {
        if (state() == State.AWAITING) {
            fail("the peer connected, and sent no DDP Session Initiate in time; does it speak DDP over SCTP?");
        }
    }

    /**
     * The program accepts the session.
     *
     * @param privateData for the peer's program, at most 512 bytes
     * @throws IllegalStateException if no Initiate waits for an answer
     */
    public void accept(byte[] privateData) {
        require(state() == State.REQUESTED, "accept");
        send(SctpControl.ACCEPT, checked(privateData));
        establish(false);
    }

    /**
     * The program rejects the session. Only a program may (RFC 5043, 6.3): see {@link #refuse}.
     *
     * @param privateData for the peer's program, at most 512 bytes
     * @throws IllegalStateException if no Initiate waits for an answer
     */
    public void reject(byte[] privateData) {
        require(state() == State.REQUESTED, "reject");
        send(SctpControl.REJECT, checked(privateData));
        move(State.REJECTED);
    }

    /**
     * Refuses the session without asking the program, because too many requests wait for it already (RFC 5043, 6.4).
     *
     * @throws IllegalStateException if no Initiate waits for an answer
     */
    public void refuse() {
        require(state() == State.REQUESTED, "refuse");
        send(SctpControl.TERMINATE, checked(new byte[0]));
        move(State.REFUSED);
    }

    @Override
    boolean onStart(int function, byte[] privateData) {
        if (state() != State.AWAITING || function != SctpControl.INITIATE) {
            return false;
        }
        keep(privateData);
        move(State.REQUESTED);
        return true;
    }
}
