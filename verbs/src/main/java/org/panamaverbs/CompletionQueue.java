package org.panamaverbs;

import java.time.Duration;
import org.panamaverbs.statistics.CompletionQueueStatistics;

/**
 * A queue in which requests report that they are done ({@code ibv_cq}).
 *
 * <p>Make it at least as large as all queues that complete in it together: a completion that finds it full breaks it, and with it the
 * queue pairs that use it, as it does on hardware. A queue made {@linkplain CompletionQueueAttributes#withAdmission with admission} sees to that
 * itself; {@link #resize} makes room in any other.
 */
public non-sealed interface CompletionQueue extends AsynchronousEvent.Source, AutoCloseable {
    /** {@return the device it belongs to; never changes} */
    Device device();

    /** {@return how many completions it holds; the number that was asked for, or more} */
    int capacity();

    /**
     * Makes it larger or smaller ({@code ibv_resize_cq}); needs {@link Capability#RESIZE_COMPLETION_QUEUE}. Completions that wait in it stay,
     * in their order. Other threads may post, poll and wait meanwhile. A queue that has overrun stays broken. If it throws, nothing changes.
     *
     * @param entries the least number of completions that it holds from now on: 1 to
     *                {@link org.panamaverbs.device.DeviceAttributes#maximumCompletionQueueEntries()}, and no fewer than wait in it, or than
     *                its queue pairs can have outstanding if it admits them. {@link #capacity()} says how many it holds then
     * @throws IllegalArgumentException  for a number beyond the device's limits, or too few
     * @throws ResourceException         if memory runs out
     * @throws SystemException           if the device refuses
     * @throws UnsupportedVerbException  without {@link Capability#RESIZE_COMPLETION_QUEUE}
     * @throws ClosedException           if the queue is closed
     */
    default void resize(int entries) {
        throw Capability.RESIZE_COMPLETION_QUEUE.missingOn(device());
    }

    /**
     * Takes completions that are there, oldest first; never waits. On soft-iwarp a thread that spins on this also moves the protocol on, so
     * that no other thread needs to wake up.
     *
     * @param into takes as many as there are and it has room for; its cursor stands before the first
     * @return how many; 0 if there was none
     * @throws IllegalStateException if {@code into} has unread completions ({@link Completions#remaining()}): read or
     *                               {@linkplain Completions#clear() drop} them first
     * @throws ResourceException     if the queue overran
     * @throws SystemException       if the device has failed, once there is nothing more to take
     * @throws ClosedException       if the queue is closed
     */
    int poll(Completions into);

    /**
     * Takes completions, and waits for the first if there is none. Do not mix it with {@link #requestNotification} on one queue.
     *
     * @param into    as for {@link #poll}
     * @param timeout how long at most
     * @return how many; 0 if the time was up, or {@link #wakeup()} ended the wait
     * @throws IllegalStateException    as for {@link #poll}
     * @throws ResourceException        if the queue overran
     * @throws SystemException          if the device has failed, also while waiting
     * @throws WaitInterruptedException if the thread was interrupted
     * @throws ClosedException          if the queue is closed, also while waiting
     */
    int await(Completions into, Duration timeout);

    /**
     * Takes one completion, and waits for it if there is none: for paths that are not hot. {@link Completion#orThrow} insists on success.
     *
     * @param timeout how long at most
     * @return the oldest completion
     * @throws VerbsTimeoutException    if none came in time
     * @throws ResourceException        if the queue overran
     * @throws SystemException          if the device has failed, also while waiting
     * @throws WaitInterruptedException if the thread was interrupted
     * @throws ClosedException          if the queue is closed, also while waiting
     */
    Completion take(Duration timeout);

    /**
     * Ends one {@link #await}: of a thread that waits, or else the next one, which then does not wait. Several calls before that end one
     * as well. {@link #take} goes on waiting.
     */
    void wakeup();

    /**
     * Asks for one event on the channel for the next completion that is added. Completions that are there already raise none: poll
     * once more after asking.
     *
     * @param solicitedOnly whether only receives of a solicited Send, and failures, count
     * @throws IllegalStateException if it was made without a channel
     */
    void requestNotification(boolean solicitedOnly);

    /**
     * Its statistics: the completions that have passed through it. It can be asked for after it has closed, too.
     *
     * @return a snapshot, whose counts are empty if the provider does not have them
     */
    default CompletionQueueStatistics statistics() {
        return new CompletionQueueStatistics() {
        };
    }

    /** Closes the queue pairs that use it, then the queue. Completions not yet polled are lost. */
    @Override
    void close();
}
