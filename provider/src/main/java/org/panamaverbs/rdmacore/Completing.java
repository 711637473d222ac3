package org.panamaverbs.rdmacore;

import org.panamaverbs.VerbsException;

/** What completes in a completion queue and closes before it: a queue pair. */
interface Completing extends AutoCloseable {
    /** The completion queue broke. */
    void fail(VerbsException reason);

    @Override
    void close();
}
