package org.panamaverbs.rdmacore.queue;

import java.util.ArrayDeque;
import org.panamaverbs.spi.CompletionBuffer;

/** Completions that wait for a poll, oldest first. For one thread at a time. */
public final class CompletionStash {
    private final ArrayDeque<KeptCompletion> kept = new ArrayDeque<>();

    public boolean isEmpty() {
        return kept.isEmpty();
    }

    public int size() {
        return kept.size();
    }

    public void add(KeptCompletion completion) {
        kept.add(completion);
    }

    /** Takes all of another one, after what there is. */
    public void addAll(CompletionStash other) {
        kept.addAll(other.kept);
        other.kept.clear();
    }

    /**
     * Takes the completions of all requests of a ring: those that are held, and the others flushed. The requests that the device reports only
     * if they fail are done.
     *
     * @param isKept whether the program is still to see them
     */
    public void flush(WorkRing ring, boolean isSend, int queuePairNumber, Object attachment, boolean isKept) {
        while (!ring.isEmpty()) {
            int sequence = ring.retired();
            KeptCompletion completion = null;
            if (ring.isDone(sequence)) {
                completion = ring.release(sequence);
            } else if (!ring.isSilentlyDone(sequence)) {
                ring.onFailed();
                completion = ring.isProbe(sequence) ? null : KeptCompletion.flushed(ring.id(sequence), isSend, queuePairNumber, attachment);
            }
            if (completion != null && isKept) {
                kept.add(completion);
            }
            ring.retireThrough(sequence);
        }
    }

    /** Gives the oldest, as many as there is room for. */
    public int moveTo(CompletionBuffer into) {
        int count = Math.min(kept.size(), into.capacity());
        for (int i = 0; i < count; i++) {
            kept.poll().moveTo(into, i);
        }
        return count;
    }
}
