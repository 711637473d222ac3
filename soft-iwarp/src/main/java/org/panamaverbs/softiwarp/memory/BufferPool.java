package org.panamaverbs.softiwarp.memory;

import java.lang.foreign.SegmentAllocator;

/**
 * Large buffers that the streams of a device share. A stream takes a buffer only while it has bytes to keep in it: idle streams need no
 * memory, and stalled streams together need a bounded amount. Any thread may use the pool.
 */
public final class BufferPool {
    private final SegmentAllocator memory;
    private final int size;
    private final Crc32cView[] free;
    private int kept;
    private int lent;
    /** {@code null} until the pool is closed. */
    private Runnable release;

    /**
     * Makes an empty pool.
     *
     * @param memory allocates native memory that any thread may use
     * @param size   size of a buffer in bytes
     * @param most   the most buffers
     */
    public BufferPool(SegmentAllocator memory, int size, int most) {
        this.memory = memory;
        this.size = size;
        this.free = new Crc32cView[most];
    }

    /**
     * Takes a buffer.
     *
     * @return {@code null} if all are taken, or the pool is closed; then the caller needs a smaller buffer of its own
     */
    public synchronized Crc32cView take() {
        if (lent == free.length || release != null) {
            return null;
        }
        Crc32cView buffer = kept > 0 ? free[kept - 1] : new Crc32cView(memory.allocate(size, 64));
        if (kept > 0) {
            free[--kept] = null;
        }
        lent++;
        return buffer;
    }

    /**
     * Gives a buffer back.
     *
     * @param buffer a buffer from {@link #take()}
     */
    public synchronized void giveBack(Crc32cView buffer) {
        lent--;
        free[kept++] = buffer;
        releaseWhenUnused();
    }

    /**
     * Closes the pool.
     *
     * @param memory gives the memory of all buffers back: called when none is taken
     */
    public synchronized void close(Runnable memory) {
        release = memory;
        releaseWhenUnused();
    }

    private void releaseWhenUnused() {
        if (release != null && lent == 0) {
            release.run();
        }
    }
}
