package org.panamaverbs.spi;

import org.panamaverbs.MemoryRegion;

/** A request for a receive queue as a provider reads it ({@code ibv_recv_wr}): the memory that a message lands in. */
// Tested by SendReceiveContract, PostingContract.
public final class ReceiveWorkRequest extends WorkRequest {
    private boolean begun;

    /** Makes one that describes nothing yet. */
    public ReceiveWorkRequest() {
        // Nothing to do.
    }

    /**
     * Begins the next request: nothing of the last one counts any more.
     *
     * @param number its number
     */
    public void receive(long number) {
        begin(number);
        begun = true;
    }

    /**
     * Appends an element.
     *
     * @param region the region
     * @param offset the start of the element; within the region
     * @param length its length
     */
    public void element(MemoryRegion region, long offset, long length) {
        append(region, offset, length);
    }

    boolean hasBegun() {
        return begun;
    }
}
