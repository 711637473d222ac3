package org.panamaverbs.softiwarp.memory;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.util.zip.CRC32C;

/**
 * The buffer for received bytes that do not go straight to their place: headers, trailers, short payloads. It starts small, because an idle
 * connection needs little. It grows on demand, from one of its sizes to another, and never shrinks.
 */
public final class Stage {
    private static final int ALIGNMENT = 64;

    private final SegmentAllocator allocator;
    private final int[] sizes;
    private MemorySegment memory;
    private Crc32cView view;
    private int size;
    /** The bytes in [head, tail) are not parsed yet. */
    private int head;
    private int tail;

    /**
     * Makes a stage of the first size.
     *
     * @param sizes in bytes, ascending; not copied, so that all stages of a protocol share them
     */
    public Stage(SegmentAllocator allocator, int... sizes) {
        this.allocator = allocator;
        this.sizes = sizes;
        use(sizes[0]);
    }

    private void use(int bytes) {
        MemorySegment next = allocator.allocate(bytes, ALIGNMENT);
        moveTo(next);
        memory = next;
        view = new Crc32cView(next);
        size = bytes;
    }

    private void moveTo(MemorySegment target) {
        if (tail > head) {
            MemorySegment.copy(memory, head, target, 0, tail - head);
        }
        tail -= head;
        head = 0;
    }

    /** The memory; another one after the stage has grown. */
    public MemorySegment memory() {
        return memory;
    }

    /** The offset of the first byte that is not parsed yet. */
    public int head() {
        return head;
    }

    /** The offset of the next byte to receive. */
    public int tail() {
        return tail;
    }

    /** How many bytes are not parsed yet. */
    public int filled() {
        return tail - head;
    }

    /** How many more bytes can be received. */
    public int free() {
        return size - tail;
    }

    /**
     * Makes room: grows if the size is less than {@code needed} bytes and there is a longer one; else moves the bytes that are not parsed
     * yet to the front if little is free behind them.
     */
    public void makeRoom(int needed) {
        if (size < needed && size < sizes[sizes.length - 1]) {
            use(fitting(needed));
        } else if (free() < size / 2) {
            compact();
        } else if (head == tail) {
            head = 0;
            tail = 0;
        }
    }

    private int fitting(int needed) {
        for (int each : sizes) {
            if (each >= needed) {
                return each;
            }
        }
        return sizes[sizes.length - 1];
    }

    /** Moves the bytes that are not parsed yet to the front: then all the others are free. */
    public void compact() {
        if (head > 0) {
            moveTo(memory);
        }
    }

    /** So many bytes have come, behind those that were there. */
    public void received(int count) {
        tail += count;
    }

    /** So many bytes are parsed, the first ones. */
    public void parsed(int count) {
        head += count;
    }

    /** Adds bytes to a checksum. */
    public void update(CRC32C crc, int from, int length) {
        view.update(crc, from, length);
    }
}
