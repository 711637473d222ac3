package org.panamaverbs.ddp;

import java.lang.foreign.MemorySegment;

/**
 * A buffer of the program's own kind: bytes that can be set ({@code ddp_buffer_t} of RFC 4296, 2.1), for example a file that is not
 * mapped. To register memory or a mapped file, pass the segment itself: its bytes are placed without a copy.
 *
 * <p>A socket calls {@link #set} on a thread of the context, one call at a time for a socket, and all other traffic of that thread waits
 * meanwhile. So the method should be quick. It must not call the context that calls it.
 */
public interface DdpBuffer {
    /**
     * How many bytes the buffer has.
     *
     * @return 1 or more; must not change
     */
    long size();

    /**
     * Sets some bytes. A retransmitted or repeated message sets bytes again, and messages may come in any order.
     *
     * @param offset the offset of the first byte, counted from the start of the buffer; all bytes lie within {@link #size()}
     * @param bytes  the new values; read-only, and valid only during the call
     * @throws RuntimeException if the bytes cannot be set; a stream then ends with that reason, and a datagram is dropped and counted
     */
    void set(long offset, MemorySegment bytes);
}
