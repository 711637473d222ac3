package org.panamaverbs.ddp.ddpp;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.panamaverbs.softiwarp.wire.NetworkOrder;

/**
 * The header of a DDPP message (draft-bailey-roi-ddpp-core-00, 2.2, in the mapping of this project), and what stands around it on a byte
 * stream. An undecorated message has the first four octets alone.
 *
 * <pre>
 *  0                   1                   2                   3
 *  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 * |    Version    |O|    Kind     |        Sequence number        |
 * |N|                     Message identifier                      |
 * |                             STag                              |
 * |                           Offset 64                           |
 * </pre>
 */
public final class Ddpp {
    /** The version of this mapping. */
    public static final int VERSION = 1;
    /** The kind of a decorated message. */
    public static final int DECORATED = 1;
    /** The kind of an undecorated message. */
    public static final int UNDECORATED = 2;
    /** O: the message carries a sequence number. */
    public static final int ORDERED = 0x80;
    /** The most that a message identifier can be: 31 bits. */
    public static final int MOST_IDENTIFIER = Integer.MAX_VALUE;

    /** Size of the header of an undecorated message in bytes. */
    public static final int UNDECORATED_SIZE = 4;
    /** Size of the header of a decorated message in bytes. */
    public static final int DECORATED_SIZE = 20;

    /** On a byte stream each side begins with these octets: {@code DDPP/1} CR LF. */
    public static final long PREAMBLE = 0x444450502F310D0AL;
    /** Size of the preamble in bytes. */
    public static final int PREAMBLE_SIZE = 8;
    /** Size of the length before each message of a byte stream, in bytes. */
    public static final int LENGTH_SIZE = 4;
    /** The shortest message of a byte stream, header included. */
    public static final int LEAST_LENGTH = UNDECORATED_SIZE;
    /** The longest message of a byte stream, header included. */
    public static final int MOST_LENGTH = 1 << 24;

    private static final int KIND_MASK = 0x7F;
    private static final int NOTIFY = 1 << 31;
    private static final int VERSION_AT = 0;
    private static final int KIND_AT = 1;
    private static final int SEQUENCE_AT = 2;
    private static final int NOTIFICATION_AT = 4;
    private static final int STAG_AT = 8;
    private static final int OFFSET_AT = 12;

    private Ddpp() {
    }

    /** The version. */
    public static int version(MemorySegment header, long at) {
        return Byte.toUnsignedInt(header.get(ValueLayout.JAVA_BYTE, at + VERSION_AT));
    }

    /** The kind, without the ordered bit: 0 to 127. */
    public static int kind(MemorySegment header, long at) {
        return header.get(ValueLayout.JAVA_BYTE, at + KIND_AT) & KIND_MASK;
    }

    /** Whether the message carries a sequence number. */
    public static boolean isOrdered(MemorySegment header, long at) {
        return (header.get(ValueLayout.JAVA_BYTE, at + KIND_AT) & ORDERED) != 0;
    }

    /** The sequence number, 0 to 65,535; without meaning unless the message is ordered. */
    public static int sequence(MemorySegment header, long at) {
        return Short.toUnsignedInt(header.get(NetworkOrder.SHORT, at + SEQUENCE_AT));
    }

    /** N: whether a decorated message asks for a reception indication. */
    public static boolean isNotifying(MemorySegment header, long at) {
        return (header.get(NetworkOrder.INT, at + NOTIFICATION_AT) & NOTIFY) != 0;
    }

    /** The message identifier of a decorated message, 31 bits; without meaning unless N is set. */
    public static int identifier(MemorySegment header, long at) {
        return header.get(NetworkOrder.INT, at + NOTIFICATION_AT) & ~NOTIFY;
    }

    /** The Steering Tag of a decorated message. */
    public static int stag(MemorySegment header, long at) {
        return header.get(NetworkOrder.INT, at + STAG_AT);
    }

    /** The offset of a decorated message in its buffer, unsigned. */
    public static long offset(MemorySegment header, long at) {
        return header.get(NetworkOrder.LONG, at + OFFSET_AT);
    }

    /** Writes the header of a message without a sequence number, as far as an undecorated one has it. */
    public static void putStart(MemorySegment header, long at, int kind) {
        putStart(header, at, kind, 0);
    }

    /** Writes the header of a message with a sequence number, of which the low 16 bits count, as far as an undecorated one has it. */
    public static void putOrderedStart(MemorySegment header, long at, int kind, int sequence) {
        putStart(header, at, kind | ORDERED, sequence);
    }

    private static void putStart(MemorySegment header, long at, int octet, int sequence) {
        header.set(ValueLayout.JAVA_BYTE, at + VERSION_AT, (byte) VERSION);
        header.set(ValueLayout.JAVA_BYTE, at + KIND_AT, (byte) octet);
        header.set(NetworkOrder.SHORT, at + SEQUENCE_AT, (short) sequence);
    }

    /** Writes the decoration behind the start of the header of a decorated message. */
    public static void putDecoration(MemorySegment header, long at, boolean notifying, int identifier, int stag, long offset) {
        header.set(NetworkOrder.INT, at + NOTIFICATION_AT, identifier & ~NOTIFY | (notifying ? NOTIFY : 0));
        header.set(NetworkOrder.INT, at + STAG_AT, stag);
        header.set(NetworkOrder.LONG, at + OFFSET_AT, offset);
    }

    /** Writes the preamble of a byte stream. */
    public static void putPreamble(MemorySegment stream, long at) {
        stream.set(NetworkOrder.LONG, at, PREAMBLE);
    }

    /** An octet of the preamble. */
    public static byte preamble(int index) {
        return (byte) (PREAMBLE >>> Byte.SIZE * (PREAMBLE_SIZE - 1 - index));
    }

    /** The length before a message of a byte stream, unsigned. */
    public static int length(MemorySegment stream, long at) {
        return stream.get(NetworkOrder.INT, at);
    }

    /** Writes the length before a message of a byte stream. */
    public static void putLength(MemorySegment stream, long at, int length) {
        stream.set(NetworkOrder.INT, at, length);
    }

    /** Whether a message of a byte stream may be so long, header included; the length is unsigned. */
    public static boolean isLength(int length) {
        return length >= LEAST_LENGTH && length <= MOST_LENGTH;
    }

    /** The size in bytes of the header of a message of that kind, 0 if there is no such kind. */
    public static int size(int kind) {
        return switch (kind) {
            case DECORATED -> DECORATED_SIZE;
            case UNDECORATED -> UNDECORATED_SIZE;
            default -> 0;
        };
    }
}
