package org.panamaverbs.rpcrdma.wire;

import java.util.Arrays;

/**
 * RDMA segments (RFC 8166, 3.4.3): handle, length and offset of parts of a peer's memory. A list grows as needed, and is used again and
 * again. Handles and offsets have any value; lengths are unsigned 32 bits.
 */
public final class SegmentList {
    private static final int USUAL = 4;
    private int[] handles = new int[USUAL];
    private int[] lengths = new int[USUAL];
    private long[] offsets = new long[USUAL];
    private int[] positions = new int[USUAL];
    private int count;

    /** Takes all segments away. */
    public void clear() {
        count = 0;
    }

    public int count() {
        return count;
    }

    /** Adds a segment of a Write or Reply chunk. */
    public void add(int handle, long length, long offset) {
        add(0, handle, length, offset);
    }

    /** Adds a segment of a Read chunk, whose position is that in the unreduced payload (RFC 8166, 3.4.5). */
    public void add(int position, int handle, long length, long offset) {
        if (length < 0 || length > 0xFFFF_FFFFL) {
            throw new IllegalArgumentException("a segment has 0 to 4,294,967,295 bytes, not " + length);
        }
        if (count == handles.length) {
            handles = Arrays.copyOf(handles, 2 * count);
            lengths = Arrays.copyOf(lengths, 2 * count);
            offsets = Arrays.copyOf(offsets, 2 * count);
            positions = Arrays.copyOf(positions, 2 * count);
        }
        positions[count] = position;
        handles[count] = handle;
        lengths[count] = (int) length;
        offsets[count] = offset;
        count++;
    }

    public int position(int index) {
        return positions[index];
    }

    public int handle(int index) {
        return handles[index];
    }

    public long length(int index) {
        return Integer.toUnsignedLong(lengths[index]);
    }

    public long offset(int index) {
        return offsets[index];
    }

    /** Changes the length of a segment: a responder returns how much of it was used. */
    public void setLength(int index, long length) {
        lengths[index] = (int) length;
    }

    /** The sum of all lengths; it cannot overflow, since a header holds far fewer than 2^31 segments. */
    public long totalLength() {
        long total = 0;
        for (int i = 0; i < count; i++) {
            total += length(i);
        }
        return total;
    }

    /** Makes this a copy. */
    public void set(SegmentList other) {
        clear();
        for (int i = 0; i < other.count; i++) {
            add(other.positions[i], other.handles[i], other.length(i), other.offsets[i]);
        }
    }
}
