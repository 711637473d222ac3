package org.panamaverbs;

/** No provider was found, or none that was found is available here; the message names each and the reason. */
public final class NoProviderException extends VerbsException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes one.
     *
     * @param message the thing that is missing, and the remedy
     */
    public NoProviderException(String message) {
        super(message, null);
    }
}
