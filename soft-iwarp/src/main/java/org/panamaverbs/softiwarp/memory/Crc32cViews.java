package org.panamaverbs.softiwarp.memory;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * Checksums of parts of a segment of any length. {@link CRC32C} takes only byte buffers, and a byte buffer covers less than 2 GiB. So a
 * segment has one buffer for each GiB, and each buffer overlaps the next. The buffers are made once and kept. Any thread may use this
 * object: it takes a buffer out while it uses it, and makes a new one if it finds none.
 */
public final class Crc32cViews {
    private static final int STEP_BITS = 30;
    private static final long STEP = 1L << STEP_BITS;
    /** A little less than 2 GiB, the limit of {@link MemorySegment#asByteBuffer}. */
    private static final long LONGEST = 2 * STEP - 4096;
    private static final VarHandle KEPT = MethodHandles.arrayElementVarHandle(ByteBuffer[].class);

    private final MemorySegment segment;
    private final ByteBuffer[] kept;

    /**
     * Makes the views of a segment.
     *
     * @param segment native memory that any thread may use
     */
    public Crc32cViews(MemorySegment segment) {
        this.segment = segment;
        this.kept = new ByteBuffer[Math.toIntExact((segment.byteSize() + STEP - 1) >>> STEP_BITS)];
    }

    /**
     * Adds a part of the segment to a checksum.
     *
     * @param crc    the checksum so far
     * @param offset offset of the part in the segment
     * @param length length of the part in bytes
     * @throws IllegalStateException if the segment's arena is closed
     */
    public void update(CRC32C crc, long offset, long length) {
        long at = offset;
        long left = length;
        while (left > 0) {
            int index = (int) (at >>> STEP_BITS);
            long start = (long) index << STEP_BITS;
            int part = (int) Math.min(left, STEP);
            // getAndSet acquires the position and limit that the last user of the buffer wrote; setRelease publishes ours.
            ByteBuffer buffer = (ByteBuffer) KEPT.getAndSet(kept, index, null);
            if (buffer == null) {
                buffer = segment.asSlice(start, Math.min(segment.byteSize() - start, LONGEST)).asByteBuffer();
            }
            int from = (int) (at - start);
            try {
                buffer.limit(Math.min(from + part, buffer.capacity())).position(from);
                part = buffer.remaining();
                crc.update(buffer);
            } finally {
                KEPT.setRelease(kept, index, buffer);
            }
            at += part;
            left -= part;
        }
    }
}
