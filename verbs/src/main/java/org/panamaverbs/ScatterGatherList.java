package org.panamaverbs;

import java.util.Objects;

/**
 * Parts of regions that make up one message, in order ({@code ibv_sge}s). Made once, filled again and again; it belongs to one thread at
 * a time and is copied when a request is posted.
 */
public final class ScatterGatherList {
    private final MemoryRegion[] regions;
    private final long[] offsets;
    private final long[] lengths;
    private int size;
    private long total;

    /**
     * Makes an empty list.
     *
     * @param capacity the most elements, 1 or more
     */
    public ScatterGatherList(int capacity) {
        if (capacity < 1) {
            throw new IllegalArgumentException("a list needs room for 1 element or more, not " + capacity);
        }
        regions = new MemoryRegion[capacity];
        offsets = new long[capacity];
        lengths = new long[capacity];
    }

    /**
     * Empties it.
     *
     * @return this
     */
    public ScatterGatherList clear() {
        size = 0;
        total = 0;
        return this;
    }

    /**
     * Appends a part of a region.
     *
     * @param region the region
     * @param offset the start of the part, from the region's start
     * @param length how long it is; 0 is allowed
     * @return this
     * @throws IndexOutOfBoundsException if the part is not within the region
     * @throws IllegalStateException     if the list is full
     */
    public ScatterGatherList add(MemoryRegion region, long offset, long length) {
        Objects.checkFromIndexSize(offset, length, region.length());
        if (size == regions.length) {
            throw new IllegalStateException("the list is full: it was made for " + size + " elements");
        }
        regions[size] = region;
        offsets[size] = offset;
        lengths[size] = length;
        size++;
        total += length;
        return this;
    }

    /** {@return how many elements it has; 0 to its capacity} */
    public int size() {
        return size;
    }

    /** {@return how long the message is; the sum of the lengths, in bytes} */
    public long totalLength() {
        return total;
    }

    /**
     * The region of an element.
     *
     * @param index 0 to {@link #size()} - 1
     * @return the region
     */
    public MemoryRegion region(int index) {
        return regions[Objects.checkIndex(index, size)];
    }

    /**
     * The offset of an element.
     *
     * @param index 0 to {@link #size()} - 1
     * @return bytes from the region's start
     */
    public long offset(int index) {
        return offsets[Objects.checkIndex(index, size)];
    }

    /**
     * The length of an element.
     *
     * @param index 0 to {@link #size()} - 1
     * @return bytes
     */
    public long length(int index) {
        return lengths[Objects.checkIndex(index, size)];
    }
}
