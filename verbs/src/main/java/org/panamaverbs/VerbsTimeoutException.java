package org.panamaverbs;

/** A wait reached its time limit. */
public final class VerbsTimeoutException extends VerbsException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes one.
     *
     * @param message what happened, to which object, and what to do
     */
    public VerbsTimeoutException(String message) {
        super(message, null);
    }

    /**
     * Makes one with its cause.
     *
     * @param message what happened, to which object, and what to do
     * @param cause   what led to it, or {@code null}
     */
    public VerbsTimeoutException(String message, Throwable cause) {
        super(message, cause);
    }
}
