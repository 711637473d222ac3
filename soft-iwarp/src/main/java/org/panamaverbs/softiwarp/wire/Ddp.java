package org.panamaverbs.softiwarp.wire;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The two headers of a DDP segment (RFC 5041, 4). Offsets count from the DDP control field.
 *
 * <pre>
 * tagged:    |T|L| Rsvd  | DV|   RsvdULP 8   |        STag 32        |        TO 64        |
 * untagged:  |T|L| Rsvd  | DV|   RsvdULP 8   |    RsvdULP 32   |   QN 32   |   MSN 32   |   MO 32   |
 * </pre>
 */
public final class Ddp {
    /** T: the segment is for a tagged buffer. */
    public static final int TAGGED = 0x80;
    /** L: the segment is the last of its message. */
    public static final int LAST = 0x40;
    /** Mask of the version. */
    public static final int VERSION_MASK = 0x03;
    /** The version of RFC 5041. */
    public static final int VERSION = 1;

    /** Size of a tagged header in bytes. */
    public static final int TAGGED_SIZE = 14;
    /** Size of an untagged header in bytes. */
    public static final int UNTAGGED_SIZE = 18;
    /** Size of the part that both headers begin with, in bytes: the control field and the first ULP byte. */
    public static final int CONTROL_SIZE = 2;

    private static final int CONTROL_AT = 0;
    private static final int ULP_AT = 1;
    private static final int STAG_AT = 2;
    private static final int TO_AT = 6;
    private static final int ULP_WORD_AT = 2;
    private static final int QN_AT = 6;
    private static final int MSN_AT = 10;
    private static final int MO_AT = 14;

    private Ddp() {
    }

    /** T, L, reserved bits and version. */
    public static int control(MemorySegment header, long at) {
        return Byte.toUnsignedInt(header.get(ValueLayout.JAVA_BYTE, at + CONTROL_AT));
    }

    /** The ULP's first byte: RDMAP's control field. */
    public static int ulp(MemorySegment header, long at) {
        return Byte.toUnsignedInt(header.get(ValueLayout.JAVA_BYTE, at + ULP_AT));
    }

    /** Whether the T bit of a control field is set. */
    public static boolean isTagged(int control) {
        return (control & TAGGED) != 0;
    }

    /** Whether the L bit of a control field is set. */
    public static boolean isLast(int control) {
        return (control & LAST) != 0;
    }

    /** The version in a control field: 0 to 3. */
    public static int version(int control) {
        return control & VERSION_MASK;
    }

    /** The size in bytes of the header that begins with this control field. */
    public static int size(int control) {
        return isTagged(control) ? TAGGED_SIZE : UNTAGGED_SIZE;
    }

    /** Writes a tagged header. */
    public static void putTagged(MemorySegment header, long at, boolean last, int ulp, int stag, long offset) {
        header.set(NetworkOrder.LONG, at + CONTROL_AT, start(TAGGED | (last ? LAST : 0) | VERSION, ulp, stag));
        header.set(NetworkOrder.LONG, at + TO_AT, offset);
    }

    /** Writes an untagged header. */
    public static void putUntagged(MemorySegment header, long at, boolean last, int ulp, int ulpWord, int queue, int msn, int offset) {
        header.set(NetworkOrder.LONG, at + CONTROL_AT, start((last ? LAST : 0) | VERSION, ulp, ulpWord));
        header.set(NetworkOrder.LONG, at + QN_AT, (long) queue << Integer.SIZE | Integer.toUnsignedLong(msn));
        header.set(NetworkOrder.INT, at + MO_AT, offset);
    }

    /** The first 8 bytes of a header. The last two are part of the next field, which is written afterwards: one store takes less time. */
    private static long start(int control, int ulp, int word) {
        return (long) control << 56 | (ulp & 0xFFL) << 48 | Integer.toUnsignedLong(word) << 16;
    }

    /** The Steering Tag of a tagged header. */
    public static int stag(MemorySegment header, long at) {
        return header.get(NetworkOrder.INT, at + STAG_AT);
    }

    /** The Tagged Offset of a tagged header, unsigned. */
    public static long taggedOffset(MemorySegment header, long at) {
        return header.get(NetworkOrder.LONG, at + TO_AT);
    }

    /** The ULP's further 32 bits of an untagged header. */
    public static int ulpWord(MemorySegment header, long at) {
        return header.get(NetworkOrder.INT, at + ULP_WORD_AT);
    }

    /** The Queue Number of an untagged header, unsigned. */
    public static int queueNumber(MemorySegment header, long at) {
        return header.get(NetworkOrder.INT, at + QN_AT);
    }

    /** The Message Sequence Number of an untagged header. */
    public static int messageSequence(MemorySegment header, long at) {
        return header.get(NetworkOrder.INT, at + MSN_AT);
    }

    /** The Message Offset of an untagged header, unsigned. */
    public static int messageOffset(MemorySegment header, long at) {
        return header.get(NetworkOrder.INT, at + MO_AT);
    }
}
