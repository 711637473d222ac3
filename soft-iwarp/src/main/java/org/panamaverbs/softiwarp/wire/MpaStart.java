package org.panamaverbs.softiwarp.wire;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;

/**
 * The frames that start MPA: Request and Reply (RFC 5044, 7.1.1; RFC 6581, 6).
 *
 * <pre>
 *  0                   1                   2                   3
 *  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 * +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * |      Key (16 bytes: "MPA ID Req Frame", "MPA ID Rep Frame")   |
 * +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * |M|C|R|S|  Res  |     Rev       |          PD_Length            |
 * +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * ~                         Private Data                          ~
 * </pre>
 *
 * With S, the private data begins with the IRD and ORD (RFC 6581, 9):
 *
 * <pre>
 * +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * |A|B|            IRD            |C|D|            ORD            |
 * +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * </pre>
 */
public final class MpaStart {
    /** Size of the frame without private data, in bytes. */
    public static final int SIZE = 20;
    /** Size of the key in bytes. */
    public static final int KEY_SIZE = 16;
    /** The most private data in bytes, the IRD and ORD included (RFC 5044, 7.1.1). */
    public static final int MAXIMUM_PRIVATE_DATA = 512;
    /** Size of the IRD and ORD in bytes. */
    public static final int ENHANCED_SIZE = 4;

    /** M: the sender of this frame wants to receive Markers. */
    public static final int MARKERS = 0x80;
    /** C: the sender of this frame wants CRCs. */
    public static final int CRC = 0x40;
    /** R, in a Reply: the connection is rejected. */
    public static final int REJECTED = 0x20;
    /** S: the private data begins with the IRD and ORD. Reserved before {@link #ENHANCED_REVISION}. */
    public static final int ENHANCED = 0x10;
    /** The first revision of MPA that has S (RFC 6581, 6). */
    public static final int ENHANCED_REVISION = 2;

    /** A, in the word of the IRD: the peer-to-peer model, in which the initiator sends a ready-to-receive indication. */
    public static final int PEER_TO_PEER = 0x8000;
    /** B, in the word of the IRD: a zero-length Send can be the ready-to-receive indication. */
    public static final int RTR_SEND = 0x4000;
    /** C, in the word of the ORD: a zero-length Write can be the ready-to-receive indication. */
    public static final int RTR_WRITE = 0x8000;
    /** D, in the word of the ORD: a zero-length Read can be the ready-to-receive indication. */
    public static final int RTR_READ = 0x4000;
    /** Mask of a depth; the value with all bits set means that the depth is not negotiated (RFC 6581, 9.1). */
    public static final int DEPTH = 0x3FFF;

    private static final byte[] REQUEST_KEY = "MPA ID Req Frame".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] REPLY_KEY = "MPA ID Rep Frame".getBytes(StandardCharsets.US_ASCII);

    private static final int FLAGS_AT = 16;
    private static final int REVISION_AT = 17;
    private static final int PRIVATE_LENGTH_AT = 18;
    private static final int IRD_AT = 20;
    private static final int ORD_AT = 22;

    private MpaStart() {
    }

    /** A copy of the key of a Request or a Reply. */
    public static byte[] key(boolean request) {
        return (request ? REQUEST_KEY : REPLY_KEY).clone();
    }

    /**
     * Compares the start of a frame with the key.
     *
     * @param length bytes of the frame that have come, 0 or more
     * @return {@code length} if they agree with the key; else how many bytes agree before the first that differs
     */
    public static int matches(MemorySegment frame, long at, int length, boolean request) {
        byte[] key = request ? REQUEST_KEY : REPLY_KEY;
        int limit = Math.min(length, KEY_SIZE);
        for (int i = 0; i < limit; i++) {
            if (frame.get(ValueLayout.JAVA_BYTE, at + i) != key[i]) {
                return i;
            }
        }
        return length;
    }

    /** Writes the frame without its private data. */
    public static void put(MemorySegment frame, long at, boolean request, int flags, int revision, int privateLength) {
        MemorySegment.copy(request ? REQUEST_KEY : REPLY_KEY, 0, frame, ValueLayout.JAVA_BYTE, at, KEY_SIZE);
        frame.set(ValueLayout.JAVA_BYTE, at + FLAGS_AT, (byte) flags);
        frame.set(ValueLayout.JAVA_BYTE, at + REVISION_AT, (byte) revision);
        frame.set(NetworkOrder.SHORT, at + PRIVATE_LENGTH_AT, (short) privateLength);
    }

    /** M, C, R, S and the reserved bits. */
    public static int flags(MemorySegment frame, long at) {
        return Byte.toUnsignedInt(frame.get(ValueLayout.JAVA_BYTE, at + FLAGS_AT));
    }

    /** The revision of MPA. */
    public static int revision(MemorySegment frame, long at) {
        return Byte.toUnsignedInt(frame.get(ValueLayout.JAVA_BYTE, at + REVISION_AT));
    }

    /** The length of the private data in bytes, the IRD and ORD included. */
    public static int privateLength(MemorySegment frame, long at) {
        return Short.toUnsignedInt(frame.get(NetworkOrder.SHORT, at + PRIVATE_LENGTH_AT));
    }

    /** The word that holds A, B and the IRD. */
    public static int ird(MemorySegment frame, long at) {
        return Short.toUnsignedInt(frame.get(NetworkOrder.SHORT, at + IRD_AT));
    }

    /** The word that holds C, D and the ORD. */
    public static int ord(MemorySegment frame, long at) {
        return Short.toUnsignedInt(frame.get(NetworkOrder.SHORT, at + ORD_AT));
    }

    /** Writes both words. */
    public static void depths(MemorySegment frame, long at, int ird, int ord) {
        frame.set(NetworkOrder.SHORT, at + IRD_AT, (short) ird);
        frame.set(NetworkOrder.SHORT, at + ORD_AT, (short) ord);
    }
}
