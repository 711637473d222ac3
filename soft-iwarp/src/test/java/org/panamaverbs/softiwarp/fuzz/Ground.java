package org.panamaverbs.softiwarp.fuzz;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.BitSet;

/**
 * All memory of a victim, with guards between its parts, and which bytes of it may change now. A copy shows each byte that changed and
 * might not.
 */
final class Ground {
    private static final int GUARD = 64;
    private static final int VALUE = 0x5A;

    private final MemorySegment memory;
    private final MemorySegment copy;
    private final BitSet granted = new BitSet();
    private long used = GUARD;

    Ground(Arena arena, long size) {
        memory = arena.allocate(size, 64).fill((byte) VALUE);
        copy = MemorySegment.ofArray(new byte[(int) size]).fill((byte) VALUE);
    }

    /** A part with guards around it. */
    MemorySegment part(long length) {
        MemorySegment part = memory.asSlice(used, length);
        used = (used + length + GUARD + 63) / 64 * 64;
        if (used > memory.byteSize()) {
            throw new AssertionError("the ground is too small");
        }
        return part;
    }

    /** Nothing may change from now on. */
    void grantNothing() {
        granted.clear();
    }

    /** Bytes of a part may change. */
    void grant(MemorySegment part, long from, long length) {
        int at = (int) (part.address() - memory.address() + from);
        granted.set(at, (int) (at + length));
    }

    /** Nothing has changed but what may. */
    void check() {
        for (int from = granted.nextSetBit(0); from >= 0;) {
            int to = granted.nextClearBit(from);
            MemorySegment.copy(memory, from, copy, from, to - from);
            from = granted.nextSetBit(to);
        }
        long wrong = memory.mismatch(copy);
        if (wrong >= 0) {
            throw new AssertionError(
                    "byte " + wrong + " changed to " + memory.get(ValueLayout.JAVA_BYTE, wrong) + ", and the peer may not write there");
        }
    }
}
