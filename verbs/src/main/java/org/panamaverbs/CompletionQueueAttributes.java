package org.panamaverbs;

import org.panamaverbs.device.DeviceAttributes;

/**
 * The attributes of a completion queue ({@code ibv_cq_init_attr_ex}).
 *
 * @param entries    the least number of completions that it holds, 1 or more
 * @param channel    the channel that it reports to, or {@code null}
 * @param timestamps whether {@link Completions#timestamp()} is filled; needs {@link Capability#COMPLETION_TIMESTAMP}
 * @param vector     the completion vector that signals the queue's events ({@code comp_vector}): devices spread them over processors
 */
public record CompletionQueueAttributes(int entries, CompletionChannel channel, boolean timestamps, int vector) {
    /** Checks that no number is negative; the device checks them against its limits. */
    public CompletionQueueAttributes {
        if (vector < 0) {
            throw new IllegalArgumentException("a completion vector is 0 or more, not " + vector);
        }
    }

    /**
     * A queue that reports to no channel.
     *
     * @param entries the least number of completions that it holds
     * @return the attributes
     */
    public static CompletionQueueAttributes of(int entries) {
        return new CompletionQueueAttributes(entries, null, false, 0);
    }

    /**
     * The same reporting to a channel.
     *
     * @param reportsTo a channel of the same device
     * @return the attributes
     */
    public CompletionQueueAttributes withChannel(CompletionChannel reportsTo) {
        return new CompletionQueueAttributes(entries, reportsTo, timestamps, vector);
    }

    /**
     * The same with the time of each completion.
     *
     * @return the attributes
     */
    public CompletionQueueAttributes withTimestamps() {
        return new CompletionQueueAttributes(entries, channel, true, vector);
    }

    /**
     * The same on another completion vector.
     *
     * @param number 0 to {@link DeviceAttributes#completionVectors()} - 1
     * @return the attributes
     */
    public CompletionQueueAttributes withVector(int number) {
        return new CompletionQueueAttributes(entries, channel, timestamps, number);
    }
}
