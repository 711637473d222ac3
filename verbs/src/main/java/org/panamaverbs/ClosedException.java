package org.panamaverbs;

import org.jspecify.annotations.Nullable;

/** The object was closed while, or before, a thread waited on it. */
public final class ClosedException extends VerbsException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes one.
     *
     * @param message the failure, the object that it concerns, and the remedy
     */
    public ClosedException(String message) {
        super(message, null);
    }

    /**
     * Makes one with its cause.
     *
     * @param message the failure, the object that it concerns, and the remedy
     * @param cause   the cause, or {@code null}
     */
    public ClosedException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
