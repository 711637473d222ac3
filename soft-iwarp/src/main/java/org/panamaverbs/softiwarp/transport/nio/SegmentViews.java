package org.panamaverbs.softiwarp.transport.nio;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.panamaverbs.softiwarp.memory.IoVector;

/**
 * The parts of a vector as the byte buffers that NIO needs. It keeps a buffer and reuses it when the same segment comes again, so that it
 * allocates nothing once the segments are known. A segment longer than the longest buffer has several buffers, called windows. The kept
 * buffers also keep their segments from being collected until other buffers replace them. For one direction of one channel; one thread at a
 * time uses it.
 */
final class SegmentViews {
    /** The most parts in one call, and the most buffers kept; a power of 2. */
    private static final int PARTS = 64;
    /** In bytes. Windows start at multiples of this and are up to twice as long, so that a part of up to this length fits into one. */
    private static final long WINDOW = 1L << 30;
    /** The longest window in bytes: a little less than 2 GiB, the limit of a byte buffer. */
    private static final long LONGEST = 2 * WINDOW - 4096;

    private final ByteBuffer[] buffers = new ByteBuffer[PARTS];
    private final View[] views = new View[PARTS];
    /** The number of the current call; the views that it already uses carry this number. */
    private long call;
    /** The index at which a search starts: consecutive vectors have their parts in much the same order. */
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

    /** The buffers that the last {@link #load} has set; always the same array. */
    ByteBuffer[] buffers() {
        return buffers;
    }

    /**
     * Sets buffers for the first parts of a vector.
     *
     * @return the number of buffers
     * @throws IllegalStateException if the arena of a part is closed
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
            // A part that reaches beyond its window ends the list: the next call transfers the rest.
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
            // A buffer has only one position: a segment that occurs twice in a call needs two buffers.
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
