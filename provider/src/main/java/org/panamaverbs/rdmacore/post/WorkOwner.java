package org.panamaverbs.rdmacore.post;

import org.panamaverbs.QueuePairState;
import org.panamaverbs.rdmacore.lifecycle.Completing;
import org.panamaverbs.rdmacore.queue.CompletionStash;

/** A queue pair, as its send queue and its receive queue see it. */
public interface WorkOwner extends Completing {
    /** The number that completions repeat. */
    int number();

    /** The object that the program has attached to it, or {@code null}. */
    Object attachment();

    /** Receives that completed before it was connected; under the lock of their completion queue. */
    CompletionStash early();

    /** Its state. */
    QueuePairState state();

    /** A receive of its shared queue has completed for it; with the bytes of the message. Under the lock of the completion queue. */
    void onShared(long bytes, int status);

    /**
     * The device refuses a request, or a receive, for another reason than lack of room. Some drivers refuse whatever is posted to a queue pair
     * in error (libcxgb4, libmana, liberdma); others flush it. Under the lock of the work queue.
     *
     * @return whether the queue pair ends, so that the request is flushed with all others; {@code false} if the fault is in the request
     */
    boolean onRefused(boolean isSend);

    /** The device reported a failure. Under the lock of the completion queue. */
    void onFailure(boolean isSend, int status);

    /** The device reported the failure of a probe. Under the lock of the completion queue. */
    default void onUnanswered(int status) {
        onFailure(true, status);
    }
}
