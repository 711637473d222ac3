package org.panamaverbs.rpcrdma.tcp;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** Memory for calls: short ones lie in the heap, long ones in native memory, of which some is kept for the next. */
// Tested by TcpRpcServiceTest.
public final class RecordMemory {
    private static final int LONGEST_SHORT = 8 << 10;
    private static final int SHIFTS = 32;
    private static final long KEPT = 32L << 20;

    private final List<Deque<MemorySegment>> free = new ArrayList<>();
    private long kept;

    /** Makes one that keeps nothing yet. */
    public RecordMemory() {
        for (int i = 0; i < SHIFTS; i++) {
            free.add(new ArrayDeque<>());
        }
    }

    /** Memory for so many bytes, or more. */
    public MemorySegment take(int bytes) {
        if (bytes <= LONGEST_SHORT) {
            return MemorySegment.ofArray(new byte[bytes]);
        }
        int shift = Integer.SIZE - Integer.numberOfLeadingZeros(bytes - 1);
        synchronized (this) {
            MemorySegment unused = free.get(shift).poll();
            if (unused != null) {
                kept -= unused.byteSize();
                return unused;
            }
        }
        // The garbage collector frees it: a program may still look at a call whose connection has ended.
        return Arena.ofAuto().allocate(1L << shift, Long.BYTES);
    }

    /** The bytes that are kept for the next call or connection. */
    public synchronized long kept() {
        return kept;
    }

    /** Gives memory back, which nobody uses any more. */
    public synchronized void giveBack(MemorySegment memory) {
        if (memory.isNative() && kept + memory.byteSize() <= KEPT) {
            kept += memory.byteSize();
            free.get(Long.numberOfTrailingZeros(memory.byteSize())).push(memory);
        }
    }
}
