package org.panamaverbs.rdmacore;

import org.panamaverbs.QueuePairState;
import org.panamaverbs.VerbsException;

/** What one side of a queue pair, its sends or its receives, has to know of the whole, and tell it. */
interface WorkOwner {
    /** The number that completions repeat. */
    int number();

    /** Where it is in its life. */
    QueuePairState state();

    /** Whether its end is over: then what is posted is flushed at once. */
    boolean isFinished();

    /** The device refuses what was posted. Under the lock of the side. */
    void fail(VerbsException reason);

    /** The device reported a failure. Under the lock of the completion queue. */
    void onFailure(boolean isSend, int status);
}
