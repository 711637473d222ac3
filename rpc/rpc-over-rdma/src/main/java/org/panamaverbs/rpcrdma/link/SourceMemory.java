package org.panamaverbs.rpcrdma.link;

import java.lang.foreign.MemorySegment;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.VerbsException;
import org.panamaverbs.spi.support.Complaints;

/** Memory of the program that Writes read from. */
final class SourceMemory implements RegisteredMemory {
    private static final Complaints COMPLAINTS = new Complaints(SourceMemory.class);
    private final MemoryRegion region;
    private final MemorySegment segment;
    private final long offset;
    private final Runnable end;

    /**
     * Makes one.
     *
     * @param end runs once, when this is released
     */
    SourceMemory(MemoryRegion region, MemorySegment segment, Runnable end) {
        this.region = region;
        this.segment = segment;
        this.end = end;
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
        try {
            end.run();
        } catch (VerbsException e) {
            // No peer can use the region: the reply is done all the same.
            COMPLAINTS.warn("{} bytes of a reply stay registered: {}", segment.byteSize(), e.getMessage());
        }
    }
}
