package org.panamaverbs.ddp.sctp;

/** The side that asks for a session. It sends no segment before the answer has come: so none can overtake the Initiate (RFC 5043, 6.6). */
public final class ActiveSession extends Session {
    /**
     * Makes a session that has its Initiate to send.
     *
     * @param out         empty
     * @param privateData for the peer's program, at most 512 bytes
     */
    public ActiveSession(Outbound out, byte[] privateData) {
        super(out, State.INITIATING);
        send(SctpControl.INITIATE, checked(privateData));
    }

    /** Describes, for the message of a timeout, the event that the session waits for. */
    public String waitsFor() {
        return state() == State.INITIATING
                ? "SCTP connected, but no answer to the DDP Session Initiate came; is a program that speaks DDP over SCTP at that address?"
                : "the session is " + state();
    }

    @Override
    boolean onStart(int function, byte[] privateData) {
        switch (function) {
            case SctpControl.ACCEPT -> {
                keep(privateData);
                establish(true);
            }
            case SctpControl.REJECT -> {
                keep(privateData);
                move(State.REJECTED);
            }
            case SctpControl.TERMINATE -> move(State.REFUSED);
            default -> {
                return false;
            }
        }
        return true;
    }
}
