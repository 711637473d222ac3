package org.panamaverbs.ddp.ddpp;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;

/**
 * The buffer for received bytes that do not go straight to their place: headers and short payloads. It starts small, because an idle
 * connection needs little, and grows once. The parser leaves less than a header in it.
 */
final class Stage {
    private static final int LEAST = 64;

    private final SegmentAllocator allocator;
    private final int most;
    private MemorySegment memory;
    private int size = LEAST;
    /** The bytes in [head, tail) are not parsed yet. */
    private int head;
    private int tail;

    Stage(SegmentAllocator allocator, int most) {
        this.allocator = allocator;
        this.most = most;
        this.memory = allocator.allocate(LEAST, LEAST);
    }

    MemorySegment memory() {
        return memory;
    }

    /** The offset of the first byte that is not parsed yet. */
    int head() {
        return head;
    }

    /** The offset of the next byte to receive. */
    int tail() {
        return tail;
    }

    /** How many bytes are not parsed yet. */
    int filled() {
        return tail - head;
    }

    /**
     * Makes room behind the bytes that are not parsed yet.
     *
     * @param wanted bytes
     * @return how many of them there is room for
     */
    int makeRoom(int wanted) {
        int filled = filled();
        MemorySegment next = memory;
        if (filled + wanted > size && size < most) {
            next = allocator.allocate(most, LEAST);
            size = most;
        }
        if (head > 0 || next != memory) {
            MemorySegment.copy(memory, head, next, 0, filled);
            memory = next;
            head = 0;
            tail = filled;
        }
        return Math.min(wanted, size - tail);
    }

    void received(int count) {
        tail += count;
    }

    void parsed(int count) {
        head += count;
    }
}
