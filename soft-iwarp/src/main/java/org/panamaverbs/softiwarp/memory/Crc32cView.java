package org.panamaverbs.softiwarp.memory;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * Checksums of parts of one segment of the provider's own memory. The segment is short, and one thread at a time uses it. For other memory
 * there is {@link Crc32cViews}.
 */
public final class Crc32cView {
    private final MemorySegment segment;
    private final ByteBuffer buffer;

    /**
     * Makes the view of a segment.
     *
     * @param segment less than 2 GiB
     */
    public Crc32cView(MemorySegment segment) {
        this.segment = segment;
        buffer = segment.asByteBuffer();
    }

    /** The memory. */
    public MemorySegment segment() {
        return segment;
    }

    /**
     * Adds a part of the segment to a checksum.
     *
     * @param crc    the checksum so far
     * @param offset offset of the part in the segment
     * @param length length of the part in bytes
     */
    public void update(CRC32C crc, int offset, int length) {
        if (length > 0) {
            buffer.limit(offset + length).position(offset);
            crc.update(buffer);
        }
    }
}
