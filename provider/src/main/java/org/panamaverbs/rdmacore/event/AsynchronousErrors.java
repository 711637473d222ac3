package org.panamaverbs.rdmacore.event;

import java.util.Optional;
import org.panamaverbs.AsynchronousEvent;
import org.panamaverbs.PeerException;
import org.panamaverbs.VerbsException;

/** The meanings of asynchronous events of queue pairs. */
public final class AsynchronousErrors {
    private AsynchronousErrors() {
    }

    /** The failure that an event tells of, if it does. */
    public static Optional<VerbsException> failure(AsynchronousEvent.Type type) {
        String text = switch (type) {
            case QUEUE_PAIR_ACCESS_ERROR ->
                "access error: the peer named a key, address or right that it does not have (IBV_EVENT_QP_ACCESS_ERR)";
            case QUEUE_PAIR_REQUEST_ERROR -> "the peer sent an invalid request (IBV_EVENT_QP_REQ_ERR)";
            case QUEUE_PAIR_FATAL -> "the queue pair failed on an inbound message, or inside (IBV_EVENT_QP_FATAL)";
            default -> null;
        };
        return Optional.ofNullable(text).map(PeerException::new);
    }
}
