package org.panamaverbs;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A channel on which completion queues report that there is something to poll ({@code ibv_comp_channel}). An event may also come without a
 * new completion, when a connection ends for instance.
 */
public interface CompletionChannel extends AutoCloseable {
    /** {@return the device it belongs to; never changes} */
    Device device();

    /**
     * Waits for an event of {@link CompletionQueue#requestNotification}. The event is acknowledged by this.
     *
     * @param timeout how long at most
     * @return the queue to poll, or {@code null} if {@link #wakeup()} ended the wait
     * @throws VerbsTimeoutException    if none came in time
     * @throws SystemException          if the device has failed, also while waiting
     * @throws WaitInterruptedException if the thread was interrupted
     * @throws ClosedException          if the channel is closed, also while waiting
     */
    @Nullable
    CompletionQueue await(Duration timeout);

    /**
     * Takes an event that is there; never waits.
     *
     * @return the queue to poll, or {@code null} if there is no event; then a {@link #wakeup()} is taken
     * @throws SystemException if the device has failed, once there is no event
     * @throws ClosedException if the channel is closed
     */
    @Nullable
    CompletionQueue poll();

    /**
     * Ends one {@link #await}: of a thread that waits, or else the next one, which then does not wait. Several calls before that end one
     * as well.
     */
    void wakeup();

    /**
     * The number of a file descriptor for a program that has an event loop of its own. It becomes readable ({@code POLLIN} of poll(2),
     * {@code EPOLLIN} of epoll(7)) when {@link #await} would return at once: there is an event, a wakeup, or a failure of the device. It
     * stays readable until {@link #poll()} has returned {@code null}. So the program calls {@code poll()} until then, and polls each queue
     * that it gets after a new {@link CompletionQueue#requestNotification}.
     *
     * <p>The descriptor belongs to the channel, which closes it. The program neither reads from it nor closes it, and takes it out of its
     * event loop before it closes the channel.
     *
     * @return 0 or more, always the same
     * @throws UnsupportedVerbException if the device lacks {@link Capability#CHANNEL_DESCRIPTOR}
     * @throws ResourceException        if the process has no descriptor left; the first call may need some
     * @throws ClosedException          if the channel is closed
     */
    default int descriptor() {
        throw Capability.CHANNEL_DESCRIPTOR.missingOn(device());
    }

    /** Closes the completion queues that report to it, then the channel. */
    @Override
    void close();
}
