package org.panamaverbs.softiwarp.wire;

import java.lang.foreign.MemorySegment;

/**
 * The payload of an RDMA Read Request (RFC 5040, 4.4).
 *
 * <pre>
 * | SinkSTag 32 | SinkTO 64 | RDMARDSZ 32 | SrcSTag 32 | SrcTO 64 |
 * </pre>
 */
public final class ReadRequest {
    /** Its size in bytes. */
    public static final int SIZE = 28;

    private static final int SINK_STAG_AT = 0;
    private static final int SINK_TO_AT = 4;
    private static final int LENGTH_AT = 12;
    private static final int SOURCE_STAG_AT = 16;
    private static final int SOURCE_TO_AT = 20;

    private ReadRequest() {
    }

    /** Writes a Read Request; {@code length} is the unsigned number of bytes to read. */
    public static void put(MemorySegment header, long at, int sinkStag, long sinkOffset, int length, int sourceStag, long sourceOffset) {
        header.set(NetworkOrder.INT, at + SINK_STAG_AT, sinkStag);
        header.set(NetworkOrder.LONG, at + SINK_TO_AT, sinkOffset);
        header.set(NetworkOrder.INT, at + LENGTH_AT, length);
        header.set(NetworkOrder.INT, at + SOURCE_STAG_AT, sourceStag);
        header.set(NetworkOrder.LONG, at + SOURCE_TO_AT, sourceOffset);
    }

    /** The STag of the buffer that receives the bytes. */
    public static int sinkStag(MemorySegment header, long at) {
        return header.get(NetworkOrder.INT, at + SINK_STAG_AT);
    }

    /** The Tagged Offset of the first byte in the receiving buffer, unsigned. */
    public static long sinkOffset(MemorySegment header, long at) {
        return header.get(NetworkOrder.LONG, at + SINK_TO_AT);
    }

    /** The number of bytes to read: 0 to 2^32 - 1. */
    public static long length(MemorySegment header, long at) {
        return Integer.toUnsignedLong(header.get(NetworkOrder.INT, at + LENGTH_AT));
    }

    /** The STag of the buffer that is read. */
    public static int sourceStag(MemorySegment header, long at) {
        return header.get(NetworkOrder.INT, at + SOURCE_STAG_AT);
    }

    /** The Tagged Offset of the first byte in the buffer that is read, unsigned. */
    public static long sourceOffset(MemorySegment header, long at) {
        return header.get(NetworkOrder.LONG, at + SOURCE_TO_AT);
    }
}
