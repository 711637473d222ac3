package org.panamaverbs.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.fail;

import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Supplier;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.Completions;
import org.panamaverbs.VerbsException;

/** Takes completions from a queue one by one, for one thread at a time. */
final class CompletionReader {
    private final CompletionQueue queue;
    private final Completions cursor;
    private final boolean spins;
    private final Deque<Completed> kept = new ArrayDeque<>();
    private final Supplier<String> context;
    /** Whether all requests that complete here are receives; {@code null} if some are. */
    private Boolean receives;

    /**
     * Makes one.
     *
     * @param spins   whether to spin on {@code poll}, as a queue with notification needs, or to wait in {@code await}
     * @param context the message if a completion does not come
     */
    CompletionReader(CompletionQueue queue, Arena arena, boolean spins, Supplier<String> context) {
        this.queue = queue;
        this.cursor = Completions.allocate(16);
        this.spins = spins;
        this.context = context;
    }

    /** From now on each completion must say that its request was a receive, or that it was none. */
    CompletionReader of(boolean onlyReceives) {
        receives = onlyReceives;
        return this;
    }

    private Completed taken() {
        Completed completed = Completed.of(cursor);
        if (receives != null) {
            assertEquals(receives, cursor.isReceive(), () -> "whether it was a receive: " + completed);
        }
        return completed;
    }

    /** The next completion, which must come. */
    Completed next() {
        Completed next = nextWithin(ContractTest.LIMIT);
        return next != null ? next : fail("no completion came within " + ContractTest.LIMIT + "; " + context.get());
    }

    /** So many completions, which must come. */
    List<Completed> next(int count) {
        List<Completed> taken = new ArrayList<>(count);
        while (taken.size() < count) {
            Completed next = nextWithin(ContractTest.LIMIT);
            if (next == null) {
                fail("only " + taken.size() + " of " + count + " completions came: " + taken + "; " + context.get());
            }
            taken.add(next);
        }
        return taken;
    }

    /** So many completions, all of which must be FLUSHED, with these numbers in this order. */
    void flushed(long... ids) {
        for (long id : ids) {
            Completed next = next();
            assertEquals(CompletionStatus.FLUSHED, next.status(), () -> "status of " + next);
            assertEquals(id, next.id(), "the request that was flushed");
        }
    }

    /** The next completion, or {@code null} if none comes in time. */
    Completed nextWithin(Duration timeout) {
        if (!kept.isEmpty()) {
            return kept.poll();
        }
        if (cursor.next()) {
            return taken();
        }
        return (spins ? spin(timeout) : queue.await(cursor, timeout)) > 0 && cursor.next() ? taken() : null;
    }

    /** Polls what there is, and keeps it. */
    void look() {
        try {
            do {
                while (cursor.next()) {
                    kept.add(taken());
                }
            } while (queue.poll(cursor) > 0);
        } catch (VerbsException closed) {
            // There is nothing to see any more.
        }
    }

    /** Asserts that no completion comes for a moment. */
    void nothing() {
        Completed next = nextWithin(ContractTest.MOMENT);
        assertNull(next, () -> "nothing should have completed; " + context.get());
    }

    private int spin(Duration timeout) {
        long deadline = System.nanoTime() + timeout.toNanos();
        int count;
        while ((count = queue.poll(cursor)) == 0 && System.nanoTime() - deadline < 0) {
            Thread.onSpinWait();
        }
        return count;
    }
}
