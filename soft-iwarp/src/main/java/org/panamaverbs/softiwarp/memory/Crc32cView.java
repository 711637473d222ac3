package org.panamaverbs.softiwarp.memory;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** Checksums of parts of the provider's own memory, which is short and which one thread at a time uses; of other memory: {@link Crc32cViews}. */
public final class Crc32cView {
    private final ByteBuffer buffer;

    /**
     * Makes the view of a segment.
     *
     * @param segment less than 2 GiB
     */
    public Crc32cView(MemorySegment segment) {
        buffer = segment.asByteBuffer();
    }

    /**
     * Adds a part of the segment to a checksum.
     *
     * @param crc    the checksum so far
     * @param offset where the part starts
     * @param length how long it is
     */
    public void update(CRC32C crc, int offset, int length) {
        if (length > 0) {
            buffer.limit(offset + length).position(offset);
            crc.update(buffer);
        }
    }
}
