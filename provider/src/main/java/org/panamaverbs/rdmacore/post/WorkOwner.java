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

    /** The device reported a failure. Under the lock of the completion queue. */
    void onFailure(boolean isSend, int status);
}
