package org.panamaverbs.nfs.server.compound;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Native memory for the data of READs, which stay in it until their replies are sent. Two sizes, so that short READs do not use up the long
 * buffers. All of it is one segment, which a transport can keep registered.
 */
public final class BufferPool implements AutoCloseable {
    private static final int SHORT = 16 << 10;
    private static final int SHORTS = 128;
    /** Whoever finds none waits so long; then the client is asked to come again. */
    private static final long PATIENCE_MILLIS = 100;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment memory;
    private final int longSize;
    private final BlockingQueue<MemorySegment> longs;
    private final BlockingQueue<MemorySegment> shorts = new ArrayBlockingQueue<>(SHORTS);

    /** A buffer that somebody uses; closed as often as one likes, it goes back once. */
    public final class Buffer implements AutoCloseable {
        private final MemorySegment segment;
        private final AtomicBoolean returned = new AtomicBoolean();

        private Buffer(MemorySegment segment) {
            this.segment = segment;
        }

        /** The memory. */
        public MemorySegment segment() {
            return segment;
        }

        @Override
        public void close() {
            if (returned.compareAndSet(false, true)) {
                (segment.byteSize() > SHORT ? longs : shorts).add(segment);
            }
        }
    }

    /**
     * Takes all memory.
     *
     * @param size  of a long buffer, in bytes
     * @param count of long buffers
     */
    public BufferPool(int size, int count) {
        longSize = Math.max(size, SHORT + 1);
        longs = new ArrayBlockingQueue<>(count);
        memory = arena.allocate((long) longSize * count + SHORT * SHORTS, 4096);
        for (int i = 0; i < count; i++) {
            longs.add(memory.asSlice((long) i * longSize, longSize));
        }
        for (int i = 0; i < SHORTS; i++) {
            shorts.add(memory.asSlice((long) longSize * count + (long) i * SHORT, SHORT));
        }
    }

    /** All of it. */
    public MemorySegment memory() {
        return memory;
    }

    /** A buffer for so many bytes, or {@code null} if there is none for some time. */
    public Buffer take(int bytes) {
        try {
            MemorySegment segment = (bytes > SHORT ? longs : shorts).poll(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
            return segment == null ? null : new Buffer(segment);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        }
    }

    /** How many buffers are free, of both sizes. */
    public int free() {
        return longs.size() + shorts.size();
    }

    /** Frees the memory, if no reply uses it; the caller has ended all transports. */
    @Override
    public void close() {
        arena.close();
    }
}
