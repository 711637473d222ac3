package org.panamaverbs;

import org.jspecify.annotations.Nullable;

/** The provider or device cannot do this; {@link Device#supports(Capability)} tells beforehand. */
public final class UnsupportedVerbException extends VerbsException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes one.
     *
     * @param message the failure, the object that it concerns, and the remedy
     */
    public UnsupportedVerbException(String message) {
        super(message, null);
    }

    /**
     * Makes one with its cause.
     *
     * @param message the failure, the object that it concerns, and the remedy
     * @param cause   the cause, or {@code null}
     */
    public UnsupportedVerbException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
