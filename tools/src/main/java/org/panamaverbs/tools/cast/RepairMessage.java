package org.panamaverbs.tools.cast;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The messages of a repair, as payload of undecorated messages. Numbers are big-endian.
 *
 * <pre>
 * octet 0   1                9
 *       H   offset           length          up to {@value #MOST_HOLES} pairs of 8 octets each: octets that a receiver lacks
 *       D   CRC-32C                          4 octets: a receiver is whole, and this is the checksum of its file
 *       E   CRC-32C                          4 octets, or none: the sender ends, and this is the checksum of its file
 * </pre>
 *
 * <p>An H without pairs says that all octets have come and the receiver has yet to compute its checksum.
 */
final class RepairMessage {
    static final byte HOLES = 'H';
    static final byte DONE = 'D';
    static final byte END = 'E';
    /** Of a message that is none of these, or has a wrong length. */
    static final byte NONE = 0;

    static final int MOST_HOLES = 80;
    private static final int PAIR = 16;
    static final int MOST = 1 + MOST_HOLES * PAIR;
    private static final int WITH_CHECKSUM = 5;

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private RepairMessage() {
    }

    /** The kind of a whole message. */
    static byte kind(MemorySegment message) {
        long length = message.byteSize();
        if (length == 0) {
            return NONE;
        }
        byte kind = message.get(ValueLayout.JAVA_BYTE, 0);
        boolean sound = switch (kind) {
            case HOLES -> length <= MOST && (length - 1) % PAIR == 0;
            case DONE -> length == WITH_CHECKSUM;
            case END -> length == 1 || length == WITH_CHECKSUM;
            default -> false;
        };
        return sound ? kind : NONE;
    }

    /** How many pairs an H has. */
    static int holes(MemorySegment message) {
        return (int) ((message.byteSize() - 1) / PAIR);
    }

    /** Any 64 bits. */
    static long offset(MemorySegment message, int hole) {
        return message.get(LONG, 1 + (long) hole * PAIR);
    }

    /** Any 64 bits. */
    static long length(MemorySegment message, int hole) {
        return message.get(LONG, 1 + (long) hole * PAIR + Long.BYTES);
    }

    static boolean hasChecksum(MemorySegment message) {
        return message.byteSize() == WITH_CHECKSUM;
    }

    static int checksum(MemorySegment message) {
        return message.get(INT, 1);
    }

    /** @return the length of the message */
    static int putHoles(MemorySegment into, Holes holes) {
        into.set(ValueLayout.JAVA_BYTE, 0, HOLES);
        Pairs pairs = new Pairs(into);
        holes.visit(pairs);
        return 1 + pairs.count * PAIR;
    }

    /** @return the length of the message */
    static int putChecksum(MemorySegment into, byte kind, int checksum) {
        into.set(ValueLayout.JAVA_BYTE, 0, kind);
        into.set(INT, 1, checksum);
        return WITH_CHECKSUM;
    }

    private static final class Pairs implements Holes.Visitor {
        private final MemorySegment into;
        private int count;

        Pairs(MemorySegment into) {
            this.into = into;
        }

        @Override
        public boolean visit(long offset, long length) {
            into.set(LONG, 1 + (long) count * PAIR, offset);
            into.set(LONG, 1 + (long) count * PAIR + Long.BYTES, length);
            count++;
            return count < MOST_HOLES;
        }
    }
}
