package org.panamaverbs.tools.shared;

/** The failure of a command, in one line for its user. */
public final class Failure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final Kind kind;

    /** The kinds of failures, by the party at fault. */
    public enum Kind {
        /** None of the others. */
        FAILED,
        /** The peer has left, or does not speak the protocol. */
        PEER,
        /** The peer's program does not want to. */
        REFUSED,
        /** The peer was silent for too long. */
        TIMEOUT,
        /** A file. */
        FILE
    }

    public Failure(String message) {
        this(Kind.FAILED, message);
    }

    public Failure(String message, Throwable cause) {
        this(Kind.FAILED, message, cause);
    }

    public Failure(Kind kind, String message) {
        this(kind, message, null);
    }

    public Failure(Kind kind, String message, Throwable cause) {
        super(message, cause);
        this.kind = kind;
    }

    public Kind kind() {
        return kind;
    }
}
