package org.panamaverbs;

/** A {@code post} method found no room in its queue: nothing was posted. {@code tryPost} returns {@code false} instead. */
public final class QueueFullException extends VerbsException {
    private static final long serialVersionUID = 1L;

    private QueueFullException(String message) {
        super(message, null);
    }

    /**
     * A send queue is full.
     *
     * @param queue the queue pair
     * @return to be thrown
     */
    static QueueFullException ofSends(Object queue) {
        return new QueueFullException("the send queue of " + queue
                + " is full: poll completions before you post more, or make the queue deeper (QueuePairAttributes.withDepths)");
    }

    /**
     * A receive queue is full.
     *
     * @param queue the queue pair or the shared receive queue
     * @return to be thrown
     */
    static QueueFullException ofReceives(Object queue) {
        return new QueueFullException(
                "the receive queue of " + queue + " is full: post a receive when one has completed, or make the queue deeper");
    }
}
