package org.panamaverbs;

import org.jspecify.annotations.Nullable;

/** A call of the operating system or of a native library failed. */
public final class SystemException extends VerbsException {
    private static final long serialVersionUID = 1L;

    /** The error number, or 0 if there is none. */
    private final int errorNumber;

    /**
     * Makes one.
     *
     * @param message     the operation, its object and the reason of the failure, with the error's name
     * @param errorNumber the {@code errno}, or 0 if there is none
     */
    public SystemException(String message, int errorNumber) {
        this(message, errorNumber, null);
    }

    /**
     * Makes one of an exception.
     *
     * @param message the operation, its object and the reason of the failure
     * @param cause   the cause
     */
    public SystemException(String message, @Nullable Throwable cause) {
        this(message, 0, cause);
    }

    /**
     * Makes one of an exception that stands for an error number.
     *
     * @param message     the operation, its object and the reason of the failure, with the error's name
     * @param errorNumber the {@code errno}, or 0 if there is none
     * @param cause       the cause, or {@code null}
     */
    public SystemException(String message, int errorNumber, @Nullable Throwable cause) {
        super(message, cause);
        this.errorNumber = errorNumber;
    }

    /**
     * The system's error number.
     *
     * @return the {@code errno}, or 0 if the failure had none
     */
    public int errorNumber() {
        return errorNumber;
    }
}
