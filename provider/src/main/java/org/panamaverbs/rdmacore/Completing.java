package org.panamaverbs.rdmacore;

import org.panamaverbs.VerbsException;

/** What completes in a completion queue and closes before it: a queue pair. */
interface Completing extends AutoCloseable {
    /** The completion queue broke. */
    void fail(VerbsException reason);

    /** Whether its end is over, and everything that it will ever complete is in the completion queue. */
    boolean isFinished();

    @Override
    void close();
}
