package org.panamaverbs.softiwarp.queue;

import static org.panamaverbs.softiwarp.Interleavings.require;

import java.util.concurrent.atomic.AtomicInteger;
import org.panamaverbs.Completions;
import org.panamaverbs.spi.CompletionBuffer;
import org.panamaverbs.spi.Described;

/** A completion ring. It counts how often the ring tells of completions and of its overrun. */
final class Completed implements CompletionListener {
    private static final int SIZE = (int) CompletionBuffer.SIZE;

    private static final Origin ORIGIN = Origin.of(0);

    final CompletionRing ring;
    final AtomicInteger told = new AtomicInteger();
    final AtomicInteger overruns = new AtomicInteger();

    Completed(int capacity) {
        ring = new CompletionRing(capacity, this);
    }

    /** Makes the ring hold more. */
    void grow(int capacity) {
        require(ring.resize(capacity, capacity) <= capacity, "more wait than the ring had room for");
    }

    @Override
    public void onCompletion() {
        told.incrementAndGet();
    }

    @Override
    public void onOverrun() {
        overruns.incrementAndGet();
    }

    /** Adds a completion that has only a number. */
    boolean add(long id, boolean solicited) {
        return ring.add(id, 0, 0, 0, 0, 0, 0, ORIGIN, solicited);
    }

    /** Takes the numbers of so many completions at most. */
    long[] poll(int most) {
        Completions into = Completions.allocate(most);
        long[] ids = new long[ring.poll(Described.of(into))];
        for (int i = 0; into.next(); i++) {
            ids[i] = into.id();
        }
        return ids;
    }

    /** Takes all completions, and fails unless they have these numbers and statuses, in this order. */
    void requireNext(long... idsAndStatuses) {
        Completions into = Completions.allocate(ring.capacity());
        int count = ring.poll(Described.of(into));
        require(2 * count >= idsAndStatuses.length, "a completion is missing");
        require(2 * count <= idsAndStatuses.length, "there is a completion too many");
        for (int i = 0; into.next(); i++) {
            require(into.id() == idsAndStatuses[2 * i], "a completion has another number");
            require(into.status().value() == idsAndStatuses[2 * i + 1], "it has another status");
        }
    }
}
