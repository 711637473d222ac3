package org.panamaverbs.spi;

import java.util.HashMap;
import java.util.Map;
import java.util.function.IntConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.panamaverbs.Capability;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.ResourceException;
import org.panamaverbs.SharedReceiveQueue;
import org.panamaverbs.VerbsException;

/**
 * The room in a completion queue that admits queue pairs. Each takes as many entries as it can have completions outstanding: the sum of its
 * depths here. The receives of a shared queue count once. A queue that the device can resize becomes larger when room is needed, and then
 * smaller again, but not smaller than the program made it.
 */
// Tested by CompletionRoomTest, AdmissionContract.
final class CompletionRoom {
    /** The queue becomes smaller if less than this part of it is taken. */
    private static final int SPARSE = 4;

    private final CompletionQueue queue;
    private final IntConsumer resizing;
    private final LongSupplier added;
    private final LongSupplier polled;
    /** How many queue pairs that complete receives here take them from a shared queue. */
    private final Map<SharedReceiveQueue, Integer> shared = new HashMap<>();
    /** The queue never becomes smaller than this. */
    private int least;
    private int taken;
    /** Entries of queue pairs that have closed, whose last completions may not be polled yet. */
    private long leaving;
    /** All completions of these are among the first so many that were ever added. */
    private long lastAdded;

    /**
     * @param entries  how many the program asked for
     * @param resizing resizes the queue
     * @param added    how many completions have ever taken an entry
     * @param polled   how many of these entries are free again
     */
    CompletionRoom(CompletionQueue queue, int entries, IntConsumer resizing, LongSupplier added, LongSupplier polled) {
        this.queue = queue;
        this.least = entries;
        this.resizing = resizing;
        this.added = added;
        this.polled = polled;
    }

    /** A queue pair takes room; if this throws, it has taken none. */
    synchronized void take(QueuePairAttributes pair) {
        int entries = ownEntries(pair);
        SharedReceiveQueue receives = sharedReceives(pair);
        if (receives != null && !shared.containsKey(receives)) {
            entries += receives.depth();
        }
        long needed = taken + left() + (long) entries;
        if (needed > queue.capacity()) {
            grow(needed, entries);
        }
        taken += entries;
        if (receives != null) {
            shared.merge(receives, 1, Integer::sum);
        }
    }

    private void grow(long needed, int entries) {
        int most = queue.device().attributes().maximumCompletionQueueEntries();
        if (needed > most || !queue.device().supports(Capability.RESIZE_COMPLETION_QUEUE)) {
            throw new ResourceException(queue + " has no room for a queue pair that can have " + entries + " completions outstanding: of "
                    + queue.capacity() + " entries " + (taken + left()) + " are taken, and it cannot have "
                    + (needed > most ? "more than " + most : "more") + ". Close queue pairs, give them less depth, or use a further queue");
        }
        resizing.accept((int) Math.min(most, Math.max(needed, 2L * queue.capacity())));
    }

    /** A queue pair has closed; its last completion was added. */
    synchronized void giveBack(QueuePairAttributes pair) {
        int entries = ownEntries(pair);
        SharedReceiveQueue receives = sharedReceives(pair);
        if (receives != null && shared.merge(receives, -1, Integer::sum) == 0) {
            shared.remove(receives);
            entries += receives.depth();
        }
        taken -= entries;
        leaving = left() + entries;
        lastAdded = added.getAsLong();
        shrink();
    }

    private int ownEntries(QueuePairAttributes pair) {
        int sends = pair.sendQueue() == queue ? pair.sendDepth() : 0;
        return pair.receiveQueue() == queue && pair.sharedReceiveQueue() == null ? Math.addExact(sends, pair.receiveDepth()) : sends;
    }

    private @Nullable SharedReceiveQueue sharedReceives(QueuePairAttributes pair) {
        return pair.receiveQueue() == queue ? pair.sharedReceiveQueue() : null;
    }

    /** How many completions of closed queue pairs are not polled yet, at most. */
    private long left() {
        return Math.min(leaving, Math.max(0, lastAdded - polled.getAsLong()));
    }

    /** Gives back memory of a queue that has grown. A device may round sizes up: the half counts. */
    private void shrink() {
        int entries = queue.capacity();
        while (entries / 2 >= least && taken + left() < entries / SPARSE) {
            entries /= 2;
        }
        if (entries < queue.capacity() && queue.device().supports(Capability.RESIZE_COMPLETION_QUEUE)) {
            try {
                resizing.accept(entries);
            } catch (VerbsException | IllegalArgumentException e) {
                // There is no memory for a smaller one beside it, or it is about to close, or more completions wait: it stays as it is.
            }
        }
    }

    /** As {@link CompletionQueue#resize}. */
    synchronized void resize(int entries) {
        if (entries < taken + left()) {
            throw new IllegalArgumentException("the queue pairs of " + queue + " can have " + (taken + left())
                    + " completions outstanding: it cannot have " + entries + " entries");
        }
        resizing.accept(entries);
        least = entries;
    }
}
