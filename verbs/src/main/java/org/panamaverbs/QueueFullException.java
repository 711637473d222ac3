package org.panamaverbs;

/** A {@code post…} method found no room in its queue: nothing was posted. The {@code tryPost…} methods return {@code false} instead. */
public final class QueueFullException extends VerbsException {
    private static final long serialVersionUID = 1L;

    /** How many requests of a batch were posted. */
    private final int posted;

    private QueueFullException(String message, int posted) {
        super(message, null);
        this.posted = posted;
    }

    /**
     * A send queue is full.
     *
     * @param queue the queue pair
     * @return to be thrown
     */
    static QueueFullException ofSends(Object queue) {
        return new QueueFullException("the send queue of " + queue
                + " is full: poll completions before you post more, or make the queue deeper (QueuePairAttributes.withDepths)", 0);
    }

    /**
     * A receive queue is full.
     *
     * @param queue  the queue pair or the shared receive queue
     * @param posted how many receives of a batch were posted before
     * @return to be thrown
     */
    static QueueFullException ofReceives(Object queue, int posted) {
        return new QueueFullException(
                "the receive queue of " + queue + " is full" + (posted == 0 ? "" : " after " + posted + " receives of the batch")
                        + ": post a receive when one has completed, or make the queue deeper",
                posted);
    }

    /**
     * The number of requests of a batch that were posted before the queue was full.
     *
     * @return 0 for a single request
     */
    public int posted() {
        return posted;
    }
}
