package org.panamaverbs.rdmacore.queue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.Completions;

/**
 * A completion that waits for a poll: a copy on the heap, which outlives its queue pair.
 *
 * @param memory     the completion, and after it its time
 * @param attachment what the program has attached to its queue pair, or {@code null}
 */
public record KeptCompletion(MemorySegment memory, Object attachment) {
    private static final long TIME = Completions.SIZE;

    /** Copies a completion that a poll brought. */
    public static KeptCompletion copy(Completions polled, int index, Object attachment) {
        MemorySegment copy = empty();
        MemorySegment.copy(polled.memory(), index * Completions.SIZE, copy, 0, Completions.SIZE);
        copy.set(ValueLayout.JAVA_LONG, TIME, polled.timestamps().getAtIndex(ValueLayout.JAVA_LONG, index));
        return new KeptCompletion(copy, attachment);
    }

    /** The completion of a request that was flushed. */
    public static KeptCompletion flushed(long id, int queuePairNumber, Object attachment) {
        MemorySegment completion = empty();
        completion.set(ValueLayout.JAVA_LONG, Completions.ID, id);
        completion.set(ValueLayout.JAVA_INT, Completions.STATUS, CompletionStatus.FLUSHED.value());
        completion.set(ValueLayout.JAVA_INT, Completions.QUEUE_PAIR, queuePairNumber);
        return new KeptCompletion(completion, attachment);
    }

    private static MemorySegment empty() {
        return MemorySegment.ofArray(new long[(int) (Completions.SIZE / Long.BYTES) + 1]);
    }

    /** Gives the completion to a program. */
    public void moveTo(Completions into, int index) {
        MemorySegment.copy(memory, 0, into.memory(), index * Completions.SIZE, Completions.SIZE);
        into.timestamps().setAtIndex(ValueLayout.JAVA_LONG, index, memory.get(ValueLayout.JAVA_LONG, TIME));
        into.attach(index, attachment);
    }
}
