package org.panamaverbs.softiwarp.transport;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.util.Objects;

/**
 * A batch of datagrams to one destination, made once and refilled many times. Each datagram is a header, which the caller writes into the
 * batch's own memory, and a payload, which stays in the caller's memory until it is sent. {@link DatagramPort#send} removes what the system
 * has taken. One thread at a time uses it.
 *
 * <pre>{@code
 * while (!out.isFull() && more()) {
 *     writeHeader(out.headers(), out.nextHeader());
 *     out.add(20, file, offset, length);
 * }
 * int taken = port.send(to, out);    // 0: wait for WRITABLE, then send again while !out.isEmpty()
 * }</pre>
 */
// Tested by EpollDatagramPortTest, NioDatagramPortTest.
public final class OutboundDatagrams {
    private final int capacity;
    private final int headerRoom;
    private final MemorySegment headers;
    private final int[] headerLengths;
    private final MemorySegment[] segments;
    private final long[] offsets;
    private final int[] lengths;
    private int first;
    private int end;

    /**
     * Makes an empty batch.
     *
     * @param allocator  allocates native memory that lives as long as this batch
     * @param capacity   the most datagrams; some hundreds let one system call send much
     * @param headerRoom the most bytes of a header
     */
    public OutboundDatagrams(SegmentAllocator allocator, int capacity, int headerRoom) {
        if (capacity < 1 || headerRoom < 0) {
            throw new IllegalArgumentException("a capacity of " + capacity + " datagrams with " + headerRoom + " bytes of header");
        }
        this.capacity = capacity;
        this.headerRoom = headerRoom;
        headers = allocator.allocate(Math.max(1, (long) capacity * headerRoom), Long.BYTES);
        headerLengths = new int[capacity];
        segments = new MemorySegment[capacity];
        offsets = new long[capacity];
        lengths = new int[capacity];
    }

    /** The memory of the headers. */
    public MemorySegment headers() {
        return headers;
    }

    /** The place in {@link #headers()} for the header of the next datagram; write it there, then {@link #add}. */
    public long nextHeader() {
        return headerOffset(end);
    }

    /** Adds a datagram that is a header alone. */
    public void add(int headerLength) {
        add(headerLength, headers, 0, 0);
    }

    /**
     * Adds a datagram.
     *
     * @param headerLength the bytes written at {@link #nextHeader()}
     * @param payload      memory of the caller's; must not change until the datagram is sent
     * @param offset       the place of the payload in it
     * @param length       the bytes of payload; may be 0
     * @throws IllegalStateException     if the batch is full
     * @throws IndexOutOfBoundsException if the payload is not within its memory, or the header is too long
     */
    public void add(int headerLength, MemorySegment payload, long offset, int length) {
        if (end == capacity) {
            throw new IllegalStateException("the batch has its " + capacity + " datagrams");
        }
        Objects.checkFromIndexSize(0, headerLength, headerRoom);
        Objects.checkFromIndexSize(offset, length, payload.byteSize());
        headerLengths[end] = headerLength;
        segments[end] = payload;
        offsets[end] = offset;
        lengths[end] = length;
        end++;
    }

    /** The number of datagrams that are not sent. */
    public int size() {
        return end - first;
    }

    public boolean isEmpty() {
        return end == first;
    }

    /** Whether there is no room for another datagram; there is again when all are sent, or after {@link #clear}. */
    public boolean isFull() {
        return end == capacity;
    }

    /** Removes all datagrams, and forgets their memory. */
    public void clear() {
        remove(end - first);
    }

    /** Removes the first datagrams. */
    public void remove(int count) {
        Objects.checkFromIndexSize(0, count, end - first);
        for (int i = 0; i < count; i++) {
            segments[first++] = null;
        }
        if (first == end) {
            first = 0;
            end = 0;
        }
    }

    // For the kinds of ports; an index counts from the first datagram that is not sent.

    /** The place of a header in {@link #headers()}. */
    public long header(int index) {
        return headerOffset(first + index);
    }

    /** The bytes of a header. */
    public int headerLength(int index) {
        return headerLengths[first + index];
    }

    /** The memory of a payload. */
    public MemorySegment payload(int index) {
        return segments[first + index];
    }

    /** The place of a payload in its memory. */
    public long payloadOffset(int index) {
        return offsets[first + index];
    }

    /** The bytes of a payload. */
    public int payloadLength(int index) {
        return lengths[first + index];
    }

    /** The bytes of a datagram, header and payload. */
    public long length(int index) {
        return (long) headerLengths[first + index] + lengths[first + index];
    }

    private long headerOffset(int index) {
        return (long) index * headerRoom;
    }
}
