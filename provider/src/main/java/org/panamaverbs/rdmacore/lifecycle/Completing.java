package org.panamaverbs.rdmacore.lifecycle;

import org.panamaverbs.VerbsException;

/** An object that completes in a completion queue and closes before it: a queue pair. */
public interface Completing extends AutoCloseable {
    /** The completion queue broke, the device failed or refuses what was posted. The caller may hold a work queue's lock. */
    void fail(VerbsException reason);

    /** Whether its end is over, and everything is in the completion queue: requests posted from then on are flushed at once. */
    boolean isFinished();

    @Override
    void close();
}
