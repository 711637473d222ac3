package org.panamaverbs;

import org.jspecify.annotations.Nullable;

/** Something other than the caller's arguments went wrong; the subclasses say whose fault it was. */
public abstract sealed class VerbsException extends RuntimeException
        permits NoProviderException, PeerException, QueueFullException, RequestFailedException, ResourceException, SystemException,
        UnsupportedVerbException, VerbsTimeoutException, WaitInterruptedException, ClosedException {
    private static final long serialVersionUID = 1L;

    VerbsException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    /** {@return the failure, the object that it concerns, and the remedy} */
    @Override
    public String getMessage() {
        return String.valueOf(super.getMessage());
    }
}
