package org.panamaverbs;

/** The object was closed while, or before, a thread waited on it. */
public final class ClosedException extends VerbsException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes one.
     *
     * @param message what happened, to which object, and what to do
     */
    public ClosedException(String message) {
        super(message, null);
    }

    /**
     * Makes one with its cause.
     *
     * @param message what happened, to which object, and what to do
     * @param cause   what led to it, or {@code null}
     */
    public ClosedException(String message, Throwable cause) {
        super(message, cause);
    }
}
