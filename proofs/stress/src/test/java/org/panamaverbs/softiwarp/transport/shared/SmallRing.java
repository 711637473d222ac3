package org.panamaverbs.softiwarp.transport.shared;

import java.lang.foreign.MemorySegment;
import org.panamaverbs.softiwarp.memory.IoVector;

/** Both sides of a ring of 64 bytes, in memory of the heap: frames have up to 16 bytes. */
final class SmallRing {
    private static final int CAPACITY = 64;

    final RingWriter writer;
    final RingReader reader;
    /** Each is counted by the thread of the other side. */
    int wakesOfReader;
    int wakesOfWriter;

    SmallRing() {
        RingMemory memory = new RingMemory(MemorySegment.ofArray(new long[(int) RingMemory.size(CAPACITY) / Long.BYTES]), CAPACITY);
        writer = new RingWriter(memory, 0, () -> wakesOfReader++);
        reader = new RingReader(memory, 0, () -> wakesOfWriter++);
    }

    static IoVector vector(MemorySegment memory, long from, long length) {
        IoVector vector = new IoVector(1);
        vector.add(memory, from, length);
        return vector;
    }

    static MemorySegment heap(int length) {
        return MemorySegment.ofArray(new byte[length]);
    }
}
