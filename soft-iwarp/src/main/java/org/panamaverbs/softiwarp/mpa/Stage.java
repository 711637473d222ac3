package org.panamaverbs.softiwarp.mpa;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.util.zip.CRC32C;
import org.panamaverbs.softiwarp.memory.Crc32cView;

/**
 * The buffer for received bytes that do not go straight to their place: headers, trailers, short payloads. It starts small, because an idle
 * connection needs little. It grows on demand, at most a few times, and never shrinks.
 */
final class Stage {
    /** Holds many short FPDUs. */
    static final int MANY = 16 * 1024;
    /** Holds the longest FPDU whole, and more. */
    static final int LONGEST = 128 * 1024;

    private final SegmentAllocator allocator;
    private MemorySegment memory;
    private Crc32cView view;
    private int size;
    /** The bytes in [head, tail) are not parsed yet. */
    private int head;
    private int tail;

    Stage(SegmentAllocator allocator, int first) {
        this.allocator = allocator;
        use(first);
    }

    private void use(int bytes) {
        MemorySegment next = allocator.allocate(bytes, 64);
        if (tail > head) {
            MemorySegment.copy(memory, head, next, 0, tail - head);
        }
        memory = next;
        view = new Crc32cView(next);
        size = bytes;
        tail -= head;
        head = 0;
    }

    MemorySegment memory() {
        return memory;
    }

    int size() {
        return size;
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

    /** How many more bytes can be received. */
    int free() {
        return size - tail;
    }

    /** Makes room: grows if the size is less than {@code needed} bytes; else moves the unparsed bytes to the front if that helps. */
    void makeRoom(int needed) {
        if (size < needed) {
            use(needed <= MANY ? MANY : LONGEST);
        } else if (head == tail) {
            head = 0;
            tail = 0;
        } else if (free() < size / 2) {
            MemorySegment.copy(memory, head, memory, 0, tail - head);
            tail -= head;
            head = 0;
        }
    }

    void received(int count) {
        tail += count;
    }

    void parsed(int count) {
        head += count;
    }

    /** Adds bytes to a checksum. */
    void update(CRC32C crc, int from, int length) {
        view.update(crc, from, length);
    }
}
