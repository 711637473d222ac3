package org.panamaverbs.sockets;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Set;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.VerbsException;

/**
 * The send buffer of a stream: copies of bytes that are on their way, and behind these the bytes that wait for the connection, or for room at
 * the peer. It has two blocks, filled in turn. A block is filled again when its bytes have gone, and gives way to a larger one when both were
 * full. A stream whose messages are all short has a place of {@value MessagePort#INLINE} bytes in their stead. Positions count the bytes of
 * the stream. Before the copies of a message there may be room for its header.
 */
// Tested by StreamMemoryTest, FlushTest.
final class SendMemory {
    private static final int FIRST = 2 * BlockPool.SMALLEST;
    /** The second block is so much larger than the first, whose bytes have not gone: a peer that takes nothing fills both. */
    private static final int GROWTH = 8;

    private final BlockPool pool;
    private final ProtectionDomain domain;
    private final int most;
    /** The first block of the stream, which has the place for short messages. */
    private final Block first;
    private final Block[] blocks = new Block[2];
    /** The position behind the last bytes that were copied to a block; 0 while it is the place for short messages. */
    private final long[] ends = new long[2];
    private int current;
    private int filled;
    /** How many bytes a message has before its copies. */
    private int header;
    /** Whether the copies of a message have begun, */
    private boolean begun;
    /** and where in the block. */
    private int begin;
    /** The block with the first byte that waits, */
    private int waitingBlock;
    /** and its offset in that block. */
    private int waitingOffset;
    private int wanted;
    private long completed;

    /**
     * Takes no memory yet.
     *
     * @param first the first block of the stream
     * @param bytes the most bytes of both blocks together
     */
    SendMemory(BlockPool pool, ProtectionDomain domain, Block first, int bytes) {
        this.pool = pool;
        this.domain = domain;
        this.first = first;
        most = BlockPool.sizeFor(bytes / 2);
        wanted = Math.min(FIRST, most);
    }

    /**
     * Keeps room before the copies of each message from now on.
     *
     * @param bytes how many; if there are any, no message is in the place for short ones
     */
    void keepHeaders(int bytes) {
        header = bytes;
    }

    private int header() {
        return begun ? 0 : header;
    }

    /**
     * How many bytes can be copied to {@link #offset}.
     *
     * @param length how many the program has, 1 or more
     * @return 0 if both blocks are on their way; it may be more than the length
     * @throws VerbsException   if there is no memory, and the stream has no block
     * @throws OutOfMemoryError likewise
     */
    int room(int length) {
        return blocks[current] == null && header == 0 && filled + length <= MessagePort.INLINE ? length : roomInBlocks();
    }

    /** {@return how many bytes can be copied to a block; 0 if both have bytes that have not gone} Throws as {@link #room}. */
    int roomInBlocks() {
        if (blocks[current] != null && filled + header() < blocks[current].size()) {
            return blocks[current].size() - filled - header();
        }
        int next = blocks[current] == null ? current : 1 - current;
        int present = blocks[next] == null ? 0 : blocks[next].size();
        if (ends[next] > completed) {
            wanted = Math.min(most, Math.max(wanted, present * 2));
            return 0;
        }
        if (next != current && present == 0) {
            wanted = Math.min(most, Math.max(wanted, blocks[current].size() * GROWTH));
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
        return blocks[current].size() - header();
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

    /** {@return whether {@link #room} would not be 0, unless there is no memory} */
    boolean hasRoom() {
        return blocks[current] == null || filled + header < blocks[current].size() || ends[1 - current] <= completed;
    }

    /** {@return whether it has a block} */
    boolean hasBlocks() {
        return blocks[0] != null || blocks[1] != null;
    }

    private Block block() {
        return blocks[current] == null ? first : blocks[current];
    }

    MemoryRegion region() {
        return block().region();
    }

    /** {@return where the next bytes go, in the region} */
    long offset() {
        return (long) header() + (blocks[current] == null ? MessagePort.BYTES + filled : filled);
    }

    /**
     * Copies bytes, at most {@link #room}.
     *
     * @param end the position behind them
     * @return whether the block is full: its bytes leave, and the program learns when they have gone
     */
    boolean copy(MemorySegment from, long offset, int length, long end) {
        MemorySegment.copy(from, offset, block().memory(), offset(), length);
        if (!begun) {
            begin = filled;
            filled += header;
            begun = true;
        }
        filled += length;
        if (blocks[current] == null) {
            return false;
        }
        ends[current] = end;
        return filled + header >= blocks[current].size();
    }

    /**
     * Copies bytes that have to wait, at most {@link #roomInBlocks}. No header is kept before them.
     *
     * @param first whether none waits yet
     * @param end   the position behind them
     */
    void keep(MemorySegment from, long offset, int length, boolean first, long end) {
        if (first) {
            waitingBlock = current;
            waitingOffset = filled;
        }
        MemorySegment.copy(from, offset, blocks[current].memory(), filled, length);
        filled += length;
        ends[current] = end;
    }

    /** {@return the region of the first bytes that wait} */
    MemoryRegion waitingRegion() {
        return blocks[waitingBlock].region();
    }

    /** {@return where these are in the region} */
    long waitingOffset() {
        return waitingOffset;
    }

    /** {@return how many bytes that wait lie there side by side, if so many wait in all} */
    int waitingLength(int waiting) {
        return waitingBlock == current ? waiting : Math.min(waiting, blocks[waitingBlock].size() - waitingOffset);
    }

    /** So many of these wait no longer. */
    void take(int length) {
        waitingOffset += length;
        if (waitingBlock != current && waitingOffset == blocks[waitingBlock].size()) {
            waitingBlock = current;
            waitingOffset = 0;
        }
    }

    /**
     * The message was posted.
     *
     * @param free whether its bytes have left already, so that their place is free
     */
    void posted(boolean free) {
        if (begun && free) {
            filled = begin;
        }
        begun = false;
    }

    /** All bytes before a position have gone. */
    void completed(long position) {
        completed = position;
        if (blocks[current] != null && ends[current] <= completed) {
            filled = 0;
        }
    }

    private void release(int block) {
        if (blocks[block] != null) {
            blocks[block].release();
            blocks[block] = null;
        }
    }

    /** Gives its memory back: the queue pair is closed, or nothing is on its way and nothing waits. */
    void release() {
        release(0);
        release(1);
        Arrays.fill(ends, 0);
        filled = 0;
        wanted = Math.min(FIRST, most);
    }
}
