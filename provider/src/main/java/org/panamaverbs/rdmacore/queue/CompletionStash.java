package org.panamaverbs.rdmacore.queue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.Completions;

/** Completions that wait for a poll, oldest first: copies on the heap, which outlive queue pairs. For one thread at a time. */
public final class CompletionStash {
    /** A completion, and after it its time. */
    private static final long TIME = Completions.SIZE;

    private final ArrayDeque<MemorySegment> kept = new ArrayDeque<>();

    /** A completion as a stash keeps it. */
    public static MemorySegment copy(Completions polled, int index) {
        MemorySegment copy = empty();
        MemorySegment.copy(polled.memory(), index * Completions.SIZE, copy, 0, Completions.SIZE);
        copy.set(ValueLayout.JAVA_LONG, TIME, polled.timestamps().getAtIndex(ValueLayout.JAVA_LONG, index));
        return copy;
    }

    /** The completion of a request that was flushed. */
    public static MemorySegment flushed(long id, int queuePairNumber) {
        MemorySegment completion = empty();
        completion.set(ValueLayout.JAVA_LONG, Completions.ID, id);
        completion.set(ValueLayout.JAVA_INT, Completions.STATUS, CompletionStatus.FLUSHED.value());
        completion.set(ValueLayout.JAVA_INT, Completions.QUEUE_PAIR, queuePairNumber);
        return completion;
    }

    private static MemorySegment empty() {
        return MemorySegment.ofArray(new long[(int) (Completions.SIZE / Long.BYTES) + 1]);
    }

    public boolean isEmpty() {
        return kept.isEmpty();
    }

    public int size() {
        return kept.size();
    }

    public void add(MemorySegment completion) {
        kept.add(completion);
    }

    /** Takes all of another one, after what there is. */
    public void addAll(CompletionStash other) {
        kept.addAll(other.kept);
        other.kept.clear();
    }

    /** Gives the oldest, as many as there is room for. */
    public int moveTo(Completions into) {
        int count = Math.min(kept.size(), into.capacity());
        for (int i = 0; i < count; i++) {
            MemorySegment completion = kept.poll();
            MemorySegment.copy(completion, 0, into.memory(), i * Completions.SIZE, Completions.SIZE);
            into.timestamps().setAtIndex(ValueLayout.JAVA_LONG, i, completion.get(ValueLayout.JAVA_LONG, TIME));
        }
        return count;
    }
}
