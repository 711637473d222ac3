package org.panamaverbs;

import java.time.Duration;

/** Where completion queues report that there is something to poll ({@code ibv_comp_channel}). */
public interface CompletionChannel extends AutoCloseable {
    /**
     * Waits for an event of {@link CompletionQueue#requestNotification}. The event is acknowledged by this.
     *
     * @param timeout how long at most
     * @return the queue to poll, or {@code null} where the time was up
     * @throws ClosedException where the channel is closed, also while waiting
     */
    CompletionQueue await(Duration timeout);

    /** Closes the completion queues that report to it, then the channel. */
    @Override
    void close();
}
