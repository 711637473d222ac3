package org.panamaverbs.softiwarp.transport.shared;

import java.lang.foreign.MemorySegment;
import org.panamaverbs.softiwarp.transport.SystemResource;

/** One side of one ring. Its memory stays mapped until both sides of this process are closed and unused. */
abstract class Ring extends SystemResource {
    /** The result of a transfer whose ring has positions that make no sense. */
    static final long NONSENSE = Long.MIN_VALUE;
    /** A long message passes in pieces: while the reader copies one, the writer copies the next, and both find it in the cache. */
    static final long PIECE = 64 << 10;

    final MemorySegment memory;
    /** The offset of the positions and marks of this direction. */
    final long control;
    /** The offset of the bytes. */
    final long ring;
    final long capacity;
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
        this.wakePeer = wakePeer;
    }

    final boolean isFaulty() {
        return faulty;
    }

    @Override
    protected final void closeNow() {
        rings.leave();
    }
}
