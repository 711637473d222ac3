package org.panamaverbs.sockets;

import java.lang.foreign.MemorySegment;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.panamaverbs.Access;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.VerbsException;
import org.panamaverbs.sockets.protocol.StreamCore;

/**
 * The ranges of memory that the peer of one stream fills: the rest of the first block, and then blocks of the pool. They become larger if
 * the peer fills one with few messages, and smaller if it needs many. Also the receives of messages that carry bytes.
 */
final class Grants {
    /** A block becomes larger if fewer messages fill it, */
    private static final int FEW = 8;
    /** and smaller if it takes more. */
    private static final int MANY = 128;
    private static final int GROWTH = 4;

    private final BlockPool pool;
    private final ProtectionDomain domain;
    private final int most;
    private final Block first;
    /** By the number of the range; {@code null} for the first range. */
    private final @Nullable Block[] blocks = new Block[StreamCore.GRANTS];
    private int wanted = BlockPool.SMALLEST;
    private int messages;
    /** The receives of messages that carry bytes; {@code null} at first. */
    private @Nullable Block places;

    /**
     * Takes the first block.
     *
     * @param bytes the most bytes of all ranges together
     * @throws VerbsException   if there is no memory for it
     * @throws OutOfMemoryError likewise
     */
    Grants(BlockPool pool, ProtectionDomain domain, int bytes) {
        this.pool = pool;
        this.domain = domain;
        most = BlockPool.sizeFor(bytes / StreamCore.GRANTS);
        first = take(BlockPool.SMALLEST);
    }

    private Block take(int size) {
        return Block.take(pool, domain, size, Set.of(Access.LOCAL_WRITE, Access.REMOTE_WRITE));
    }

    /** {@return the first block, whose rest is the first range} */
    Block first() {
        return first;
    }

    /** A message with data has come. */
    void received() {
        messages++;
    }

    /** {@return the memory of a range} */
    MemorySegment memory(int range) {
        return blocks[range] == null ? first.memory() : blocks[range].memory();
    }

    /** {@return where the range begins in {@link #memory}} */
    long start(int range) {
        return blocks[range] == null ? MessagePort.REST : 0;
    }

    /** A range was read to its end: chooses the size of the next one. */
    void consumed(int range) {
        int size = blocks[range] == null ? BlockPool.SMALLEST : blocks[range].size();
        if (messages < FEW) {
            wanted = Math.min(most, size * GROWTH);
        } else if (messages > MANY) {
            wanted = Math.max(BlockPool.SMALLEST, size / 2);
        } else {
            wanted = Math.min(most, size);
        }
        messages = 0;
    }

    /**
     * Provides memory for a range that is free. It has bytes of this peer, or zeros.
     *
     * @return the block
     * @throws VerbsException   if there is no memory, and none of an earlier range of this number
     * @throws OutOfMemoryError likewise
     */
    Block renew(int range) {
        Block old = blocks[range];
        int size = pool.nextSize(wanted, old == null ? 0 : old.size());
        if (old != null && old.size() == size) {
            return old;
        }
        try {
            blocks[range] = take(size);
        } catch (VerbsException | OutOfMemoryError e) {
            if (old == null) {
                throw e;
            }
            return old;
        }
        if (old != null) {
            old.release();
        }
        return blocks[range];
    }

    /** {@return memory for receives of messages that carry bytes; {@code null} if there is none} */
    @Nullable
    MemoryRegion takePlaces() {
        try {
            places = Block.take(pool, domain, pool.nextSize(MessagePort.PLACES, 0), Set.of(Access.LOCAL_WRITE));
            return places.region();
        } catch (VerbsException | OutOfMemoryError e) {
            return null;
        }
    }

    /** Gives its memory back, once the queue pair is closed. */
    void release() {
        first.release();
        for (Block block : blocks) {
            if (block != null) {
                block.release();
            }
        }
        if (places != null) {
            places.release();
        }
    }
}
