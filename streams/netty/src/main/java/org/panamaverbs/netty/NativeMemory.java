package org.panamaverbs.netty;

import java.lang.foreign.MemorySegment;

/** The memory that direct buffers of Netty name by addresses: a segment for each message would be an object for each. */
final class NativeMemory {
    /** An offset in it is an address. Its users hold the buffer whose memory they touch. */
    @SuppressWarnings("restricted")
    static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

    private NativeMemory() {
    }
}
