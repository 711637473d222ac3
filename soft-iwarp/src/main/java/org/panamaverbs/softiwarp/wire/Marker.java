package org.panamaverbs.softiwarp.wire;

import java.lang.foreign.MemorySegment;

/**
 * A Marker of MPA (RFC 5044, 4.2 and 4.3). If the receiver asks for Markers, the sender inserts one before the first FPDU and at every
 * 512th byte of the stream after that.
 *
 * <pre>
 *  0                   1                   2                   3
 *  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 * +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * |           RESERVED            |            FPDUPTR            |
 * +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * </pre>
 *
 * A Marker between two FPDUs belongs to the second one. An FPDU has a multiple of 4 bytes, so no Marker splits a CRC.
 */
public final class Marker {
    /** Size of a Marker in bytes. */
    public static final int SIZE = 4;
    /** Bytes of the stream from the start of one Marker to the start of the next. */
    public static final int INTERVAL = 512;
    /** Bytes of FPDUs between two Markers. */
    private static final int BETWEEN = INTERVAL - SIZE;

    private Marker() {
    }

    /**
     * The number of bytes of FPDUs before the next Marker.
     *
     * @param offset the number of bytes before, Markers included, since full operation began; a multiple of 4 outside of a Marker
     * @return 0 to 508; 0 if the next bytes are a Marker
     */
    public static int distance(long offset) {
        return (int) (-offset & INTERVAL - 1);
    }

    /**
     * The number of Markers in an FPDU.
     *
     * @param distance as in {@link #distance}, at the start of the FPDU
     * @param size     the size of the FPDU without Markers, in bytes
     * @return 0 or more
     */
    public static int count(int distance, int size) {
        return size > distance ? 1 + (size - distance - 1) / BETWEEN : 0;
    }

    /**
     * Spreads an FPDU, and writes its Markers into the gaps.
     *
     * @param memory   holds the FPDU without its CRC, and after it room for the Markers
     * @param at       the offset of the FPDU
     * @param length   bytes of the FPDU without its CRC
     * @param distance as in {@link #distance}, at the start of the FPDU
     * @param count    as in {@link #count}
     */
    public static void insert(MemorySegment memory, int at, int length, int distance, int count) {
        // The FPDUPTR of the other Markers does not count the Marker before the length field.
        int first = distance == 0 ? SIZE : 0;
        int end = length;
        for (int i = count - 1; i >= 0; i--) {
            int from = distance + i * BETWEEN;
            int marker = distance + i * INTERVAL;
            MemorySegment.copy(memory, at + from, memory, at + marker + SIZE, end - from);
            put(memory, at + marker, Math.max(0, marker - first));
            end = from;
        }
    }

    /** Writes a Marker; {@code pointer} is the FPDUPTR: the number of bytes since the length field of the FPDU that contains it. */
    static void put(MemorySegment memory, long at, int pointer) {
        memory.set(NetworkOrder.INT, at, pointer);
    }
}
