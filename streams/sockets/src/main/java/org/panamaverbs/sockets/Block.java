package org.panamaverbs.sockets;

import java.lang.foreign.MemorySegment;
import java.util.Set;
import org.panamaverbs.Access;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.VerbsException;

/**
 * A block of the pool, registered for one stream. The registration ends before the pool gets the block back, and the pool clears it: no
 * peer reaches memory of another stream, or sees what another stream has left there.
 */
final class Block {
    private final BlockPool pool;
    private final Slab.Part part;
    private final MemoryRegion region;

    private Block(BlockPool pool, Slab.Part part, MemoryRegion region) {
        this.pool = pool;
        this.part = part;
        this.region = region;
    }

    /**
     * Takes one from the pool and registers it.
     *
     * @param wanted as for {@link BlockPool#take}
     * @param access the rights
     * @throws org.panamaverbs.VerbsException if it cannot be registered
     */
    static Block take(BlockPool pool, ProtectionDomain domain, int wanted, Set<Access> access) {
        Slab.Part part = pool.take(wanted);
        try {
            return new Block(pool, part, domain.register(part.memory(), access));
        } catch (VerbsException | OutOfMemoryError e) {
            pool.giveBack(part);
            throw e;
        }
    }

    MemorySegment memory() {
        return part.memory();
    }

    MemoryRegion region() {
        return region;
    }

    int size() {
        return (int) part.memory().byteSize();
    }

    void release() {
        region.close();
        pool.giveBack(part);
    }
}
