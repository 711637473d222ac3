package org.panamaverbs.spi;

import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.ScatterGatherList;
import org.panamaverbs.SharedReceiveQueue;

/** A shared receive queue whose requests are checked before the provider sees them, as those of {@link AbstractQueuePair} are. */
public abstract class AbstractSharedReceiveQueue implements SharedReceiveQueue {
    private final ProtectionDomain domain;
    private final int depth;
    private final int elements;
    private final RequestChecks checks;

    /**
     * Makes the checks for a shared receive queue.
     *
     * @param domain   the domain that the queue belongs to
     * @param depth    the number of receives that it holds
     * @param elements the most elements of a list
     */
    protected AbstractSharedReceiveQueue(ProtectionDomain domain, int depth, int elements) {
        this.domain = domain;
        this.depth = depth;
        this.elements = elements;
        this.checks = new RequestChecks(domain, 0, elements, 0, 0);
    }

    @Override
    public ProtectionDomain domain() {
        return domain;
    }

    @Override
    public final int depth() {
        return depth;
    }

    @Override
    public final int elements() {
        return elements;
    }

    /**
     * Posts a receive that is checked.
     *
     * @param id     the number that the completion repeats
     * @param region a valid region of the domain, with {@link org.panamaverbs.Access#LOCAL_WRITE}
     * @param offset the start of the buffer; within the region
     * @param length the length of the buffer
     * @return {@code false} if the queue is full
     * @throws IllegalStateException if the queue, or the region, has been closed meanwhile
     */
    protected abstract boolean submitReceive(long id, MemoryRegion region, long offset, long length);

    /**
     * Posts a receive of several parts that are checked.
     *
     * @param id   the number that the completion repeats
     * @param list parts as above, no more than the queue takes
     * @return {@code false} if the queue is full
     * @throws IllegalStateException if the queue, or a region, has been closed meanwhile
     */
    protected abstract boolean submitReceive(long id, ScatterGatherList list);

    /**
     * Posts receives that are checked, each an element of the list; a provider whose device has doorbells overrides it.
     *
     * @param ids  a number for each element
     * @param list the buffers
     * @return the number of receives that were posted, from the first on
     * @throws IllegalStateException if the queue, or a region, has been closed meanwhile
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
        checks.receive(region, offset, length);
        return submitReceive(id, region, offset, length);
    }

    @Override
    public final boolean tryPostReceive(long id, ScatterGatherList list) {
        checks.receive(list);
        return submitReceive(id, list);
    }

    @Override
    public final int tryPostReceives(long[] ids, ScatterGatherList list) {
        checks.receives(ids, list);
        return submitReceives(ids, list);
    }
}
