package org.panamaverbs.rpcrdma.link;

import java.lang.foreign.MemorySegment;
import org.panamaverbs.MemoryRegion;

/** Memory of the program that Writes read from. */
final class SourceMemory implements RegisteredMemory {
    private final MemoryRegion region;
    private final MemorySegment segment;
    private final long offset;
    private final boolean own;

    /**
     * Makes one.
     *
     * @param own whether the region was made for this alone, and ends with it
     */
    SourceMemory(MemoryRegion region, MemorySegment segment, boolean own) {
        this.region = region;
        this.segment = segment;
        this.own = own;
        offset = region.offsetOf(segment);
    }

    @Override
    public MemorySegment segment() {
        return segment;
    }

    @Override
    public MemoryRegion region() {
        return region;
    }

    @Override
    public long offset() {
        return offset;
    }

    @Override
    public void release() {
        if (own) {
            region.close();
        }
    }
}
