package org.panamaverbs.sockets;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.panamaverbs.RegistrableArena;

/**
 * Memory for streams, in blocks of a power of two. A block that is given back is used again; all are freed with the pool. So the pool holds
 * as much as its streams needed at the same time. All bytes of a free block are 0: a peer can announce bytes that it has not written, and
 * what the program reads then must not be another stream's.
 */
final class BlockPool implements AutoCloseable {
    /** The smallest block, in bytes; each block begins at a multiple of it. */
    static final int SMALLEST = 4 << 10;
    /** The largest block, in bytes. */
    static final int LARGEST = 1 << 20;

    /** Small blocks are parts of a slab of so many bytes. */
    private static final int SLAB = 256 << 10;

    private final RegistrableArena arena = RegistrableArena.ofShared();
    /** The free blocks, by the power of two over the smallest. */
    private final List<Deque<MemorySegment>> free = new ArrayList<>();
    private long bytes;

    BlockPool() {
        for (int size = SMALLEST; size <= LARGEST; size <<= 1) {
            free.add(new ArrayDeque<>());
        }
    }

    private static int order(long size) {
        return Long.numberOfTrailingZeros(size) - Integer.numberOfTrailingZeros(SMALLEST);
    }

    /** {@return a size of a block, not less than these bytes if there is one} */
    static int sizeFor(int length) {
        int least = Math.clamp(length, SMALLEST, LARGEST);
        return Integer.highestOneBit(least) == least ? least : Integer.highestOneBit(least) << 1;
    }

    /**
     * Takes a block.
     *
     * @param size a power of two, {@value #SMALLEST} to {@value #LARGEST}
     */
    synchronized MemorySegment take(int size) {
        Deque<MemorySegment> blocks = free.get(order(size));
        if (blocks.isEmpty()) {
            int slab = Math.max(size, SLAB);
            MemorySegment memory = arena.allocate(slab, SMALLEST);
            bytes += slab;
            for (int at = 0; at < slab; at += size) {
                blocks.push(memory.asSlice(at, size));
            }
        }
        return blocks.pop();
    }

    /** Gives a block back, which no region covers any more. */
    void giveBack(MemorySegment block) {
        // Without the lock, so that other threads take blocks meanwhile.
        block.fill((byte) 0);
        synchronized (this) {
            free.get(order(block.byteSize())).push(block);
        }
    }

    /** {@return how many bytes it holds} */
    synchronized long bytes() {
        return bytes;
    }

    /** Frees all memory, once no block is registered. */
    @Override
    public void close() {
        arena.close();
    }
}
