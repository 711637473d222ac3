package org.panamaverbs;

import java.time.Duration;

/** A channel on which completion queues report that there is something to poll ({@code ibv_comp_channel}). */
public interface CompletionChannel extends AutoCloseable {
    /**
     * The device it belongs to.
     *
     * @return never changes
     */
    Device device();

    /**
     * Waits for an event of {@link CompletionQueue#requestNotification}. The event is acknowledged by this.
     *
     * @param timeout how long at most
     * @return the queue to poll
     * @throws VerbsTimeoutException    if none came in time
     * @throws WaitInterruptedException if the thread was interrupted
     * @throws ClosedException          if the channel is closed, also while waiting
     */
    CompletionQueue await(Duration timeout);

    /** Closes the completion queues that report to it, then the channel. */
    @Override
    void close();
}
