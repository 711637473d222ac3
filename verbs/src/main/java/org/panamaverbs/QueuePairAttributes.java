package org.panamaverbs;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The attributes of a queue pair ({@code ibv_qp_init_attr}); made by {@link #of} and the {@code with} methods. */
public final class QueuePairAttributes {
    private static final int USUAL_INLINE = 64;

    private final Values values;

    private record Values(CompletionQueue sendQueue, CompletionQueue receiveQueue, int sendDepth, int receiveDepth, int sendElements,
            int receiveElements, int inlineLength, boolean signalAll, @Nullable SharedReceiveQueue sharedReceiveQueue,
            @Nullable Object attachment) {
        Values {
            Objects.requireNonNull(sendQueue);
            Objects.requireNonNull(receiveQueue);
            atLeast("sendDepth", sendDepth, 1);
            atLeast("receiveDepth", receiveDepth, 1);
            atLeast("sendElements", sendElements, 1);
            atLeast("receiveElements", receiveElements, 1);
            atLeast("inlineLength", inlineLength, 0);
        }
    }

    private QueuePairAttributes(Values values) {
        this.values = values;
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
        return new QueuePairAttributes(new Values(sendQueue, receiveQueue, 128, 128, 1, 1, inline, false, null, null));
    }

    /**
     * The same with other depths.
     *
     * @param send    how many requests the send queue holds
     * @param receive how many receives the receive queue holds
     * @return the attributes
     */
    public QueuePairAttributes withDepths(int send, int receive) {
        return new QueuePairAttributes(new Values(values.sendQueue, values.receiveQueue, send, receive, values.sendElements,
                values.receiveElements, values.inlineLength, values.signalAll, values.sharedReceiveQueue, values.attachment));
    }

    /**
     * The same with longer lists.
     *
     * @param send    the most elements of a list to send
     * @param receive the most elements of a list to receive into
     * @return the attributes
     */
    public QueuePairAttributes withElements(int send, int receive) {
        return new QueuePairAttributes(new Values(values.sendQueue, values.receiveQueue, values.sendDepth, values.receiveDepth, send,
                receive, values.inlineLength, values.signalAll, values.sharedReceiveQueue, values.attachment));
    }

    /**
     * The same with another inline length.
     *
     * @param length the most bytes of a request with {@link SendRequest#inline()}
     * @return the attributes
     */
    public QueuePairAttributes withInline(int length) {
        return new QueuePairAttributes(new Values(values.sendQueue, values.receiveQueue, values.sendDepth, values.receiveDepth,
                values.sendElements, values.receiveElements, length, values.signalAll, values.sharedReceiveQueue, values.attachment));
    }

    /**
     * The same with every send request signalled, or only those that ask for it.
     *
     * @param all whether every one is
     * @return the attributes
     */
    public QueuePairAttributes withSignalAll(boolean all) {
        return new QueuePairAttributes(new Values(values.sendQueue, values.receiveQueue, values.sendDepth, values.receiveDepth,
                values.sendElements, values.receiveElements, values.inlineLength, all, values.sharedReceiveQueue, values.attachment));
    }

    /**
     * The same with receives that come from a shared queue.
     *
     * @param shared one of the domain that the queue pair will belong to
     * @return the attributes
     */
    public QueuePairAttributes withSharedReceiveQueue(SharedReceiveQueue shared) {
        return new QueuePairAttributes(new Values(values.sendQueue, values.receiveQueue, values.sendDepth, values.receiveDepth,
                values.sendElements, values.receiveElements, values.inlineLength, values.signalAll, shared, values.attachment));
    }

    /**
     * The same with an object of the program's own, by which it knows the queue pair that a completion belongs to.
     *
     * @param object {@link Completions#attachment()} gives it back; {@code null} for none
     * @return the attributes
     */
    public QueuePairAttributes withAttachment(@Nullable Object object) {
        return new QueuePairAttributes(new Values(values.sendQueue, values.receiveQueue, values.sendDepth, values.receiveDepth,
                values.sendElements, values.receiveElements, values.inlineLength, values.signalAll, values.sharedReceiveQueue, object));
    }

    /** {@return the queue that sends, Writes and Reads complete in} */
    public CompletionQueue sendQueue() {
        return values.sendQueue;
    }

    /** {@return the queue that receives complete in; may be the same} */
    public CompletionQueue receiveQueue() {
        return values.receiveQueue;
    }

    /** {@return how many requests the send queue holds, 1 or more} */
    public int sendDepth() {
        return values.sendDepth;
    }

    /** {@return how many receives the receive queue holds, 1 or more} */
    public int receiveDepth() {
        return values.receiveDepth;
    }

    /** {@return the most elements of a list to send, 1 or more} */
    public int sendElements() {
        return values.sendElements;
    }

    /** {@return the most elements of a list to receive into, 1 or more} */
    public int receiveElements() {
        return values.receiveElements;
    }

    /** {@return the most bytes of a request with {@link SendRequest#inline()}, 0 or more} */
    public int inlineLength() {
        return values.inlineLength;
    }

    /** {@return whether every send request completes visibly, as if it had {@link SendRequest#signaled()}} */
    public boolean signalAll() {
        return values.signalAll;
    }

    /** {@return the queue that its receives come from, or {@code null}: then {@code receiveDepth} and {@code receiveElements} do not count, and {@link ReceiveQueue#tryPost} throws {@link IllegalStateException}} */
    public @Nullable SharedReceiveQueue sharedReceiveQueue() {
        return values.sharedReceiveQueue;
    }

    /** {@return an object of the program's own that completions of the queue pair give back, or {@code null}; see {@link Completions#attachment()}} */
    public @Nullable Object attachment() {
        return values.attachment;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof QueuePairAttributes that && values.equals(that.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    @Override
    public String toString() {
        return "QueuePairAttributes." + values;
    }
}
