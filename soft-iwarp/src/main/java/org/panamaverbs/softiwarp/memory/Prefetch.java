package org.panamaverbs.softiwarp.memory;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/** Brings the pages of memory into memory before they are used. */
public final class Prefetch {
    /** The smallest page of any machine that Linux runs on; larger pages are touched several times. */
    private static final long PAGE = 4096;
    private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();

    private Prefetch() {
    }

    /**
     * Touches each page. A page that can be written is touched by an atomic access that changes nothing, since the kernel gives a process a
     * page of its own only for a write; other threads may use the memory meanwhile.
     *
     * <p>Another process may truncate a mapped file meanwhile. Then the rest is left out: the requests report it.
     *
     * @param segment native memory of 1 byte or more
     */
    public static void of(MemorySegment segment) {
        if (!segment.isMapped()) {
            touch(segment);
            return;
        }
        try {
            segment.load();
            touch(segment);
            RegisteredMemory.reportFaults();
        } catch (InternalError truncated) {
            // A file without that page has nothing to prefetch.
        }
    }

    private static void touch(MemorySegment segment) {
        // The accesses are of whole, aligned words: the last page may have none.
        long first = -segment.address() & (Integer.BYTES - 1);
        for (long at = first; at + Integer.BYTES <= segment.byteSize(); at = nextPage(segment.address() + at) - segment.address()) {
            if (segment.isReadOnly()) {
                INT.getVolatile(segment, at);
            } else {
                INT.getAndBitwiseOr(segment, at, 0);
            }
        }
    }

    private static long nextPage(long address) {
        return (address & -PAGE) + PAGE;
    }
}
