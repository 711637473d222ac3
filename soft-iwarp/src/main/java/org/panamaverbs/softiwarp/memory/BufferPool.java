package org.panamaverbs.softiwarp.memory;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;

/**
 * Large buffers that the streams of a device share: a stream has one only while it holds bytes in it, so that idle streams cost nothing and
 * stalled ones a bounded amount. Any thread may use it.
 */
public final class BufferPool {
    private final SegmentAllocator memory;
    private final int size;
    private final MemorySegment[] free;
    private int kept;
    private int lent;

    /**
     * Makes an empty one.
     *
     * @param memory gives native memory that any thread may use
     * @param size   bytes of a buffer
     * @param most   how many buffers there are at the most
     */
    public BufferPool(SegmentAllocator memory, int size, int most) {
        this.memory = memory;
        this.size = size;
        this.free = new MemorySegment[most];
    }

    /** Bytes of a buffer. */
    public int size() {
        return size;
    }

    /**
     * Takes a buffer.
     *
     * @return {@code null} if all are taken; the caller then makes do with less
     */
    public synchronized MemorySegment take() {
        if (lent == free.length) {
            return null;
        }
        MemorySegment buffer = kept > 0 ? free[kept - 1] : memory.allocate(size, 64);
        if (kept > 0) {
            free[--kept] = null;
        }
        lent++;
        return buffer;
    }

    /**
     * Gives a buffer back.
     *
     * @param buffer one of {@link #take()}
     */
    public synchronized void giveBack(MemorySegment buffer) {
        lent--;
        free[kept++] = buffer;
    }
}
