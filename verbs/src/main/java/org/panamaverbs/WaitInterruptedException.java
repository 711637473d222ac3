package org.panamaverbs;

import org.jspecify.annotations.Nullable;

/** The thread was interrupted while it waited; its interrupted status is set again. The object that it waited on is as it was. */
public final class WaitInterruptedException extends VerbsException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes one.
     *
     * @param cause how the interrupt showed, or {@code null}
     */
    public WaitInterruptedException(@Nullable Throwable cause) {
        super("the thread was interrupted while it waited", cause);
    }
}
