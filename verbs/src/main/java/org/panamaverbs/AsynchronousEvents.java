package org.panamaverbs;

import java.time.Duration;

/**
 * The asynchronous events of a device from the moment it was asked for them, for one listener; each has all of them. Events that nobody
 * takes wait, up to {@link #CAPACITY} of them: after that the oldest are lost, and counted.
 */
public interface AsynchronousEvents extends AutoCloseable {
    /** How many wait at most. */
    int CAPACITY = 1024;

    /**
     * Takes the oldest event, or waits for one.
     *
     * @param timeout how long at most
     * @return the event
     * @throws VerbsTimeoutException    if none came in time
     * @throws WaitInterruptedException if the thread was interrupted
     * @throws ClosedException          if this, or the device, is closed, also while waiting
     */
    AsynchronousEvent await(Duration timeout);

    /** {@return how many events were lost because too many waited; since the beginning} */
    long lost();

    /** Takes no more events. */
    @Override
    void close();
}
