package org.panamaverbs;

/** How a request ended ({@code ibv_wc_status}, with its values). */
public enum CompletionStatus {
    /** Done. */
    SUCCESS(0, "success"),
    /** A receive was too short for the message, or a local length was wrong. */
    LOCAL_LENGTH_ERROR(1, "local length error: the message is longer than the receive posted for it"),
    /** The queue pair failed inside. */
    LOCAL_QP_OPERATION_ERROR(2, "local queue pair operation error"),
    /** A local region was closed, invalidated, its file cut short, or it lacks the right. */
    LOCAL_PROTECTION_ERROR(4, "local protection error: a region of the request is closed, or lacks the right"),
    /** The queue pair was disconnected or failed before the request was done. */
    FLUSHED(5, "flushed: the connection ended before the request was done"),
    /** A memory window could not be bound. */
    MEMORY_WINDOW_BIND_ERROR(6, "memory window bind error"),
    /** The peer's answer made no sense. */
    BAD_RESPONSE_ERROR(7, "bad response from the peer"),
    /** A protection error on an inbound message. */
    LOCAL_ACCESS_ERROR(8, "local access error"),
    /** The peer refused the request's form. */
    REMOTE_INVALID_REQUEST_ERROR(9, "remote invalid request error"),
    /** The peer refused the key, address or right. */
    REMOTE_ACCESS_ERROR(10, "remote access error: the peer refused the key, the address or the right"),
    /** The peer could not do it. */
    REMOTE_OPERATION_ERROR(11, "remote operation error"),
    /** The peer never answered. */
    RETRY_EXCEEDED(12, "retries exceeded: the peer does not answer"),
    /** The peer had no receive posted, for too long. */
    RECEIVER_NOT_READY_RETRY_EXCEEDED(13, "receiver not ready: the peer has posted no receive"),
    /** The peer gave up. */
    REMOTE_ABORTED(16, "remote aborted"),
    /** The queue pair or device is broken. */
    FATAL(19, "fatal device error"),
    /** Anything else. */
    GENERAL_ERROR(21, "general error");

    private static final CompletionStatus[] BY_VALUE = new CompletionStatus[32];

    static {
        java.util.Arrays.fill(BY_VALUE, GENERAL_ERROR);
        for (CompletionStatus status : values()) {
            BY_VALUE[status.value] = status;
        }
    }

    private final int value;
    private final String text;

    CompletionStatus(int value, String text) {
        this.value = value;
        this.text = text;
    }

    /**
     * The value in libibverbs.
     *
     * @return as in {@code ibv_wc_status}
     */
    public int value() {
        return value;
    }

    /** {@return its meaning; a few words for a message} */
    public String text() {
        return text;
    }

    /**
     * The status of a value; allocates nothing.
     *
     * @param value as in {@code ibv_wc_status}
     * @return {@link #GENERAL_ERROR} for one that has no name here
     */
    public static CompletionStatus of(int value) {
        return value >= 0 && value < BY_VALUE.length ? BY_VALUE[value] : GENERAL_ERROR;
    }
}
