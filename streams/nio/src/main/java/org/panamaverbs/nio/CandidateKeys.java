package org.panamaverbs.nio;

import java.nio.channels.SelectionKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * The keys of a selector that may be ready: something has changed since the selecting thread looked at them, or they were ready the last
 * time. The thread looks at these keys alone. Any thread may call {@link #add} and {@link #haveChanged}.
 */
// Tested by ChannelRulesTest, SelectorTest.
final class CandidateKeys {
    private final Set<SelectionKey> selected;
    private final Queue<VerbsSelectionKey> changed = new ConcurrentLinkedQueue<>();
    // Of the thread that selects.
    private final List<VerbsSelectionKey> candidates = new ArrayList<>();

    /** @param selected the selected keys, to which those that are ready are added */
    CandidateKeys(Set<SelectionKey> selected) {
        this.selected = selected;
    }

    /** The thread that selects looks at the key before it waits. */
    void add(VerbsSelectionKey key) {
        if (key.setPending()) {
            try {
                changed.add(key);
            } catch (OutOfMemoryError e) {
                // A later change puts it there.
                key.clearPending();
                throw e;
            }
        }
    }

    /** {@return whether the thread has to look at further keys before it waits} */
    boolean haveChanged() {
        return !changed.isEmpty();
    }

    private void takeChanged() {
        for (VerbsSelectionKey key = changed.poll(); key != null; key = changed.poll()) {
            key.clearPending();
            if (key.becomesCandidate()) {
                candidates.add(key);
            }
        }
    }

    boolean isAnyReady() {
        takeChanged();
        for (int i = 0; i < candidates.size(); i++) {
            VerbsSelectionKey key = candidates.get(i);
            if (key.isValid() && key.found() != 0) {
                return true;
            }
        }
        return false;
    }

    /**
     * Puts keys that are ready among the selected ones, unless an action gets them. Only these stay candidates.
     *
     * @return how many selected keys are new, or have become ready for more
     */
    int collect(boolean forAction) {
        takeChanged();
        int updated = 0;
        int kept = 0;
        for (int i = 0; i < candidates.size(); i++) {
            VerbsSelectionKey key = candidates.get(i);
            int found = key.isValid() ? key.found() : 0;
            if (found == 0) {
                key.noCandidate();
            } else {
                candidates.set(kept++, key);
                if (forAction) {
                    key.publish(found, false);
                } else if (key.publish(found, !selected.add(key))) {
                    updated++;
                }
            }
        }
        candidates.subList(kept, candidates.size()).clear();
        return updated;
    }

    /** {@return how many were ready when they were collected} */
    int size() {
        return candidates.size();
    }

    /** {@return one of these} */
    VerbsSelectionKey key(int index) {
        return candidates.get(index);
    }

    void clear() {
        candidates.clear();
    }
}
