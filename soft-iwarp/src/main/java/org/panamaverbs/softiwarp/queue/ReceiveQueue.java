package org.panamaverbs.softiwarp.queue;

import org.panamaverbs.CompletionOpcode;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.Completions;

/** Receives: posted by many, taken in order by the one thread that receives. */
public final class ReceiveQueue extends WorkQueue {
    private final CompletionRing completions;
    private final int queuePair;

    /** Makes an empty one. */
    public ReceiveQueue(int depth, int elements, CompletionRing completions, int queuePair) {
        super(depth, elements);
        this.completions = completions;
        this.queuePair = queuePair;
    }

    /** The oldest receive, or -1 where none is posted. It stays the oldest until it is completed. */
    public long peek() {
        long sequence = retired();
        return sequence == posted() ? -1 : sequence;
    }

    /**
     * Completes the oldest receive.
     *
     * @return {@code false} where the completion queue overran
     */
    public boolean complete(CompletionStatus status, int vendorError, long length, boolean solicited, boolean invalidated, int key) {
        long sequence = retired();
        long id = id(sequence);
        forget(sequence);
        retire(sequence + 1);
        return completions.add(id, status.value(), CompletionOpcode.RECEIVE.value(), vendorError, (int) length, key,
                invalidated ? Completions.WITH_INVALIDATE : 0, queuePair, solicited);
    }

    /** Flushes all that are posted. */
    public void flush() {
        while (peek() >= 0) {
            complete(CompletionStatus.FLUSHED, 0, 0, false, false, 0);
        }
    }
}
