package org.panamaverbs.sockets;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import org.panamaverbs.RegistrableArena;

/**
 * Memory of a {@link BlockPool} that is allocated and freed at once: blocks of one size, or one block of those that count. The pool guards
 * it.
 */
final class Slab {
    /** Small blocks share a slab of so many bytes. */
    private static final int SHARED = 256 << 10;

    private final RegistrableArena arena = RegistrableArena.ofShared();
    private final Deque<Part> free;
    private final int blockSize;
    private final int blocks;

    /** A block of a slab. */
    record Part(Slab slab, MemorySegment memory) {
    }

    /**
     * Allocates one, of zeros.
     *
     * @param blockSize as of {@link BlockPool}
     * @throws OutOfMemoryError if there is no memory
     */
    Slab(int blockSize) {
        this.blockSize = blockSize;
        blocks = blockSize > BlockPool.UNCOUNTED ? 1 : SHARED / blockSize;
        free = new ArrayDeque<>(blocks);
        try {
            MemorySegment memory = arena.allocate(bytes(), BlockPool.SMALLEST);
            for (int i = 0; i < blocks; i++) {
                free.push(new Part(this, memory.asSlice((long) i * blockSize, blockSize)));
            }
        } catch (OutOfMemoryError e) {
            arena.close();
            throw e;
        }
    }

    int blockSize() {
        return blockSize;
    }

    long bytes() {
        return (long) blocks * blockSize;
    }

    boolean hasFree() {
        return !free.isEmpty();
    }

    /** {@return whether no block of it is in use} */
    boolean isUnused() {
        return free.size() == blocks;
    }

    Part take() {
        return free.pop();
    }

    void giveBack(Part part) {
        free.push(part);
    }

    /** Frees all blocks, which are unused. */
    void close() {
        arena.close();
    }
}
