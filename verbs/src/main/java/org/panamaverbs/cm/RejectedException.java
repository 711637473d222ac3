package org.panamaverbs.cm;

import org.panamaverbs.PeerException;

/** The peer's program refused the connection. */
public final class RejectedException extends PeerException {
    private static final long serialVersionUID = 1L;

    /** What the peer said. */
    private final byte[] privateData;

    /**
     * Makes one.
     *
     * @param message     whom it was tried to connect to
     * @param privateData what the peer said; copied
     */
    public RejectedException(String message, byte[] privateData) {
        super(message);
        this.privateData = privateData.clone();
    }

    /**
     * What the peer's program said.
     *
     * @return a copy; empty where there was nothing
     */
    public byte[] privateData() {
        return privateData.clone();
    }
}
