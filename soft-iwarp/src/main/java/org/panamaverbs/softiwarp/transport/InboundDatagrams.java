package org.panamaverbs.softiwarp.transport;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.net.InetSocketAddress;

/**
 * A batch of received datagrams, and the memory that holds them. It is made once; each {@link DatagramPort#receive} replaces its content.
 * The system fills one slot with one datagram or with several of the same source that came in one piece (GRO); here each is a datagram of
 * its own. One thread at a time uses it.
 */
// Tested by EpollDatagramPortTest, NioDatagramPortTest.
public final class InboundDatagrams {
    /** Bytes of a slot that holds every datagram, and all that come in one piece. */
    public static final int WHOLE = 65_536;

    /** The most datagrams that a slot presents. Linux puts at most 64 into one piece, or 128 from a sender on the same machine. */
    private static final int PIECES = 128;
    /** Room for a raw address: a {@code struct sockaddr_in6} has 28 bytes. */
    private static final int SOURCE = 32;
    private static final int CACHE_LINE = 64;

    private final int slots;
    private final int slotSize;
    private final int stride;
    private final MemorySegment memory;
    private final MemorySegment sources;
    private final int[] sourceLengths;
    private final int[] slotOf;
    private final int[] offsets;
    private final int[] lengths;
    private SourceAddresses addresses;
    private int used;
    private int size;
    private long bytes;
    private long truncated;

    /**
     * Makes an empty batch.
     *
     * @param allocator allocates native memory that lives as long as this batch
     * @param slots    the most pieces that one call receives
     * @param slotSize bytes of a slot; {@link #WHOLE} truncates nothing
     */
    public InboundDatagrams(SegmentAllocator allocator, int slots, int slotSize) {
        if (slots < 1 || slots > 1024 || slotSize < 1 || slotSize > WHOLE) {
            throw new IllegalArgumentException("1 to 1024 slots of 1 to " + WHOLE + " bytes, not " + slots + " of " + slotSize);
        }
        this.slots = slots;
        this.slotSize = slotSize;
        // One byte more than asked for shows a system that does not mark truncated datagrams that there was more.
        stride = (slotSize / CACHE_LINE + 1) * CACHE_LINE;
        memory = allocator.allocate((long) slots * stride, CACHE_LINE);
        sources = allocator.allocate((long) slots * SOURCE, CACHE_LINE);
        sourceLengths = new int[slots];
        slotOf = new int[slots * PIECES];
        offsets = new int[slots * PIECES];
        lengths = new int[slots * PIECES];
    }

    /** The number of datagrams. */
    public int size() {
        return size;
    }

    /** Whether a slot was left free: then the port had no more datagrams, and reports an event when another comes. */
    public boolean hasFreeSlot() {
        return used < slots;
    }

    /** The memory of all datagrams. */
    public MemorySegment memory() {
        return memory;
    }

    /** The place of a datagram in {@link #memory()}. */
    public int offset(int index) {
        return offsets[index];
    }

    /** The bytes of a datagram; may be 0. */
    public int length(int index) {
        return lengths[index];
    }

    /** The source of a datagram. Allocates nothing for a source that was seen lately. */
    public InetSocketAddress source(int index) {
        return addresses.find(sources, sourceOffset(index), sourceLength(index));
    }

    /**
     * Memory with the sources of all datagrams, each in the form of the kind of port. Two datagrams on one port have the same source if,
     * and only if, these bytes are the same.
     */
    public MemorySegment sources() {
        return sources;
    }

    /** The place of a datagram's source in {@link #sources()}. */
    public long sourceOffset(int index) {
        return (long) slotOf[index] * SOURCE;
    }

    /** The bytes of a datagram's source. */
    public int sourceLength(int index) {
        return sourceLengths[slotOf[index]];
    }

    /** The mean length of the datagrams in bytes, or 0 if there is none. */
    public int meanLength() {
        return size == 0 ? 0 : (int) (bytes / size);
    }

    /** The number of datagrams that did not fit into a slot, since this batch was made. */
    public long truncated() {
        return truncated;
    }

    // For the kinds of ports:

    /** Empties the batch. The port's cache of addresses serves its sources. */
    public void begin(SourceAddresses from) {
        addresses = from;
        used = 0;
        size = 0;
        bytes = 0;
    }

    /** The number of slots. */
    public int slots() {
        return slots;
    }

    /** Bytes of a slot; at least one more byte follows each. */
    public int slotSize() {
        return slotSize;
    }

    /** The place of a slot in {@link #memory()}. */
    public int slotOffset(int slot) {
        return slot * stride;
    }

    /** The place of a slot's source in {@link #sources()}. */
    public long slotSource(int slot) {
        return (long) slot * SOURCE;
    }

    /** Room for a source in bytes. */
    public int sourceRoom() {
        return SOURCE;
    }

    /**
     * Presents what the system has put into the next slot.
     *
     * @param received     the bytes that came, which may be more than the slot has
     * @param piece        the bytes of each datagram in it but the last, which may have fewer
     * @param sourceLength the bytes of the source
     */
    public void present(int received, int piece, int sourceLength) {
        int slot = used++;
        sourceLengths[slot] = Math.min(sourceLength, SOURCE);
        if (received == 0) {
            add(slot, 0, 0);
            return;
        }
        int whole = Math.max(1, piece);
        int pieces = 0;
        for (int at = 0; at < received; at += whole) {
            int length = Math.min(whole, received - at);
            if (length > slotSize - at || pieces == PIECES) {
                // The rest of the slot's datagrams are lost as well.
                truncated += (received - at + whole - 1) / whole;
                return;
            }
            add(slot, at, length);
            pieces++;
        }
    }

    private void add(int slot, int at, int length) {
        slotOf[size] = slot;
        offsets[size] = slotOffset(slot) + at;
        lengths[size] = length;
        bytes += length;
        size++;
    }
}
