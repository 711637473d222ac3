package org.panamaverbs.rdmacore.lifecycle;

import org.panamaverbs.VerbsException;
import org.panamaverbs.spi.support.Children;

/** An object that completes in a completion queue and closes before it: a queue pair. */
public interface Completing extends AutoCloseable {
    /** The completion queue broke, the device failed or refuses what was posted. The caller may hold a work queue's lock. */
    void fail(VerbsException reason);

    /** Whether its end is over, and everything is in the completion queue: requests posted from then on are flushed at once. */
    boolean isFinished();

    /** Begins to close: the device flushes what it has. {@link #close} waits for that. */
    void startClosing();

    @Override
    void close();

    /**
     * Closes queue pairs, all at once: one wait for what the devices flush is enough then.
     *
     * @return as {@link Children#close}
     */
    static boolean closeAll(Children queuePairs) {
        queuePairs.open().forEach(queuePair -> ((Completing) queuePair).startClosing());
        return queuePairs.close();
    }
}
