package org.panamaverbs.rdmacore.queue;

import org.panamaverbs.spi.CompletionBuffer;

/** Handles the completions of its requests: a queue pair, or a shared receive queue. */
public interface WorkCompletionHandler {
    /** The part of its requests' {@code wr_id}s that names it, see {@link WrIdTable}. */
    long tag();

    /**
     * A completion of one of its requests, which becomes what the program expects. Under the completion queue's lock.
     *
     * @param request    the number that the request carried
     * @param completion the address of the completion
     * @param polled     the completions that the device brought
     * @param index      which of them it is
     * @return {@code false} if the program expects none, or not yet
     */
    boolean onReport(long request, long completion, CompletionBuffer polled, int index);

    /**
     * The object that the program has attached to the queue pair of a completion that is expected. Under the completion queue's lock.
     *
     * @param completion the address of the completion
     * @return the object, or {@code null}
     */
    Object attachment(long completion);
}
