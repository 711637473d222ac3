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

    /** Gives the oldest, as many as there is room for. */
    public int moveTo(CompletionBuffer into) {
        int count = Math.min(kept.size(), into.capacity());
        for (int i = 0; i < count; i++) {
            kept.poll().moveTo(into, i);
        }
        return count;
    }
}
