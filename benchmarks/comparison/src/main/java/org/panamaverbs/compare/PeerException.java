package org.panamaverbs.compare;

/** A program that was to be measured failed, in one line. */
final class PeerException extends Exception {
    private static final long serialVersionUID = 1L;

    PeerException(String message) {
        super(message);
    }

    PeerException(String message, Throwable cause) {
        super(message, cause);
    }
}
