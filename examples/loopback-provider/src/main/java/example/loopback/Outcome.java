package example.loopback;

import org.panamaverbs.AsynchronousEvent;
import org.panamaverbs.CompletionStatus;

/** How a request was carried out. All outcomes but the first end the connection. */
enum Outcome {
    /** Everything was right. */
    DONE(CompletionStatus.SUCCESS, null, null, ""),
    /** A region of the request is closed, or its mapped file was cut short. */
    NO_SOURCE(CompletionStatus.LOCAL_PROTECTION_ERROR, null, null, "a region of the request cannot be used"),
    /** The peer has no receive for the message. */
    NO_RECEIVE(CompletionStatus.RECEIVER_NOT_READY_RETRY_EXCEEDED, null, AsynchronousEvent.Type.QUEUE_PAIR_REQUEST_ERROR,
            "a message came for which no receive was posted"),
    /** The message is longer than the peer's receive. */
    RECEIVE_TOO_SHORT(CompletionStatus.REMOTE_INVALID_REQUEST_ERROR, CompletionStatus.LOCAL_LENGTH_ERROR,
            AsynchronousEvent.Type.QUEUE_PAIR_REQUEST_ERROR, "a message is longer than the receive posted for it"),
    /** A region of the peer's receive is closed. */
    NO_TARGET(CompletionStatus.REMOTE_OPERATION_ERROR, CompletionStatus.LOCAL_PROTECTION_ERROR,
            AsynchronousEvent.Type.QUEUE_PAIR_FATAL, "a region of a receive cannot be used"),
    /** The peer's memory does not allow it. */
    NO_ACCESS(CompletionStatus.REMOTE_ACCESS_ERROR, null, AsynchronousEvent.Type.QUEUE_PAIR_ACCESS_ERROR,
            "a request named a key, an address or a right that its sender does not have");

    /** Of the request. */
    final CompletionStatus status;
    /** Of the peer's receive, or {@code null} if it is flushed with the others. */
    final CompletionStatus receiveStatus;
    /** At the peer, or {@code null} if the error is on this side. */
    final AsynchronousEvent.Type event;
    final String text;

    Outcome(CompletionStatus status, CompletionStatus receiveStatus, AsynchronousEvent.Type event, String text) {
        this.status = status;
        this.receiveStatus = receiveStatus;
        this.event = event;
        this.text = text;
    }
}
