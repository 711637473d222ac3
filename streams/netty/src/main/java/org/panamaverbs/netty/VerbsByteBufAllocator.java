package org.panamaverbs.netty;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledDirectByteBuf;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.panamaverbs.RegistrableArena;

/**
 * Allocates direct buffers of {@value #SMALLEST} bytes to 1 MiB in memory that channels of verbs register once and then send from without a
 * copy. Give it to the channels as {@link io.netty.channel.ChannelOption#ALLOCATOR}, and take buffers from {@code channel.alloc()}. All other
 * buffers come from Netty's default allocator, and so do all once the memory is used up.
 *
 * <p>The memory is pooled. It is never freed, so a program makes one allocator, or a few. Any thread allocates and releases.
 */
// Tested by ZeroCopyTest.
public final class VerbsByteBufAllocator extends AbstractByteBufAllocator {
    /** The smallest buffer of this memory, in bytes. */
    public static final int SMALLEST = 8 << 10;
    /** The memory that is allocated, and registered, at a time, in bytes. */
    static final int CHUNK = 2 << 20;

    private static final int LARGEST = 1 << 20;
    private static final long DEFAULT_MOST = 64 << 20;

    private final RegistrableArena arena = RegistrableArena.ofShared();
    private final int most;
    /** Free parts of chunks, by the power of two over the smallest; each list guards itself. */
    private final List<Deque<MemorySegment>> free = new ArrayList<>();
    /** Replaced when there is one more. */
    private volatile MemorySegment[] chunks = {};

    /** Makes one with 64 MiB at most. */
    public VerbsByteBufAllocator() {
        this(DEFAULT_MOST);
    }

    /**
     * Makes one.
     *
     * @param bytes the most memory that it allocates, 2 MiB or more; it allocates 2 MiB at a time, as they are needed
     */
    public VerbsByteBufAllocator(long bytes) {
        super(true);
        if (bytes < CHUNK) {
            throw new IllegalArgumentException("an allocator needs 2 MiB or more, not " + bytes + " bytes");
        }
        most = (int) Math.min(Integer.MAX_VALUE, bytes / CHUNK);
        for (int size = SMALLEST; size <= LARGEST; size <<= 1) {
            free.add(new ArrayDeque<>());
        }
    }

    @Override
    public boolean isDirectBufferPooled() {
        return true;
    }

    @Override
    protected ByteBuf newHeapBuffer(int capacity, int maxCapacity) {
        return ByteBufAllocator.DEFAULT.heapBuffer(capacity, maxCapacity);
    }

    @Override
    protected ByteBuf newDirectBuffer(int capacity, int maxCapacity) {
        MemorySegment part = capacity < SMALLEST || capacity > LARGEST ? null : take(capacity);
        return part == null ? ByteBufAllocator.DEFAULT.directBuffer(capacity, maxCapacity)
                : toLeakAwareBuffer(new Part(part, capacity, maxCapacity));
    }

    /** {@return the list of the parts of this size, or of the next larger one} */
    private Deque<MemorySegment> partsOf(long size) {
        return free.get(Long.SIZE - Long.numberOfLeadingZeros((size - 1) / SMALLEST));
    }

    private @Nullable MemorySegment take(int capacity) {
        Deque<MemorySegment> parts = partsOf(capacity);
        synchronized (parts) {
            if (parts.isEmpty()) {
                MemorySegment chunk = allocateChunk();
                if (chunk == null) {
                    return null;
                }
                int size = Math.max(SMALLEST, Integer.highestOneBit(capacity - 1) << 1);
                for (int at = 0; at < CHUNK; at += size) {
                    parts.push(chunk.asSlice(at, size));
                }
            }
            return parts.pop();
        }
    }

    private synchronized @Nullable MemorySegment allocateChunk() {
        MemorySegment[] present = chunks;
        if (present.length == most) {
            return null;
        }
        MemorySegment chunk = arena.allocate(CHUNK, CHUNK);
        MemorySegment[] more = Arrays.copyOf(present, present.length + 1);
        more[present.length] = chunk;
        chunks = more;
        return chunk;
    }

    /** {@return how many bytes of memory it has allocated} */
    public long memory() {
        return (long) chunks.length * CHUNK;
    }

    /** {@return how many bytes of its memory buffers have that are not released; a size between two powers of two counts as the larger} */
    public long used() {
        long unused = 0;
        for (Deque<MemorySegment> parts : free) {
            synchronized (parts) {
                unused += parts.stream().mapToLong(MemorySegment::byteSize).sum();
            }
        }
        return memory() - unused;
    }

    /** {@return the chunk that an address lies in, or {@code null}} */
    @Nullable
    MemorySegment chunkOf(long address) {
        for (MemorySegment chunk : chunks) {
            if (chunk.address() == (address & -CHUNK)) {
                return chunk;
            }
        }
        return null;
    }

    /** A buffer in a part of a chunk. If its capacity changes, it gets other memory, and the part stays its own. */
    private final class Part extends UnpooledDirectByteBuf {
        private final MemorySegment memory;

        Part(MemorySegment memory, int capacity, int maxCapacity) {
            super(VerbsByteBufAllocator.this, memory.asSlice(0, capacity).asByteBuffer(), maxCapacity);
            this.memory = memory;
            // The constructor takes the bytes of its buffer for written ones.
            clear();
        }

        @Override
        protected void deallocate() {
            super.deallocate();
            Deque<MemorySegment> parts = partsOf(memory.byteSize());
            synchronized (parts) {
                parts.push(memory);
            }
        }
    }
}
