package org.panamaverbs;

import org.jspecify.annotations.Nullable;
import org.panamaverbs.device.DeviceAttributes;

/** The attributes of a completion queue ({@code ibv_cq_init_attr_ex}); made by {@link #of} and the {@code with} methods. */
public final class CompletionQueueAttributes {
    private final Values values;

    private record Values(int entries, @Nullable CompletionChannel channel, boolean timestamps, int vector) {
        Values {
            if (vector < 0) {
                throw new IllegalArgumentException("a completion vector is 0 or more, not " + vector);
            }
        }
    }

    private CompletionQueueAttributes(Values values) {
        this.values = values;
    }

    /**
     * A queue that reports to no channel.
     *
     * @param entries the least number of completions that it holds
     * @return the attributes
     */
    public static CompletionQueueAttributes of(int entries) {
        return new CompletionQueueAttributes(new Values(entries, null, false, 0));
    }

    /**
     * The same reporting to a channel.
     *
     * @param reportsTo a channel of the same device
     * @return the attributes
     */
    public CompletionQueueAttributes withChannel(CompletionChannel reportsTo) {
        return new CompletionQueueAttributes(new Values(values.entries, reportsTo, values.timestamps, values.vector));
    }

    /**
     * The same with the time of each completion.
     *
     * @return the attributes
     */
    public CompletionQueueAttributes withTimestamps() {
        return new CompletionQueueAttributes(new Values(values.entries, values.channel, true, values.vector));
    }

    /**
     * The same on another completion vector.
     *
     * @param number 0 to {@link DeviceAttributes#completionVectors()} - 1
     * @return the attributes
     */
    public CompletionQueueAttributes withVector(int number) {
        return new CompletionQueueAttributes(new Values(values.entries, values.channel, values.timestamps, number));
    }

    /** {@return the least number of completions that it holds, 1 or more} */
    public int entries() {
        return values.entries;
    }

    /** {@return the channel that it reports to, or {@code null}} */
    public @Nullable CompletionChannel channel() {
        return values.channel;
    }

    /** {@return whether {@link Completions#timestamp()} is filled; needs {@link Capability#COMPLETION_TIMESTAMP}} */
    public boolean timestamps() {
        return values.timestamps;
    }

    /** {@return the completion vector that signals the queue's events ({@code comp_vector}): devices spread them over processors} */
    public int vector() {
        return values.vector;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof CompletionQueueAttributes that && values.equals(that.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    @Override
    public String toString() {
        return "CompletionQueueAttributes." + values;
    }
}
