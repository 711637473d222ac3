package org.panamaverbs.rdmacore.ffi;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Memory by its address. Only for memory of the provider's own, whose places are few and known, and which the caller's fields keep from
 * being freed: nothing is checked here, and so nothing but the access itself is left of it, where by a segment that is no constant its
 * kind, bounds, alignment and scope are looked at again after each acquire.
 */
@SuppressWarnings("restricted") // no bounds are known
public final class NativeMemory {
    private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

    private NativeMemory() {
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

    public static void setLong(long address, long value) {
        ALL.set(ValueLayout.JAVA_LONG_UNALIGNED, address, value);
    }
}
