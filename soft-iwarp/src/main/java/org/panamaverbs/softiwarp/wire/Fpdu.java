package org.panamaverbs.softiwarp.wire;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The frame of MPA: a Framed PDU (RFC 5044, 4.1), without its {@link Marker}s.
 *
 * <pre>
 *  0                   1                   2                   3
 *  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 * +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * |          ULPDU Length         |                               |
 * +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+                               +
 * ~                        ULPDU (a DDP segment)                  ~
 * |                               +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * |                               |     PAD (0-3 octets)          |
 * +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * |                             CRC                               |
 * +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * </pre>
 *
 * The length counts the ULPDU alone: not the length field, the padding or the CRC. The CRC-32C covers everything before it and is stored
 * in little-endian order: the CRC of 32 zero bytes is aa 36 91 8a on the wire (RFC 3720, B.4).
 */
public final class Fpdu {
    /** Size of the length field in bytes. */
    public static final int LENGTH_SIZE = 2;
    /** Size of the CRC field in bytes. */
    public static final int CRC_SIZE = 4;
    /** The most padding, in bytes. */
    public static final int MAXIMUM_PAD = 3;
    /** The least MULPDU in bytes, however short the TCP segments of the path are (RFC 5044, 4.5). */
    public static final int MINIMUM_MULPDU = 128;
    /** The longest ULPDU that a sender may make, in bytes (RFC 5044, 3). A receiver accepts every length that fits the field. */
    public static final int MAXIMUM_ULPDU = 64_768;

    private static final ValueLayout.OfInt CRC = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private Fpdu() {
    }

    /** The length of the ULPDU in bytes; {@code at} is the offset of the frame. */
    public static int length(MemorySegment frame, long at) {
        return Short.toUnsignedInt(frame.get(NetworkOrder.SHORT, at));
    }

    /** Sets the length of the ULPDU in bytes; {@code at} is the offset of the frame. */
    public static void length(MemorySegment frame, long at, int length) {
        frame.set(NetworkOrder.SHORT, at, (short) length);
    }

    /** The padding after a ULPDU in bytes, 0 to 3: it fills the length field and the ULPDU up to a multiple of 4. */
    public static int pad(int ulpduLength) {
        return -(LENGTH_SIZE + ulpduLength) & MAXIMUM_PAD;
    }

    /** The size in bytes of the frame that carries a ULPDU of this length. */
    public static int size(int ulpduLength) {
        return LENGTH_SIZE + ulpduLength + pad(ulpduLength) + CRC_SIZE;
    }

    /**
     * The longest ULPDU whose FPDU fits into one TCP segment (RFC 5044, 4.5).
     *
     * @param segmentSize the payload of the largest TCP segment, in bytes (EMSS)
     * @param markers     whether FPDUs contain Markers
     * @return bytes, 128 to 64,768
     */
    public static int mulpdu(int segmentSize, boolean markers) {
        int forMarkers = markers ? Marker.SIZE * Math.ceilDiv(segmentSize, Marker.INTERVAL) : 0;
        return Math.clamp(segmentSize - (LENGTH_SIZE + CRC_SIZE + forMarkers + segmentSize % 4), MINIMUM_MULPDU, MAXIMUM_ULPDU);
    }

    /** The CRC; {@code at} is the offset of the field. */
    public static int crc(MemorySegment frame, long at) {
        return frame.get(CRC, at);
    }

    /** Sets the CRC; {@code at} is the offset of the field. */
    public static void crc(MemorySegment frame, long at, int crc) {
        frame.set(CRC, at, crc);
    }
}
