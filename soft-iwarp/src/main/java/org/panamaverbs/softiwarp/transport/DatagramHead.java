package org.panamaverbs.softiwarp.transport;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.net.InetSocketAddress;

/**
 * The beginning of the next datagram in a port's queue: the result of {@link DatagramPort#peek}. It is made once and used many times, by
 * one thread at a time.
 */
public final class DatagramHead {
    /** Room for a raw address, as in {@link InboundDatagrams}. */
    private static final int SOURCE = 32;

    private final int size;
    private final MemorySegment memory;
    private final MemorySegment source;
    private SourceAddresses addresses;
    private int length;
    private int sourceLength;
    private boolean alone;

    /** Makes a head for the first {@code size} bytes of datagrams. */
    public DatagramHead(SegmentAllocator allocator, int size) {
        if (size < 1 || size > InboundDatagrams.WHOLE) {
            throw new IllegalArgumentException("a head of " + size + " bytes");
        }
        this.size = size;
        memory = allocator.allocate(size, Long.BYTES);
        source = allocator.allocate(SOURCE, Long.BYTES);
    }

    /** The bytes that a head has. */
    public int size() {
        return size;
    }

    /** The first bytes of the datagram; {@link #size()} of them are valid, or fewer if the datagram is shorter. */
    public MemorySegment memory() {
        return memory;
    }

    /** The length of the datagram, or of the datagrams that came in one piece. */
    public int length() {
        return length;
    }

    /** Whether the datagram came alone. If not, only {@link DatagramPort#receive} can take it, together with the others. */
    public boolean isAlone() {
        return alone;
    }

    /** Whether the datagram can be taken straight to its place: it came alone, and is longer than its head. */
    public boolean isTakeable() {
        return alone && length > size;
    }

    /** The source. Allocates nothing for a source that was seen lately. */
    public InetSocketAddress source() {
        return addresses.find(source, 0, sourceLength);
    }

    /** Memory with the source from its beginning on; see {@link InboundDatagrams#sources()}. */
    public MemorySegment rawSource() {
        return source;
    }

    /** The bytes of {@link #rawSource()}. */
    public int sourceLength() {
        return sourceLength;
    }

    /** For the kinds of ports: describes the datagram. */
    public void set(SourceAddresses from, int datagramLength, boolean isAlone, int rawLength) {
        addresses = from;
        length = datagramLength;
        alone = isAlone;
        sourceLength = Math.min(rawLength, SOURCE);
    }
}
