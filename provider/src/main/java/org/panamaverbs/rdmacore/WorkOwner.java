package org.panamaverbs.rdmacore;

import org.panamaverbs.QueuePairState;

/** What one side of a queue pair, its sends or its receives, has to know of the whole, and tell it. */
interface WorkOwner extends Completing {
    /** The number that completions repeat. */
    int number();

    /** What the program has attached to it, or {@code null}. */
    Object attachment();

    /** Where it is in its life. */
    QueuePairState state();

    /** The device reported a failure. Under the lock of the completion queue. */
    void onFailure(boolean isSend, int status);
}
