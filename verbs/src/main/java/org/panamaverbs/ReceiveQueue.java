package org.panamaverbs;

/**
 * A queue that receives are posted to: that of a queue pair, or one that several queue pairs share. Posting never waits; {@link QueuePair}
 * has the rules for memory and errors.
 */
public interface ReceiveQueue {
    /**
     * Posts a receive: the next message that finds no earlier receive lands in its memory.
     *
     * @param request the request; it may describe another one as soon as this returns
     * @return {@code false} if the queue is full: nothing was posted, and the receives that wait for a doorbell start
     * @throws IllegalArgumentException if the request was not begun, has more elements than the queue takes, or more bytes than the device
     *                                  takes
     */
    boolean tryPost(ReceiveRequest request);

    /**
     * As {@link #tryPost(ReceiveRequest)}, for a program that knows the queue has room.
     *
     * @param request the request; it may describe another one as soon as this returns
     * @throws QueueFullException       if the queue is full: nothing was posted
     * @throws IllegalArgumentException as {@link #tryPost(ReceiveRequest)}
     */
    default void post(ReceiveRequest request) {
        if (!tryPost(request)) {
            throw QueueFullException.ofReceives(this);
        }
    }

    /** Rings the doorbell: requests that wait for the next one ({@link ReceiveRequest#more()}, {@link SendRequest#more()}) start. */
    void ringDoorbell();
}
