package org.panamaverbs;

import java.util.Objects;

/**
 * The attributes of a queue pair ({@code ibv_qp_init_attr}); made by {@link #of} and the {@code with} methods.
 *
 * @param sendQueue         the queue that sends, Writes and Reads complete in
 * @param receiveQueue      the queue that receives complete in; may be the same
 * @param sendDepth         how many requests the send queue holds, 1 or more
 * @param receiveDepth      how many receives the receive queue holds, 1 or more
 * @param sendElements      the most elements of a list to send, 1 or more
 * @param receiveElements   the most elements of a list to receive into, 1 or more
 * @param inlineLength      the most bytes of a request with {@link SendRequest#inline()}, 0 or more
 * @param signalAll         whether every send request completes visibly, as if it had {@link SendRequest#signaled()}
 * @param sharedReceiveQueue the queue that its receives come from, or {@code null}: then {@code receiveDepth} and
 *                          {@code receiveElements} do not count, and {@link ReceiveQueue#tryPostReceive} throws
 *                          {@link IllegalStateException}
 * @param attachment         an object of the program's own that completions of the queue pair give back, or {@code null}; see
 *                          {@link Completions#attachment()}
 */
public record QueuePairAttributes(CompletionQueue sendQueue, CompletionQueue receiveQueue, int sendDepth, int receiveDepth,
        int sendElements, int receiveElements, int inlineLength, boolean signalAll,
        SharedReceiveQueue sharedReceiveQueue, Object attachment) {
    private static final int USUAL_INLINE = 64;

    /** Checks the numbers against their least values. */
    public QueuePairAttributes {
        Objects.requireNonNull(sendQueue);
        Objects.requireNonNull(receiveQueue);
        atLeast("sendDepth", sendDepth, 1);
        atLeast("receiveDepth", receiveDepth, 1);
        atLeast("sendElements", sendElements, 1);
        atLeast("receiveElements", receiveElements, 1);
        atLeast("inlineLength", inlineLength, 0);
    }

    private static void atLeast(String name, int value, int least) {
        if (value < least) {
            throw new IllegalArgumentException(name + " is " + value + "; it must be " + least + " or more");
        }
    }

    /**
     * 128 requests each way, one element each, 64 bytes inline or as many as the device has, signalled if asked, all completing in one queue.
     *
     * @param queue the queue that everything completes in
     * @return the attributes
     */
    public static QueuePairAttributes of(CompletionQueue queue) {
        return of(queue, queue);
    }

    /**
     * 128 requests each way, one element each, 64 bytes inline or as many as the device has, signalled if asked.
     *
     * @param sendQueue    the queue that sends, Writes and Reads complete in
     * @param receiveQueue the queue that receives complete in
     * @return the attributes
     */
    public static QueuePairAttributes of(CompletionQueue sendQueue, CompletionQueue receiveQueue) {
        int inline = Math.min(USUAL_INLINE, sendQueue.device().attributes().maximumInline());
        return new QueuePairAttributes(sendQueue, receiveQueue, 128, 128, 1, 1, inline, false, null, null);
    }

    /**
     * The same with other depths.
     *
     * @param send    how many requests the send queue holds
     * @param receive how many receives the receive queue holds
     * @return the attributes
     */
    public QueuePairAttributes withDepths(int send, int receive) {
        return new QueuePairAttributes(sendQueue, receiveQueue, send, receive, sendElements, receiveElements, inlineLength, signalAll,
                sharedReceiveQueue, attachment);
    }

    /**
     * The same with longer lists.
     *
     * @param send    the most elements of a list to send
     * @param receive the most elements of a list to receive into
     * @return the attributes
     */
    public QueuePairAttributes withElements(int send, int receive) {
        return new QueuePairAttributes(sendQueue, receiveQueue, sendDepth, receiveDepth, send, receive, inlineLength, signalAll,
                sharedReceiveQueue, attachment);
    }

    /**
     * The same with another inline length.
     *
     * @param length the most bytes of a request with {@link SendRequest#inline()}
     * @return the attributes
     */
    public QueuePairAttributes withInline(int length) {
        return new QueuePairAttributes(sendQueue, receiveQueue, sendDepth, receiveDepth, sendElements, receiveElements, length,
                signalAll, sharedReceiveQueue, attachment);
    }

    /**
     * The same with every send request signalled, or only those that ask for it.
     *
     * @param all whether every one is
     * @return the attributes
     */
    public QueuePairAttributes withSignalAll(boolean all) {
        return new QueuePairAttributes(sendQueue, receiveQueue, sendDepth, receiveDepth, sendElements, receiveElements, inlineLength,
                all, sharedReceiveQueue, attachment);
    }

    /**
     * The same with receives that come from a shared queue.
     *
     * @param shared one of the domain that the queue pair will belong to
     * @return the attributes
     */
    public QueuePairAttributes withSharedReceiveQueue(SharedReceiveQueue shared) {
        return new QueuePairAttributes(sendQueue, receiveQueue, sendDepth, receiveDepth, sendElements, receiveElements, inlineLength,
                signalAll, shared, attachment);
    }

    /**
     * The same with an object of the program's own, by which it knows the queue pair that a completion belongs to.
     *
     * @param object {@link Completions#attachment()} gives it back; {@code null} for none
     * @return the attributes
     */
    public QueuePairAttributes withAttachment(Object object) {
        return new QueuePairAttributes(sendQueue, receiveQueue, sendDepth, receiveDepth, sendElements, receiveElements, inlineLength,
                signalAll, sharedReceiveQueue, object);
    }
}
