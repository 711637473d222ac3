package org.panamaverbs.rpcrdma.link;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.RegistrableArena;

/**
 * Registered memory of a link for messages that are longer than a Send: calls that are put together, replies for Reply chunks. Sizes are
 * powers of two; so many bytes are kept for the next message. Those for replies that the peer writes are kept apart: they never hold a
 * message of this side, which the peer could show to another call by saying that it wrote there.
 */
final class MessageBuffers {
    private static final int SMALLEST_SHIFT = 14;
    private static final int SHIFTS = 32;
    private static final long KEPT = 16L << 20;

    private final ProtectionDomain domain;
    private final List<Deque<Buffer>> free = new ArrayList<>();
    private final List<Deque<Buffer>> freeForReplies = new ArrayList<>();
    private long kept;
    private boolean closed;

    MessageBuffers(ProtectionDomain domain) {
        this.domain = domain;
        for (int i = 0; i < SHIFTS; i++) {
            free.add(new ArrayDeque<>());
            freeForReplies.add(new ArrayDeque<>());
        }
    }

    final class Buffer implements RegisteredMemory {
        private final int shift;
        /** The buffers of its kind and size that are not used. */
        private final Deque<Buffer> unused;
        private final RegistrableArena arena = RegistrableArena.ofShared();
        private final MemorySegment segment;
        private MemoryRegion region;

        private Buffer(int shift, Deque<Buffer> unused) {
            this.shift = shift;
            this.unused = unused;
            segment = arena.allocate(1L << shift, 4096);
        }

        /** Made when the device needs it: a Reply chunk is opened by a registration of its own. */
        @Override
        public MemoryRegion region() {
            synchronized (MessageBuffers.this) {
                if (region == null) {
                    region = domain.register(segment, domain.device().readSinkRights());
                }
                return region;
            }
        }

        @Override
        public long offset() {
            return 0;
        }

        @Override
        public MemorySegment segment() {
            return segment;
        }

        @Override
        public void release() {
            synchronized (MessageBuffers.this) {
                long size = 1L << shift;
                if (closed || kept + size > KEPT) {
                    free();
                } else {
                    kept += size;
                    unused.push(this);
                }
            }
        }

        private void free() {
            if (region != null) {
                region.close();
            }
            arena.close();
        }
    }

    Buffer take(long length) {
        return take(length, free);
    }

    /** One that holds zeros, or what the peer has written. */
    Buffer takeForReply(long length) {
        return take(length, freeForReplies);
    }

    private synchronized Buffer take(long length, List<Deque<Buffer>> from) {
        int shift = Math.max(SMALLEST_SHIFT, Long.SIZE - Long.numberOfLeadingZeros(Math.max(length, 1) - 1));
        Buffer buffer = from.get(shift).poll();
        if (buffer != null) {
            kept -= 1L << shift;
            return buffer;
        }
        return new Buffer(shift, from.get(shift));
    }

    synchronized void close() {
        closed = true;
        free.forEach(MessageBuffers::freeAll);
        freeForReplies.forEach(MessageBuffers::freeAll);
    }

    private static void freeAll(Deque<Buffer> buffers) {
        buffers.forEach(Buffer::free);
        buffers.clear();
    }
}
