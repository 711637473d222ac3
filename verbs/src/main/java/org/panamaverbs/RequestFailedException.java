package org.panamaverbs;

import org.jspecify.annotations.Nullable;

/** A request completed with another status than success; {@link Completion#orThrow} throws it, and a connection that ended by it has it as its failure. */
public final class RequestFailedException extends VerbsException {
    private static final long serialVersionUID = 1L;

    /** How the request ended. */
    private final CompletionStatus status;

    /**
     * Makes one.
     *
     * @param message which request failed, and how
     * @param status  how the request ended
     */
    public RequestFailedException(String message, CompletionStatus status) {
        this(message, status, null);
    }

    /**
     * Makes one with its cause.
     *
     * @param message which request failed, and how
     * @param status  how the request ended
     * @param cause   the failure that ended the connection, or {@code null}
     */
    public RequestFailedException(String message, CompletionStatus status, @Nullable VerbsException cause) {
        super(message, cause);
        this.status = status;
    }

    /**
     * How the request ended.
     *
     * @return never {@link CompletionStatus#SUCCESS}
     */
    public CompletionStatus status() {
        return status;
    }
}
