package org.panamaverbs.softiwarp.wire;

import java.lang.foreign.MemorySegment;

/**
 * The payload of an Atomic Response (RFC 7306, 5.2.2, figure 6). Section 4.1 speaks of 32 bytes; the figures show 12.
 *
 * <pre>
 * | Original Request Identifier 32 | Original Remote Data Value 64 |
 * </pre>
 */
public final class AtomicResponse {
    /** Its size in bytes. */
    public static final int SIZE = 12;

    private static final int IDENTIFIER_AT = 0;
    private static final int VALUE_AT = 4;

    private AtomicResponse() {
    }

    /** Writes an Atomic Response. */
    public static void put(MemorySegment header, long at, int identifier, long value) {
        header.set(NetworkOrder.INT, at + IDENTIFIER_AT, identifier);
        header.set(NetworkOrder.LONG, at + VALUE_AT, value);
    }

    /** The Request Identifier of the Atomic Request. */
    public static int identifier(MemorySegment header, long at) {
        return header.get(NetworkOrder.INT, at + IDENTIFIER_AT);
    }

    /** The 8 bytes before the operation, as a number. */
    public static long value(MemorySegment header, long at) {
        return header.get(NetworkOrder.LONG, at + VALUE_AT);
    }
}
