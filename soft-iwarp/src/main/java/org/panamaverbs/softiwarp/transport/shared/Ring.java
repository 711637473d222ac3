package org.panamaverbs.softiwarp.transport.shared;

import java.lang.foreign.MemorySegment;
import org.panamaverbs.softiwarp.transport.SystemResource;

/**
 * One side of one ring. Its memory stays mapped until both sides of this process are closed and unused.
 *
 * <p>A copy by the kernel from one process to the other ({@code process_vm_writev}) is no substitute: it had about half the speed of a ring
 * while the memory was in the cache, and needs the right to trace the peer. Rings of 128 to 512 KiB were slower than those of
 * {@link RingMemory#CAPACITY}.
 */
abstract class Ring extends SystemResource {
    /** The result of a transfer whose ring has lengths or positions that make no sense. */
    static final long NONSENSE = Long.MIN_VALUE;
    /** A long message passes in pieces: while the reader copies one, the writer copies the next, and both find it in the cache. */
    private static final long PIECE = 64 << 10;
    private static final long PIECES = 4;
    /** The length in front of each frame. */
    static final long LENGTH = Long.BYTES;

    final MemorySegment memory;
    /** The offset of the positions and marks of this direction. */
    final long control;
    /** The offset of the bytes. */
    final long ring;
    final long capacity;
    /** The most bytes of a frame. */
    final long piece;
    final Runnable wakePeer;
    /** Whether memory of the last vector could not be used. */
    boolean faulty;
    private final RingMemory rings;

    Ring(RingMemory rings, int direction, Runnable wakePeer) {
        this.rings = rings;
        this.memory = rings.memory();
        this.control = RingMemory.control(direction);
        this.ring = rings.ring(direction);
        this.capacity = rings.capacity();
        this.piece = Math.min(PIECE, capacity / PIECES);
        this.wakePeer = wakePeer;
    }

    /** The offset in the memory of the byte at a position. */
    final long at(long position) {
        return ring + (position & capacity - 1);
    }

    /** How many bytes stand in one piece from a position on: the ring goes round behind them. */
    final long straight(long position, long length) {
        return Math.min(length, capacity - (position & capacity - 1));
    }

    /** The position of the next frame, if this one ends here. */
    static long aligned(long position) {
        return position + LENGTH - 1 & -LENGTH;
    }

    final boolean isFaulty() {
        return faulty;
    }

    @Override
    protected final void closeNow() {
        rings.leave();
    }
}
