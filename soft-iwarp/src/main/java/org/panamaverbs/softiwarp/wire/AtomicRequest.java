package org.panamaverbs.softiwarp.wire;

import java.lang.foreign.MemorySegment;

/**
 * The payload of an Atomic Request (RFC 7306, 5.2.1, figure 4).
 *
 * <pre>
 * | Reserved 28 | AOpCode 4 | Request Identifier 32 | Remote STag 32 | Remote TO 64 | Add or Swap Data 64 | Add or Swap Mask 64
 * | Compare Data 64 | Compare Mask 64 |
 * </pre>
 */
public final class AtomicRequest {
    /** Its size in bytes. */
    public static final int SIZE = 52;

    /** AOpCode of FetchAdd (figure 5). */
    public static final int FETCH_ADD = 0;
    /** AOpCode of CmpSwap. */
    public static final int COMPARE_SWAP = 2;
    /** The Compare Data of an operation that compares nothing. */
    public static final long NO_DATA = 0;
    /** All bits: a mask that masks nothing out, and the Compare Mask of an operation that compares nothing. */
    public static final long ALL = -1;

    private static final int OPERATION_AT = 0;
    private static final int IDENTIFIER_AT = 4;
    private static final int STAG_AT = 8;
    private static final int OFFSET_AT = 12;
    private static final int DATA_AT = 20;
    private static final int MASK_AT = 28;
    private static final int COMPARE_DATA_AT = 36;
    private static final int COMPARE_MASK_AT = 44;
    private static final int OPERATION_BITS = 0x0F;

    private AtomicRequest() {
    }

    /** Writes the fields that all Atomic Requests begin with. */
    public static void put(MemorySegment header, long at, int operation, int identifier, int stag, long offset) {
        header.set(NetworkOrder.INT, at + OPERATION_AT, operation);
        header.set(NetworkOrder.INT, at + IDENTIFIER_AT, identifier);
        header.set(NetworkOrder.INT, at + STAG_AT, stag);
        header.set(NetworkOrder.LONG, at + OFFSET_AT, offset);
    }

    /** Writes the operands. */
    public static void putOperands(MemorySegment header, long at, long data, long mask, long compareData, long compareMask) {
        header.set(NetworkOrder.LONG, at + DATA_AT, data);
        header.set(NetworkOrder.LONG, at + MASK_AT, mask);
        header.set(NetworkOrder.LONG, at + COMPARE_DATA_AT, compareData);
        header.set(NetworkOrder.LONG, at + COMPARE_MASK_AT, compareMask);
    }

    /** Whether an RFC defines an AOpCode. 1 is reserved: a swap is a CmpSwap whose Compare Mask is 0. */
    public static boolean isDefined(int operation) {
        return operation == FETCH_ADD || operation == COMPARE_SWAP;
    }

    /** The AOpCode: 0 to 15. */
    public static int operation(MemorySegment header, long at) {
        return header.get(NetworkOrder.INT, at + OPERATION_AT) & OPERATION_BITS;
    }

    /** The number that the response repeats. */
    public static int identifier(MemorySegment header, long at) {
        return header.get(NetworkOrder.INT, at + IDENTIFIER_AT);
    }

    /** The STag of the buffer with the 8 bytes. */
    public static int stag(MemorySegment header, long at) {
        return header.get(NetworkOrder.INT, at + STAG_AT);
    }

    /** The Tagged Offset of the 8 bytes, unsigned. */
    public static long offset(MemorySegment header, long at) {
        return header.get(NetworkOrder.LONG, at + OFFSET_AT);
    }

    /** The number to add or to store. */
    public static long data(MemorySegment header, long at) {
        return header.get(NetworkOrder.LONG, at + DATA_AT);
    }

    /** FetchAdd: the most significant bit of each field. CmpSwap: the bits to store. */
    public static long mask(MemorySegment header, long at) {
        return header.get(NetworkOrder.LONG, at + MASK_AT);
    }

    /** CmpSwap: the number to compare with. */
    public static long compareData(MemorySegment header, long at) {
        return header.get(NetworkOrder.LONG, at + COMPARE_DATA_AT);
    }

    /** CmpSwap: the bits to compare. */
    public static long compareMask(MemorySegment header, long at) {
        return header.get(NetworkOrder.LONG, at + COMPARE_MASK_AT);
    }
}
