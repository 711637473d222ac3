package org.panamaverbs;

import org.jspecify.annotations.Nullable;

/** A wait reached its time limit. */
public final class VerbsTimeoutException extends VerbsException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes one.
     *
     * @param message the failure, the object that it concerns, and the remedy
     */
    public VerbsTimeoutException(String message) {
        super(message, null);
    }

    /**
     * Makes one with its cause.
     *
     * @param message the failure, the object that it concerns, and the remedy
     * @param cause   the cause, or {@code null}
     */
    public VerbsTimeoutException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
