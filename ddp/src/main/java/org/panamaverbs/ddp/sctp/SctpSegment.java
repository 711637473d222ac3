package org.panamaverbs.ddp.sctp;

import java.lang.foreign.MemorySegment;
import org.panamaverbs.softiwarp.wire.NetworkOrder;

/**
 * The DDP Segment Chunk: the payload of an SCTP Data Chunk that carries a DDP segment (RFC 5043, 5.2.2). Offsets count from the DDP-SSN.
 *
 * <pre>
 *  0                   1                   2                   3
 *  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 * +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * |          DDP-SSN              |         DDP Segment           |
 * +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+                               ~
 * </pre>
 *
 * The DDP-SSN is also the first field of {@link SctpControl}.
 */
public final class SctpSegment {
    /** The Payload Protocol Identifier of a DDP Segment Chunk. */
    public static final int PROTOCOL = 16;
    /** Size of the DDP-SSN in bytes: the segment begins behind it. */
    public static final int SSN_SIZE = 2;
    /** The DDP-SSN counts modulo this plus 1. */
    public static final int SSN_MASK = 0xFFFF;

    private static final int SSN_AT = 0;

    private SctpSegment() {
    }

    /** The DDP-SSN: 0 to 65,535. */
    public static int ssn(MemorySegment chunk, long at) {
        return Short.toUnsignedInt(chunk.get(NetworkOrder.SHORT, at + SSN_AT));
    }

    /** Writes the DDP-SSN. */
    public static void ssn(MemorySegment chunk, long at, int ssn) {
        chunk.set(NetworkOrder.SHORT, at + SSN_AT, (short) ssn);
    }

    /** How far one DDP-SSN lies behind another one, in a sequence that wraps: 0 to 65,535. */
    public static int distance(int from, int to) {
        return to - from & SSN_MASK;
    }
}
