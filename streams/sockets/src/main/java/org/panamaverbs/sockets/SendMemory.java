package org.panamaverbs.sockets;

import java.lang.foreign.MemorySegment;
import java.util.Set;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.VerbsException;

/**
 * Memory for copies of bytes that are on their way: two blocks, filled in turn. A block is filled again when its bytes have gone, and
 * gives way to a larger one when both were full. Positions count the bytes of the stream.
 */
final class SendMemory {
    private static final int FIRST = 2 * BlockPool.SMALLEST;

    private final BlockPool pool;
    private final ProtectionDomain domain;
    private final int most;
    private final Block[] blocks = new Block[2];
    /** The position behind the last bytes that were copied to a block. */
    private final long[] ends = new long[2];
    private int current;
    private int filled;
    private int wanted;
    private long completed;

    /** @param bytes the most bytes of both blocks together */
    SendMemory(BlockPool pool, ProtectionDomain domain, int bytes) {
        this.pool = pool;
        this.domain = domain;
        most = BlockPool.sizeFor(bytes / 2);
        wanted = Math.min(FIRST, most);
    }

    /**
     * How many bytes can be copied to {@link #offset}.
     *
     * @return 0 if both blocks are on their way
     * @throws VerbsException   if there is no memory, and the stream has no block
     * @throws OutOfMemoryError likewise
     */
    int room() {
        if (blocks[current] != null && filled < blocks[current].size()) {
            return blocks[current].size() - filled;
        }
        int next = blocks[current] == null ? current : 1 - current;
        int present = blocks[next] == null ? 0 : blocks[next].size();
        if (ends[next] > completed) {
            wanted = Math.min(most, Math.max(wanted, present * 2));
            return 0;
        }
        int size = pool.nextSize(wanted, present);
        if (size != present) {
            replace(next, size);
        }
        if (blocks[next] == null) {
            // The stream goes on with one block: the other counts as on its way until that one has gone.
            ends[next] = ends[current];
            return 0;
        }
        current = next;
        filled = 0;
        return blocks[current].size();
    }

    /** A stream that has a block already goes on with it if there is no other one. */
    private void replace(int next, int size) {
        try {
            Block block = Block.take(pool, domain, size, Set.of());
            release(next);
            blocks[next] = block;
        } catch (VerbsException | OutOfMemoryError e) {
            if (blocks[current] == null) {
                throw e;
            }
        }
        wanted = blocks[next] == null ? wanted : blocks[next].size();
    }

    /** {@return whether {@link #room} would not be 0} */
    boolean hasRoom() {
        return blocks[current] == null || filled < blocks[current].size() || ends[1 - current] <= completed;
    }

    MemoryRegion region() {
        return blocks[current].region();
    }

    /** {@return where the next bytes go, in the region} */
    long offset() {
        return filled;
    }

    /**
     * Copies bytes, at most {@link #room}.
     *
     * @param end the position behind them
     * @return whether the block is full: then the program learns when the bytes have gone
     */
    boolean copy(MemorySegment from, long offset, int length, long end) {
        Block block = blocks[current];
        MemorySegment.copy(from, offset, block.memory(), filled, length);
        filled += length;
        ends[current] = end;
        return filled == block.size();
    }

    /** All bytes before a position have gone. */
    void completed(long position) {
        completed = position;
        if (ends[current] <= completed) {
            filled = 0;
        }
    }

    private void release(int block) {
        if (blocks[block] != null) {
            blocks[block].release();
            blocks[block] = null;
        }
    }

    /** Gives its memory back, once the queue pair is closed. */
    void release() {
        release(0);
        release(1);
    }
}
