package org.panamaverbs;

import org.jspecify.annotations.Nullable;
import org.panamaverbs.device.DeviceAttributes;

/** The attributes of a completion queue ({@code ibv_cq_init_attr_ex}); made by {@link #of} and the {@code with} methods. */
public final class CompletionQueueAttributes {
    private final Values values;

    private record Values(int entries, @Nullable CompletionChannel channel, boolean timestamps, int vector, boolean admission) {
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
        return new CompletionQueueAttributes(new Values(entries, null, false, 0, false));
    }

    /**
     * The same reporting to a channel.
     *
     * @param reportsTo a channel of the same device
     * @return the attributes
     */
    public CompletionQueueAttributes withChannel(CompletionChannel reportsTo) {
        return new CompletionQueueAttributes(new Values(values.entries, reportsTo, values.timestamps, values.vector, values.admission));
    }

    /**
     * The same with the time of each completion.
     *
     * @return the attributes
     */
    public CompletionQueueAttributes withTimestamps() {
        return new CompletionQueueAttributes(new Values(values.entries, values.channel, true, values.vector, values.admission));
    }

    /**
     * The same on another completion vector.
     *
     * @param number 0 to {@link DeviceAttributes#completionVectors()} - 1
     * @return the attributes
     */
    public CompletionQueueAttributes withVector(int number) {
        return new CompletionQueueAttributes(new Values(values.entries, values.channel, values.timestamps, number, values.admission));
    }

    /**
     * The same for a queue that admits its queue pairs, so that they can share it and not overrun it. Each takes as many entries as it can have
     * completions outstanding: the sum of its depths here. The receives of a shared queue count once. If there is no room, the queue becomes
     * larger, up to the limit of the device, and smaller again when queue pairs have closed; on a device without
     * {@link Capability#RESIZE_COMPLETION_QUEUE} creating the queue pair throws {@link ResourceException}.
     *
     * <p>The entries of a queue pair are free once it is closed and its completions are polled. A queue pair whose program posts again before
     * it has polled can have more completions outstanding than its depths on soft-iwarp, and overruns this queue as well.
     *
     * @return the attributes
     */
    public CompletionQueueAttributes withAdmission() {
        return new CompletionQueueAttributes(new Values(values.entries, values.channel, values.timestamps, values.vector, true));
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

    /** {@return whether it has room for all that its queue pairs can have outstanding, see {@link #withAdmission}} */
    public boolean admission() {
        return values.admission;
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
