package org.panamaverbs.spi;

import java.util.Arrays;
import org.panamaverbs.MemoryRegion;

/**
 * A request for a send queue or a receive queue: a number, flags, and memory of this side. {@link AbstractQueuePair} has
 * checked a request before a provider reads it. A provider keeps no reference to it, and calls nothing that changes it: the program does, by
 * the object that describes its next request.
 */
// Tested by RequestContract, PostingContract, SendReceiveContract.
public abstract sealed class WorkRequest permits SendWorkRequest, ReceiveWorkRequest {
    /** Flag: another request follows at once. */
    public static final int MORE = 1 << 16;

    private static final int FEW = 4;

    private long id;
    private int flags;
    private AbstractMemoryRegion[] regions = new AbstractMemoryRegion[FEW];
    private long[] offsets = new long[FEW];
    private long[] lengths = new long[FEW];
    private int elements;
    private long totalLength;

    WorkRequest() {
        // Nothing to do.
    }

    final void begin(long number) {
        id = number;
        flags = 0;
        elements = 0;
        totalLength = 0;
    }

    /**
     * Adds flags.
     *
     * @param more of those of the class
     */
    public final void flag(int more) {
        flags |= more;
    }

    final void append(MemoryRegion region, long offset, long length) {
        if (!(region instanceof AbstractMemoryRegion values)) {
            throw new IllegalArgumentException(region + " is no region of a provider: register the memory with a ProtectionDomain");
        }
        if (elements == regions.length) {
            regions = Arrays.copyOf(regions, 2 * elements);
            offsets = Arrays.copyOf(offsets, 2 * elements);
            lengths = Arrays.copyOf(lengths, 2 * elements);
        }
        // A reference that is written costs the collector more than one that is read: so for all references of requests.
        if (regions[elements] != values) {
            regions[elements] = values;
        }
        offsets[elements] = offset;
        lengths[elements] = length;
        elements++;
        totalLength += length;
    }

    /** {@return its number, which its completion repeats} */
    public final long id() {
        return id;
    }

    /** {@return its flags: bits of the class} */
    public final int flags() {
        return flags;
    }

    /** {@return the number of elements that its memory has, 0 or more} */
    public final int elements() {
        return elements;
    }

    /**
     * The region of an element.
     *
     * @param index 0 to {@link #elements()} - 1
     * @return a region of the queue's domain
     */
    public final AbstractMemoryRegion region(int index) {
        return regions[index];
    }

    /**
     * The start of an element.
     *
     * @param index 0 to {@link #elements()} - 1
     * @return bytes from the start of its region
     */
    public final long offset(int index) {
        return offsets[index];
    }

    /**
     * The length of an element.
     *
     * @param index 0 to {@link #elements()} - 1
     * @return bytes; the element is within its region
     */
    public final long length(int index) {
        return lengths[index];
    }

    /** {@return the sum of the lengths in bytes: the length of the message, of the window, or of an atomic} */
    public final long totalLength() {
        return totalLength;
    }
}
