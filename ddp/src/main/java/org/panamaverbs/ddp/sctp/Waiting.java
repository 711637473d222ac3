package org.panamaverbs.ddp.sctp;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.util.Arrays;
import org.panamaverbs.softiwarp.memory.SgeCursor;

/**
 * The messages of a stream that came ahead of their turn, by DDP-SSN. Of a segment whose payload is placed it keeps the fields that its
 * delivery needs; any other message it copies, into blocks of fixed size that it reuses. It takes no memory before the first message waits,
 * and then as much as waited at once: at most one entry for each DDP-SSN of the window, and the blocks of the limit.
 */
// Tested by MessageReaderTest.
final class Waiting {
    /** Holds a control message, the header of a segment, and a segment of a usual MTU, in one piece. */
    static final int BLOCK = 2048;
    private static final int SLAB_BLOCKS = 32;
    private static final int FEW = 16;
    private static final int NOTHING = 0;
    /** The protocol of an entry whose payload is placed; no identifier of RFC 5043. */
    static final int PLACED = -1;

    private final int window;
    private final int mostBlocks;
    private final SegmentAllocator memory;

    // Per DDP-SSN, at its value modulo the length of the arrays, a power of 2.
    private int[] protocols = {};
    private int[] lengths = {};
    /** The first block; of a placed segment its STag. */
    private int[] firsts = {};
    /** Of a placed segment: its DDP control field and ULP byte, and its Tagged Offset. */
    private int[] controls = {};
    private long[] offsets = {};
    private int size;

    private MemorySegment[] slabs = {};
    /** Per block: the next block of the same message, or of the free ones; or -1. */
    private int[] nextBlock = {};
    private int freeBlock = -1;
    private int usedBlocks;

    /**
     * Makes it empty.
     *
     * @param window the number of DDP-SSNs of which one may come ahead, a power of 2
     * @param bytes  the most memory for copied messages
     * @param memory allocates native memory that any thread may use
     */
    Waiting(int window, long bytes, SegmentAllocator memory) {
        this.window = window;
        this.mostBlocks = Math.toIntExact(bytes / BLOCK);
        this.memory = memory;
    }

    boolean isEmpty() {
        return size == 0;
    }

    /** Whether a message with this DDP-SSN waits; the DDP-SSN is one of the window. */
    boolean holds(int ssn) {
        return size > 0 && protocols[ssn & protocols.length - 1] != NOTHING && distanceFits(ssn);
    }

    /** The arrays hold fewer DDP-SSNs than the window while they have not grown: the highest that they hold bounds them. */
    private boolean distanceFits(int ssn) {
        return SctpSegment.distance(base, ssn) < protocols.length;
    }

    /** The DDP-SSN whose turn it is: no entry is before it. */
    private int base;

    /** Moves the window: no message with a DDP-SSN before this one waits. */
    void base(int next) {
        base = next;
    }

    private int slot(int ssn) {
        int needed = SctpSegment.distance(base, ssn) + 1;
        if (needed > protocols.length) {
            grow(Math.min(window, Math.max(FEW, Integer.highestOneBit(needed - 1) << 1)));
        }
        return ssn & protocols.length - 1;
    }

    private void grow(int length) {
        int[] oldProtocols = protocols;
        int[] oldLengths = lengths;
        int[] oldFirsts = firsts;
        int[] oldControls = controls;
        long[] oldOffsets = offsets;
        protocols = new int[length];
        lengths = new int[length];
        firsts = new int[length];
        controls = new int[length];
        offsets = new long[length];
        for (int i = 0; i < oldProtocols.length; i++) {
            int from = base + i & oldProtocols.length - 1;
            int to = base + i & length - 1;
            protocols[to] = oldProtocols[from];
            lengths[to] = oldLengths[from];
            firsts[to] = oldFirsts[from];
            controls[to] = oldControls[from];
            offsets[to] = oldOffsets[from];
        }
    }

