package org.panamaverbs.compare;

/** A program that was to be measured failed, in one line. */
final class ProgramException extends Exception {
    private static final long serialVersionUID = 1L;

    ProgramException(String message) {
        super(message);
    }

    ProgramException(String message, Throwable cause) {
        super(message, cause);
    }
}
