package org.panamaverbs.sockets;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.panamaverbs.ResourceException;

/**
 * Memory for the streams of one loop, in blocks of a power of two, which are parts of slabs. All bytes of a free block are 0: a peer can
 * announce bytes that it has not written, and what the program reads then must not be another stream's. A slab without a block in use is
 * freed, but for a few that are kept for the next streams.
 *
 * <p>Blocks of more than {@value #UNCOUNTED} bytes count against a budget. None gets more than a {@value #SHARE}nd of what is left of it: so
 * the first streams cannot take all, and each stream gets some memory.
 */
final class BlockPool implements AutoCloseable {
    /** The smallest block, in bytes; each block begins at a multiple of it. */
    static final int SMALLEST = 4 << 10;
    /** The largest block, in bytes. */
    static final int LARGEST = 1 << 20;
    /** A block of so many bytes, or of fewer, does not count: each stream can have these. */
    static final int UNCOUNTED = 8 << 10;

    private static final int SHARE = 32;
    private static final long MOST_BUDGET = 64 << 20;
    /** The budget is such a part of the largest heap, since a program sizes its heap for the memory of its machine or container. */
    private static final int PART_OF_HEAP = 16;
    /** Slabs that no block is used of are kept up to so many bytes: a stream that comes and goes costs no allocation. */
    private static final int SPARE = 2 << 20;

    private final long budget;
    /** The slabs that have free blocks, by the power of two over the smallest block. */
    private final List<Deque<Slab>> slabs = new ArrayList<>();
    private long bytes;
    /** In use, of the budget; written under the lock. */
    private volatile long counted;
    /** In slabs without a block in use. */
    private long spare;

    BlockPool() {
        this(Math.min(MOST_BUDGET, Runtime.getRuntime().maxMemory() / PART_OF_HEAP));
    }

    /** @param budget the most bytes of blocks of more than {@value #UNCOUNTED} bytes, all streams together */
    BlockPool(long budget) {
        this.budget = budget;
        for (int size = SMALLEST; size <= LARGEST; size <<= 1) {
            slabs.add(new ArrayDeque<>());
        }
    }

    private Deque<Slab> slabsOf(int size) {
        return slabs.get(Integer.numberOfTrailingZeros(size) - Integer.numberOfTrailingZeros(SMALLEST));
    }

    /** {@return a size of a block, not less than these bytes if there is one} */
    static int sizeFor(int length) {
        int least = Math.clamp(length, SMALLEST, LARGEST);
        return Integer.highestOneBit(least) == least ? least : Integer.highestOneBit(least) << 1;
    }

    /**
     * Chooses the size of the block that follows a block of a stream; it takes no lock. A block gives way to a smaller one only if the
     * budget allows less than half of it; else streams would exchange blocks again and again.
     *
     * @param wanted  the size that the stream needs
     * @param present the size of its block, 0 if it has none
     * @return a size of a block, at most {@code wanted}
     */
    int nextSize(int wanted, int present) {
        int allowed = allowed();
        return Math.min(wanted, present / 2 <= allowed ? Math.max(allowed, present) : allowed);
    }

    private int allowed() {
        long share = (budget - counted) / SHARE;
        return share < UNCOUNTED ? UNCOUNTED : Integer.highestOneBit((int) Math.min(LARGEST, share));
    }

    /**
     * Takes a block.
     *
     * @param wanted a power of two, {@value #SMALLEST} to {@value #LARGEST}
     * @return a block of so many bytes, or of fewer if the budget allows no more
     * @throws ResourceException if the system has no memory
     */
    synchronized Slab.Part take(int wanted) {
        int size = Math.min(wanted, allowed());
        Deque<Slab> usable = slabsOf(size);
        if (usable.isEmpty()) {
            usable.push(allocate(size));
        }
        Slab slab = usable.peek();
        spare -= slab.isUnused() ? slab.bytes() : 0;
        Slab.Part part = slab.take();
        if (!slab.hasFree()) {
            usable.pop();
        }
        counted += countedBytes(size);
        return part;
    }

    private Slab allocate(int size) {
        Slab slab;
        try {
            slab = new Slab(size);
        } catch (OutOfMemoryError e) {
            throw new ResourceException("there is no memory for a block of " + size + " bytes; the streams of this loop have " + bytes, e);
        }
        bytes += slab.bytes();
        spare += slab.bytes();
        return slab;
    }

    private static int countedBytes(int size) {
        return size > UNCOUNTED ? size : 0;
    }

    /** Gives a block back, which no region covers any more. */
    void giveBack(Slab.Part part) {
        Slab slab = part.slab();
        // Without the lock, so that other threads take blocks meanwhile.
        part.memory().fill((byte) 0);
        synchronized (this) {
            counted -= countedBytes(slab.blockSize());
            if (!slab.hasFree()) {
                slabsOf(slab.blockSize()).push(slab);
            }
            slab.giveBack(part);
            if (!slab.isUnused()) {
                return;
            }
            if (spare + slab.bytes() <= SPARE) {
                spare += slab.bytes();
                return;
            }
            slabsOf(slab.blockSize()).remove(slab);
            bytes -= slab.bytes();
        }
        slab.close();
    }

    /** {@return how many bytes its slabs have} */
    synchronized long bytes() {
        return bytes;
    }

    /** Frees all memory, once no block is in use. */
    @Override
    public void close() {
        slabs.forEach(all -> all.forEach(Slab::close));
    }
}