    /** Adds a segment whose payload is placed. */
    void addPlaced(int ssn, int control, int ulp, int stag, long offset, int payload) {
        int slot = slot(ssn);
        protocols[slot] = PLACED;
        lengths[slot] = payload;
        firsts[slot] = stag;
        controls[slot] = control << 8 | ulp;
        offsets[slot] = offset;
        size++;
    }

    /**
     * Adds a copy of a message.
     *
     * @return {@code false} if the limit of bytes leaves no room for it
     */
    boolean add(int ssn, MemorySegment message, int length, int protocol) {
        int blocks = (length + BLOCK - 1) / BLOCK;
        if (blocks > mostBlocks - usedBlocks) {
            return false;
        }
        int first = -1;
        for (int i = blocks - 1; i >= 0; i--) {
            int block = takeBlock();
            int from = i * BLOCK;
            MemorySegment.copy(message, from, slab(block), offset(block), Math.min(BLOCK, length - from));
            nextBlock[block] = first;
            first = block;
        }
        int slot = slot(ssn);
        protocols[slot] = protocol;
        lengths[slot] = length;
        firsts[slot] = first;
        size++;
        return true;
    }

    private int takeBlock() {
        if (freeBlock < 0) {
            int from = nextBlock.length;
            slabs = Arrays.copyOf(slabs, slabs.length + 1);
            slabs[slabs.length - 1] = memory.allocate((long) SLAB_BLOCKS * BLOCK, 8);
            nextBlock = Arrays.copyOf(nextBlock, from + SLAB_BLOCKS);
            for (int block = nextBlock.length - 1; block >= from; block--) {
                nextBlock[block] = freeBlock;
                freeBlock = block;
            }
        }
        int block = freeBlock;
        freeBlock = nextBlock[block];
        usedBlocks++;
        return block;
    }

    private MemorySegment slab(int block) {
        return slabs[block / SLAB_BLOCKS];
    }

    private static long offset(int block) {
        return (long) (block % SLAB_BLOCKS) * BLOCK;
    }

    /** {@link #PLACED}, or the protocol of the message. */
    int protocol(int ssn) {
        return protocols[slot(ssn)];
    }

    /** The length of the message, or of a placed payload, in bytes. */
    int length(int ssn) {
        return lengths[slot(ssn)];
    }

    int control(int ssn) {
        return controls[slot(ssn)] >>> 8;
    }

    int ulp(int ssn) {
        return controls[slot(ssn)] & 0xFF;
    }

    int stag(int ssn) {
        return firsts[slot(ssn)];
    }

    long taggedOffset(int ssn) {
        return offsets[slot(ssn)];
    }

    /** The memory that holds the first {@link #BLOCK} bytes of a copied message, from {@link #startAt} on. */
    MemorySegment start(int ssn) {
        return slab(firsts[slot(ssn)]);
    }

    long startAt(int ssn) {
        return offset(firsts[slot(ssn)]);
    }

    /**
     * Puts the bytes of a copied message from an offset below {@link #BLOCK} on into their place.
     *
     * @return {@code false} if that memory can no longer be used
     */
    boolean place(int ssn, int from, SgeCursor target) {
        int slot = slot(ssn);
        int left = lengths[slot] - from;
        int skip = from;
        for (int block = firsts[slot]; left > 0; block = nextBlock[block]) {
            int here = Math.min(left, BLOCK - skip);
            if (!target.put(slab(block), offset(block) + skip, here)) {
                return false;
            }
            left -= here;
            skip = 0;
        }
        return true;
    }

    /** Forgets a message whose turn has come. */
    void remove(int ssn) {
        int slot = slot(ssn);
        if (protocols[slot] != PLACED) {
            int block = firsts[slot];
            while (block >= 0) {
                int next = nextBlock[block];
                nextBlock[block] = freeBlock;
                freeBlock = block;
                usedBlocks--;
                block = next;
            }
        }
        protocols[slot] = NOTHING;
        size--;
    }
}
