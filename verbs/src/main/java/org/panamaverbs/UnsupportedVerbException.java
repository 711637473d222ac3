package org.panamaverbs;

/** The provider or device cannot do this; {@link Device#supports(Capability)} tells beforehand. */
public final class UnsupportedVerbException extends VerbsException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes one.
     *
     * @param message what happened, to which object, and what to do
     */
    public UnsupportedVerbException(String message) {
        super(message, null);
    }

    /**
     * Makes one with its cause.
     *
     * @param message what happened, to which object, and what to do
     * @param cause   what led to it, or {@code null}
     */
    public UnsupportedVerbException(String message, Throwable cause) {
        super(message, cause);
    }
}
