package org.panamaverbs.netty;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.VerbsException;
import org.panamaverbs.sockets.ByteStream;

/** Sends of one stream from an allocator's memory, without a copy: the chunks that are registered for it, and the buffers on their way. */
// Tested by ZeroCopyTest.
final class DirectSends {
    /** So many chunks are registered for a stream at most. */
    private static final int MOST = 16;

    private final ByteStream stream;
    private final List<Registered> chunks = new ArrayList<>();
    private final Deque<Sent> sent = new ArrayDeque<>();

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

    DirectSends(ByteStream stream) {
        this.stream = stream;
    }

    /**
     * Sends bytes of a buffer, which it holds until they have gone.
     *
     * @param address of its bytes
     * @return how many were taken; -1 if these must be copied
     */
    int write(ByteBuf buffer, long address, int length) throws IOException {
        if (!(buffer.alloc() instanceof VerbsByteBufAllocator allocator)) {
            return -1;
        }
        MemorySegment chunk = allocator.chunkOf(address);
        Registered known = chunk == null ? null : registered(chunk);
        if (known == null) {
            return -1;
        }
        int count = stream.write(known.region, address - chunk.address(), length);
        if (count > 0) {
            known.end = stream.written();
            sent.add(new Sent(buffer.retain(), known.end));
        }
        return count;
    }

    private Registered registered(MemorySegment chunk) {
        for (Registered known : chunks) {
            if (known.memory == chunk) {
                return known;
            }
        }
        try {
            if (chunks.size() == MOST && !dropOne()) {
                return null;
            }
            Registered added = new Registered(chunk, stream.domain().register(chunk));
            chunks.add(added);
            return added;
        } catch (VerbsException e) {
            // The device has no region left, or the stream has ended, which a write says.
            return null;
        }
    }

    private boolean dropOne() {
        long completed = stream.completed();
        for (int i = 0; i < chunks.size(); i++) {
            if (chunks.get(i).end <= completed) {
                chunks.remove(i).region.close();
                return true;
            }
        }
        return false;
    }

    /** Some bytes have gone, or the stream has given its memory back. */
    void completed() {
        if (!sent.isEmpty()) {
            long completed = stream.completed();
            while (!sent.isEmpty() && sent.peek().end <= completed) {
                sent.poll().buffer.release();
            }
        }
    }
}
