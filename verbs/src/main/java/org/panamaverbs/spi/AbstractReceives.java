package org.panamaverbs.spi;

import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ReceiveQueue;
import org.panamaverbs.ScatterGatherList;
import org.panamaverbs.SharedReceiveQueue;

/** The receives of the classes that providers extend: they are checked before the provider sees them. */
abstract class AbstractReceives implements ReceiveQueue {
    /** The checks of all requests of this queue or queue pair. */
    final RequestChecks checks;
    /** The queue that the receives come from instead, or {@code null}. */
    private final SharedReceiveQueue shared;

    AbstractReceives(RequestChecks checks, SharedReceiveQueue shared) {
        this.checks = checks;
        this.shared = shared;
    }

    /**
     * Posts a receive that is checked.
     *
     * @param id     the number that the completion repeats
     * @param region a valid region of the domain, with {@link org.panamaverbs.Access#LOCAL_WRITE}
     * @param offset the start of the buffer; within the region
     * @param length the length of the buffer
     * @return {@code false} if the queue is full
     * @throws org.panamaverbs.ClosedException if the queue has been closed meanwhile
     * @throws IllegalStateException if the region has been closed meanwhile
     */
    protected abstract boolean submitReceive(long id, MemoryRegion region, long offset, long length);

    /**
     * Posts a receive of several parts that are checked.
     *
     * @param id   the number that the completion repeats
     * @param list parts as above, no more than the queue takes
     * @return {@code false} if the queue is full
     * @throws org.panamaverbs.ClosedException if the queue has been closed meanwhile
     * @throws IllegalStateException if a region has been closed meanwhile
     */
    protected abstract boolean submitReceive(long id, ScatterGatherList list);

    /**
     * Posts receives that are checked, each an element of the list; a provider whose device has doorbells overrides it.
     *
     * @param ids  a number for each element
     * @param list the buffers
     * @return the number of receives that were posted, from the first on
     * @throws org.panamaverbs.ClosedException if the queue has been closed meanwhile
     * @throws IllegalStateException if a region has been closed meanwhile
     */
    protected int submitReceives(long[] ids, ScatterGatherList list) {
        for (int i = 0; i < list.size(); i++) {
            if (!submitReceive(ids[i], list.region(i), list.offset(i), list.length(i))) {
                return i;
            }
        }
        return list.size();
    }

    @Override
    public final boolean tryPostReceive(long id, MemoryRegion region, long offset, long length) {
        checkOwnReceives();
        checks.receive(region, offset, length);
        return submitReceive(id, region, offset, length);
    }

    @Override
    public final boolean tryPostReceive(long id, ScatterGatherList list) {
        checkOwnReceives();
        checks.receive(list);
        return submitReceive(id, list);
    }

    @Override
    public final int tryPostReceives(long[] ids, ScatterGatherList list) {
        checkOwnReceives();
        checks.receives(ids, list);
        return submitReceives(ids, list);
    }

    private void checkOwnReceives() {
        if (shared != null) {
            throw new IllegalStateException(this + " takes its receives from a shared receive queue: post them to " + shared);
        }
    }
}
