package org.panamaverbs;

import org.jspecify.annotations.Nullable;

/** The peer broke the protocol, ended the connection, or is not what it should be. */
public non-sealed class PeerException extends VerbsException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes one.
     *
     * @param message the failure, the object that it concerns, and the remedy
     */
    public PeerException(String message) {
        super(message, null);
    }

    /**
     * Makes one with its cause.
     *
     * @param message the failure, the object that it concerns, and the remedy
     * @param cause   the cause, or {@code null}
     */
    public PeerException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
