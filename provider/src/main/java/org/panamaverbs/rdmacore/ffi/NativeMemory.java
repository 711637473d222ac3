package org.panamaverbs.rdmacore.ffi;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import org.panamaverbs.bindings.libc.Libc;

/**
 * Memory by its address. Only for memory of the provider's own, whose places are few and known, and which the caller's fields keep from
 * being freed: nothing is checked here, and so nothing but the access itself is left of it, where by a segment that is no constant its
 * kind, bounds, alignment and scope are looked at again after each acquire.
 */
@SuppressWarnings("restricted") // no bounds are known
public final class NativeMemory {
    /** The length of the kernel's pages in bytes: 4,096 on x86_64, and 65,536 on many servers with aarch64. */
    public static final long PAGE = Libc.sysconf(Libc._SC_PAGESIZE());
    private static final ValueLayout.OfInt NETWORK_INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

    /** Bits that an address of a process has, a tag of a processor in the highest byte included. */
    private static final long ADDRESS_BITS = Long.MAX_VALUE >> 1;

    private NativeMemory() {
    }

    /**
     * The same address. The compiler sees that it is not negative, and needs no check of it and of what lies shortly behind it: for several
     * accesses to one struct.
     */
    public static long address(long address) {
        return address & ADDRESS_BITS;
    }

    public static int getInt(long address) {
        return ALL.get(ValueLayout.JAVA_INT_UNALIGNED, address);
    }

    public static long getLong(long address) {
        return ALL.get(ValueLayout.JAVA_LONG_UNALIGNED, address);
    }

    public static void setInt(long address, int value) {
        ALL.set(ValueLayout.JAVA_INT_UNALIGNED, address, value);
    }

    /** Sets an integer in network byte order. */
    public static void setNetworkInt(long address, int value) {
        ALL.set(NETWORK_INT, address, value);
    }

    public static void setLong(long address, long value) {
        ALL.set(ValueLayout.JAVA_LONG_UNALIGNED, address, value);
    }
}
