package org.panamaverbs.softiwarp.wire;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The payload of a Terminate (RFC 5040, 4.8).
 *
 * <pre>
 * | Layer 4 | EType 4 | Error Code 8 | M D R | Reserved 13 | [ DDP Segment Length 16 | [ DDP header | [ RDMA header ] ] ]
 * </pre>
 *
 * The Linux siw driver uses C bit-fields: on little-endian machines it swaps the nibbles of layer and type and sends M, D and R in the low
 * bits of their byte. We send the RFC's form; {@link #error} accepts both forms and tells them apart by M, D and R. If none of these bits
 * is set, the form is siw's if only that reading names an error, and the RFC's in all other cases, for example 20 05, which names an error
 * in both readings.
 */
public final class Terminate {
    /** Size of the fixed part in bytes. */
    public static final int SIZE = 4;
    /** The size in bytes of one that repeats an untagged DDP header. */
    public static final int SIZE_WITH_DDP_HEADER = SIZE + 2 + Ddp.UNTAGGED_SIZE;
    /** The largest size in bytes: fixed part, segment length, untagged DDP header, Read Request. */
    public static final int MAXIMUM_SIZE = SIZE_WITH_DDP_HEADER + ReadRequest.SIZE;

    /** M: the DDP segment length follows. */
    public static final int SEGMENT_LENGTH = 0x80;
    /** D: the DDP header follows. */
    public static final int DDP_HEADER = 0x40;
    /** R: the RDMA header follows. */
    public static final int RDMA_HEADER = 0x20;

    /** M, D and R in siw's form. */
    private static final int SWAPPED_HEADERS = 0x07;
    private static final int SWAPPED_DDP_HEADER = 0x02;
    private static final int SWAPPED_RDMA_HEADER = 0x04;

    private static final int LAYER_TYPE_AT = 0;
    private static final int CODE_AT = 1;
    private static final int HEADERS_AT = 2;
    private static final int RESERVED_AT = 3;
    private static final int SEGMENT_LENGTH_AT = 4;
    private static final int DDP_HEADER_AT = 6;

    private Terminate() {
    }

    /** Writes the fixed part; {@code error} is one of {@link TerminateCode}, {@code headers} are M, D and R. */
    public static void put(MemorySegment header, long at, int error, int headers) {
        header.set(ValueLayout.JAVA_BYTE, at + LAYER_TYPE_AT, (byte) (error >>> 8));
        header.set(ValueLayout.JAVA_BYTE, at + CODE_AT, (byte) error);
        header.set(ValueLayout.JAVA_BYTE, at + HEADERS_AT, (byte) headers);
        header.set(ValueLayout.JAVA_BYTE, at + RESERVED_AT, (byte) 0);
    }

    /** Writes the length in bytes of the segment that caused the Terminate. */
    public static void segmentLength(MemorySegment header, long at, int length) {
        header.set(NetworkOrder.SHORT, at + SEGMENT_LENGTH_AT, (short) length);
    }

    /** The offset of the DDP header of the segment that caused the Terminate. */
    public static long ddpHeaderAt(long at) {
        return at + DDP_HEADER_AT;
    }

    /** Whether a DDP header follows the fixed part; accepts both forms. */
    public static boolean hasDdpHeader(MemorySegment header, long at) {
        return (headers(header, at) & (DDP_HEADER | SWAPPED_DDP_HEADER)) != 0;
    }

    /** Whether a Read Request follows the DDP header; accepts both forms. */
    public static boolean hasRdmaHeader(MemorySegment header, long at) {
        return (headers(header, at) & (RDMA_HEADER | SWAPPED_RDMA_HEADER)) != 0;
    }

    private static int headers(MemorySegment header, long at) {
        return Byte.toUnsignedInt(header.get(ValueLayout.JAVA_BYTE, at + HEADERS_AT));
    }

    /** The error: layer, type and code as {@code 0xLTCC}; accepts both forms. */
    public static int error(MemorySegment header, long at) {
        int layerType = Byte.toUnsignedInt(header.get(ValueLayout.JAVA_BYTE, at + LAYER_TYPE_AT));
        int code = Byte.toUnsignedInt(header.get(ValueLayout.JAVA_BYTE, at + CODE_AT));
        int headers = headers(header, at);
        int error = layerType << 8 | code;
        if ((headers & (SEGMENT_LENGTH | DDP_HEADER | RDMA_HEADER)) != 0) {
            return error;
        }
        int swapped = ((layerType & 0x0F) << 4 | layerType >>> 4) << 8 | code;
        boolean isSwapped = (headers & SWAPPED_HEADERS) != 0 || !TerminateCode.isDefined(error) && TerminateCode.isDefined(swapped);
        return isSwapped ? swapped : error;
    }
}
