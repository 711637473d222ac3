package org.panamaverbs.softiwarp.ddp;

import java.lang.foreign.MemorySegment;
import org.panamaverbs.softiwarp.memory.SgeCursor;

/**
 * The layer below DDP, as DDP uses it to send segments (RFC 5041, 3): it gives room for a header, and carries header and payload as one
 * unit. DDP calls {@link #beginSegment}, writes the header, and calls {@link #endSegment}. One thread at a time calls it.
 */
public interface LowerLayer {
    /** The layer has no room for a segment before it has sent some bytes. */
    long NO_ROOM = -1;

    /**
     * Every layer copies payload of up to this many bytes, since the copy costs less than one more part in a write. This is also the longest
     * inline request.
     */
    int COPIED_PAYLOAD = 512;

    /**
     * The longest segment that the layer takes, DDP header included (MULPDU).
     *
     * @return bytes, 128 to 64,768 (RFC 5044, 3)
     */
    int mulpdu();

    /**
     * Begins a segment.
     *
     * @param headerSize bytes of the DDP header
     * @param payload    bytes of payload: the next ones of the source
     * @param source     the message's memory
     * @param stable     whether only this program changes that memory; if not, the layer copies it before it computes a checksum
     * @return the offset of the header in {@link #headers()}, or {@link #NO_ROOM}
     */
    long beginSegment(int headerSize, int payload, SgeCursor source, boolean stable);

    /** The memory for headers; {@link #beginSegment} may replace it. */
    MemorySegment headers();

    /**
     * Ends the segment after its header is written, and moves the source past its payload.
     *
     * @param source the source of {@link #beginSegment}
     * @return {@code false} if the payload's memory can no longer be used; then no byte of the segment is sent
     */
    boolean endSegment(SgeCursor source);

    /**
     * Begins a segment whose payload DDP itself copies into {@link #headers()}, behind the header. DDP then calls {@link #endCopied}.
     *
     * @param headerSize bytes of the DDP header
     * @param payload    bytes of payload, up to {@link #COPIED_PAYLOAD}
     * @return the offset of the header, or {@link #NO_ROOM}: then {@link #beginSegment} may still take the segment, since a layer may do
     *         more with payload than copy it
     */
    default long beginCopied(int headerSize, int payload) {
        return NO_ROOM;
    }

    /**
     * Ends the segment after its header and its payload are written.
     *
     * @return the offset in the stream at which the segment ends
     */
    default long endCopied() {
        throw new UnsupportedOperationException();
    }
}
