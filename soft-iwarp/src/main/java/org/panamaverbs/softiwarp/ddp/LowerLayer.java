package org.panamaverbs.softiwarp.ddp;

import java.lang.foreign.MemorySegment;
import org.panamaverbs.softiwarp.memory.SgeCursor;

/**
 * What DDP asks of the layer below to send a segment (RFC 5041, 3): room for its header, and to carry header and payload as one unit.
 * {@link #beginSegment}, then the header is written, then {@link #endSegment}. One thread at a time calls it.
 */
public interface LowerLayer {
    /** Returned where the layer has no room for a segment until it has sent some. */
    long NO_ROOM = -1;

    /**
     * The longest segment that the layer takes, header included (MULPDU).
     *
     * @return bytes, 128 or more (RFC 5044, 4.5)
     */
    int mulpdu();

    /**
     * Begins a segment.
     *
     * @param headerSize bytes of DDP's header
     * @param payload    bytes of payload, the next ones of the source
     * @param source     the message's memory
     * @param stable     whether only this program changes that memory; if not, the layer copies it before it computes a checksum
     * @return where in {@link #headers()} the header goes, or {@link #NO_ROOM}
     */
    long beginSegment(int headerSize, int payload, SgeCursor source, boolean stable);

    /** The memory for headers; another one after {@link #beginSegment}. */
    MemorySegment headers();

    /**
     * Ends the segment whose header is written, and passes its payload in the source.
     *
     * @param source the same as before
     * @return {@code false} if the payload's memory cannot be used any more; then no byte of the segment is sent
     */
    boolean endSegment(SgeCursor source);
}
