package org.panamaverbs.rdmacore.queue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.spi.CompletionBuffer;

/**
 * A completion that waits for a poll: a copy on the heap, which outlives its queue pair.
 *
 * @param memory     the completion, and after it its time
 * @param attachment the object that the program has attached to its queue pair, or {@code null}
 */
public record KeptCompletion(MemorySegment memory, Object attachment) {
    private static final long TIME = CompletionBuffer.SIZE;

    /** Copies a completion that a poll brought. */
    public static KeptCompletion copy(CompletionBuffer polled, int index, Object attachment) {
        MemorySegment copy = empty();
        MemorySegment.copy(polled.memory(), index * CompletionBuffer.SIZE, copy, 0, CompletionBuffer.SIZE);
        copy.set(ValueLayout.JAVA_LONG, TIME, polled.timestamps().getAtIndex(ValueLayout.JAVA_LONG, index));
        return new KeptCompletion(copy, attachment);
    }

    /** The completion of a request that was flushed. */
    public static KeptCompletion flushed(long id, boolean isSend, int queuePairNumber, Object attachment) {
        MemorySegment completion = empty();
        completion.set(ValueLayout.JAVA_LONG, CompletionBuffer.ID, id);
        completion.set(ValueLayout.JAVA_INT, CompletionBuffer.STATUS, CompletionStatus.FLUSHED.value());
        completion.set(ValueLayout.JAVA_INT, CompletionBuffer.OPCODE, isSend ? 0 : CompletionBuffer.RECEIVED);
        completion.set(ValueLayout.JAVA_INT, CompletionBuffer.QUEUE_PAIR, queuePairNumber);
        return new KeptCompletion(completion, attachment);
    }

    private static MemorySegment empty() {
        return MemorySegment.ofArray(new long[(int) (CompletionBuffer.SIZE / Long.BYTES) + 1]);
    }

    /** Gives the completion to a program. */
    public void moveTo(CompletionBuffer into, int index) {
        MemorySegment.copy(memory, 0, into.memory(), index * CompletionBuffer.SIZE, CompletionBuffer.SIZE);
        into.timestamps().setAtIndex(ValueLayout.JAVA_LONG, index, memory.get(ValueLayout.JAVA_LONG, TIME));
        into.attach(index, attachment);
    }
}
