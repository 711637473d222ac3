package org.panamaverbs;

/**
 * What a completion queue is made of ({@code ibv_cq_init_attr_ex}).
 *
 * @param entries    the least number of completions that it holds, 1 or more
 * @param channel    where it reports, or {@code null}
 * @param timestamps whether {@link Completions#timestamp()} is filled; needs {@link Capability#COMPLETION_TIMESTAMP}
 */
public record CompletionQueueAttributes(int entries, CompletionChannel channel, boolean timestamps) {
    /**
     * A queue that reports to no channel.
     *
     * @param entries the least number of completions that it holds
     * @return the attributes
     */
    public static CompletionQueueAttributes of(int entries) {
        return new CompletionQueueAttributes(entries, null, false);
    }

    /**
     * The same reporting to a channel.
     *
     * @param reportsTo a channel of the same device
     * @return the attributes
     */
    public CompletionQueueAttributes withChannel(CompletionChannel reportsTo) {
        return new CompletionQueueAttributes(entries, reportsTo, timestamps);
    }

    /**
     * The same with the time of each completion.
     *
     * @return the attributes
     */
    public CompletionQueueAttributes withTimestamps() {
        return new CompletionQueueAttributes(entries, channel, true);
    }
}
