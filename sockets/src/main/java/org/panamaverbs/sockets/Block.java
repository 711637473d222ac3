package org.panamaverbs.sockets;

import java.lang.foreign.MemorySegment;
import org.panamaverbs.Access;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ProtectionDomain;

/**
 * A block of the pool, registered for one stream. The registration ends before the pool gets the block back, and the pool clears it: no
 * peer reaches memory of another stream, or sees what another stream has left there.
 */
final class Block {
    private final BlockPool pool;
    private final MemorySegment memory;
    private final MemoryRegion region;

    private Block(BlockPool pool, MemorySegment memory, MemoryRegion region) {
        this.pool = pool;
        this.memory = memory;
        this.region = region;
    }

    /**
     * Takes one from the pool and registers it.
     *
     * @param size   as for {@link BlockPool#take}
     * @param access the rights
     * @throws org.panamaverbs.VerbsException if it cannot be registered
     */
    static Block take(BlockPool pool, ProtectionDomain domain, int size, Access... access) {
        MemorySegment memory = pool.take(size);
        try {
            return new Block(pool, memory, domain.register(memory, access));
        } catch (RuntimeException | Error e) {
            pool.giveBack(memory);
            throw e;
        }
    }

    MemorySegment memory() {
        return memory;
    }

    MemoryRegion region() {
        return region;
    }

    int size() {
        return (int) memory.byteSize();
    }

    void release() {
        region.close();
        pool.giveBack(memory);
    }
}
