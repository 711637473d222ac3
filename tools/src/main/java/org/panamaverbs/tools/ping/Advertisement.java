package org.panamaverbs.tools.ping;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import org.panamaverbs.RemoteMemory;

/**
 * The message that {@code rping}'s ends send each other ({@code struct rping_rdma_info}):
 *
 * <pre>
 *  0 address 64 | 8 key 32 | 12 size 32
 * </pre>
 *
 * big-endian. The client's names a buffer; the server's only says "go on", and its content has no meaning.
 *
 * @param address of the buffer
 * @param key     its key
 * @param size    how long it is, in bytes
 */
record Advertisement(long address, int key, long size) {
    static final int LENGTH = 16;

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    static Advertisement decode(MemorySegment from) {
        return new Advertisement(from.get(LONG, 0), from.get(INT, 8), Integer.toUnsignedLong(from.get(INT, 12)));
    }

    RemoteMemory remote() {
        return new RemoteMemory(address, key, size);
    }

    void encode(MemorySegment into) {
        into.set(LONG, 0, address);
        into.set(INT, 8, key);
        into.set(INT, 12, (int) size);
    }
}
