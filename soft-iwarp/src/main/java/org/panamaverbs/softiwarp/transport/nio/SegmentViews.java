package org.panamaverbs.softiwarp.transport.nio;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.panamaverbs.softiwarp.memory.IoVector;

/**
 * The parts of a vector as the byte buffers that NIO wants. A buffer is kept and used again where the same segment comes again, so that
 * nothing is allocated once the segments are known; a segment longer than a buffer can be is seen through windows. The kept buffers also
 * keep their segments from the collector, until others take their place. For one direction of one channel, one thread at a time.
 */
final class SegmentViews {
    /** The most parts of one call, and the most buffers kept; a power of 2. */
    private static final int PARTS = 64;
    /** Windows start at multiples of this and are up to twice as long, so that a part of up to this length fits into one. */
    private static final long WINDOW = 1L << 30;
    /** A little less than 2 GiB, the most that a segment gives as a byte buffer. */
    private static final long LONGEST = 2 * WINDOW - 4096;

    private final ByteBuffer[] buffers = new ByteBuffer[PARTS];
    private final View[] views = new View[PARTS];
    /** Numbers the calls; views that the current one uses already carry its number. */
    private long call;
    /** Where to look first: parts of a vector come in much the same order as those of the one before. */
    private int next;
    private int victim;

    private static final class View {
        private final MemorySegment segment;
        private final long start;
        private final ByteBuffer buffer;
        private long call;

        private View(MemorySegment segment, long start) {
            this.segment = segment;
            this.start = start;
            buffer = segment.asSlice(start, Math.min(segment.byteSize() - start, LONGEST)).asByteBuffer();
        }
    }

    /** The buffers that the last {@link #load} has set; the array is the same each time. */
    ByteBuffer[] buffers() {
        return buffers;
    }

    /**
     * Sets buffers for the vector's first parts.
     *
     * @return how many
     * @throws IllegalStateException where the arena of one is closed
     */
    int load(IoVector vector) {
        call++;
        int count = 0;
        boolean whole = true;
        while (whole && count < PARTS && count < vector.size()) {
            MemorySegment segment = vector.segment(count);
            long offset = vector.offset(count);
            long length = vector.length(count);
            Objects.checkFromIndexSize(offset, length, segment.byteSize());
            long start = offset & -WINDOW;
            ByteBuffer buffer = view(segment, start);
            long from = offset - start;
            // A part that leaves its window ends the list: what follows it in memory is for the next call.
            long to = Math.min(from + length, buffer.capacity());
            whole = to - from == length;
            buffers[count++] = buffer.limit((int) to).position((int) from);
        }
        return count;
    }

    private ByteBuffer view(MemorySegment segment, long start) {
        for (int i = 0; i < PARTS; i++) {
            int at = next + i & PARTS - 1;
            View view = views[at];
            // One buffer has one position: a segment that comes twice in a call needs two.
            if (view != null && view.segment == segment && view.start == start && view.call != call) {
                next = at + 1;
                view.call = call;
                return view.buffer;
            }
        }
        while (views[victim] != null && views[victim].call == call) {
            victim = victim + 1 & PARTS - 1;
        }
        View view = new View(segment, start);
        view.call = call;
        views[victim] = view;
        next = victim + 1;
        victim = victim + 1 & PARTS - 1;
        return view.buffer;
    }
}
