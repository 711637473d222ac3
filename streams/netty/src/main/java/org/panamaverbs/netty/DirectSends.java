package org.panamaverbs.netty;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.VerbsException;
import org.panamaverbs.sockets.ByteStream;

/**
 * The writes of one stream. Those from an allocator's memory are not copied: it has the chunks that are registered for the stream, and the
 * buffers on their way.
 */
// Tested by ZeroCopyTest.
final class DirectSends {
    /** How many chunks are registered for a stream at most. */
    private static final int MOST = 16;

    private final List<Registered> chunks = new ArrayList<>();
    private final Deque<Sent> sent = new ArrayDeque<>();
    /** Set when it begins. */
    private @Nullable ByteStream stream;
    /** How many bytes were written, as the stream counts them. */
    private long written;

    /** A buffer that is held until so many bytes of the stream have gone. */
    private record Sent(ByteBuf buffer, long end) {
    }

    private static final class Registered {
        private final MemorySegment memory;
        private final MemoryRegion region;
        private long end;

        Registered(MemorySegment memory, MemoryRegion region) {
            this.memory = memory;
            this.region = region;
        }
    }

    void begin(ByteStream opened) {
        stream = opened;
    }

    private ByteStream stream() {
        return Objects.requireNonNull(stream);
    }

    /** {@return how many bytes it has copied; 0 if there is no room now} */
    int copy(MemorySegment from, long offset, int length) throws IOException {
        int count = stream().write(from, offset, length);
        written += count;
        return count;
    }

    /**
     * Writes bytes of a direct buffer. It holds the buffer until they have gone, unless it has copied them.
     *
     * @param address of its bytes
     * @return how many were taken; 0 if there is no room now
     */
    int write(ByteBuf buffer, long address, int length) throws IOException {
        if (!(buffer.alloc() instanceof VerbsByteBufAllocator allocator)) {
            return copy(NativeMemory.ALL, address, length);
        }
        MemorySegment memory = allocator.chunkOf(address);
        Registered chunk = memory == null ? null : registered(memory);
        if (chunk == null) {
            return copy(NativeMemory.ALL, address, length);
        }
        int count = stream().write(chunk.region, address - chunk.memory.address(), length);
        if (count > 0) {
            written += count;
            chunk.end = written;
            // Of a short flush the stream has made a copy.
            if (stream().completed() < written) {
                sent.add(new Sent(buffer.retain(), written));
            }
        }
        return count;
    }

    private @Nullable Registered registered(MemorySegment chunk) {
        for (Registered present : chunks) {
            if (present.memory.equals(chunk)) {
                return present;
            }
        }
        try {
            if (chunks.size() == MOST && !dropOne()) {
                return null;
            }
            Registered added = new Registered(chunk, Objects.requireNonNull(stream().domain()).register(chunk));
            chunks.add(added);
            return added;
        } catch (VerbsException e) {
            // The device has no region left, or the stream has ended, which a write says.
            return null;
        }
    }

    private boolean dropOne() {
        long completed = stream().completed();
        for (int i = 0; i < chunks.size(); i++) {
            if (chunks.get(i).end <= completed) {
                chunks.remove(i).region.close();
                return true;
            }
        }
        return false;
    }

    /** Some bytes have gone, or the stream has given its memory back. */
    void releaseCompleted() {
        if (!sent.isEmpty()) {
            long completed = stream().completed();
            while (!sent.isEmpty() && sent.peek().end <= completed) {
                sent.poll().buffer.release();
            }
        }
    }
}
