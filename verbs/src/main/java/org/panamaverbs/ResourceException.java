package org.panamaverbs;

import org.jspecify.annotations.Nullable;

/** A limit was reached: memory, registrations, queue entries, file descriptors; the message names the limit and the cure. */
public final class ResourceException extends VerbsException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes one.
     *
     * @param message the failure, the object that it concerns, and the remedy
     */
    public ResourceException(String message) {
        super(message, null);
    }

    /**
     * Makes one with its cause.
     *
     * @param message the failure, the object that it concerns, and the remedy
     * @param cause   the cause, or {@code null}
     */
    public ResourceException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
