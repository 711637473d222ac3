package org.panamaverbs.rdmacore.queue;

import org.panamaverbs.Completions;

/** Whose requests the device reports: a queue pair, or a queue of receives that several share. */
public interface Requester {
    /** What its requests carry, see {@link Requesters}. */
    long tag();

    /**
     * A completion of one of its requests, which becomes what the program expects. Under the completion queue's lock.
     *
     * @param request what the request carried
     * @param polled  what the device brought
     * @param index   which of them it is
     * @return {@code false} where the program expects none, or not yet
     */
    boolean onReport(long request, Completions polled, int index);
}
