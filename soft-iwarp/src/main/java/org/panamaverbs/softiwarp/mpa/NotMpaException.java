package org.panamaverbs.softiwarp.mpa;

/** What came is not a frame of MPA, or not one that RFC 5044 and RFC 6581 allow; the message says why. */
public final class NotMpaException extends Exception {
    private static final long serialVersionUID = 1L;

    NotMpaException(String message) {
        super(message);
    }
}
