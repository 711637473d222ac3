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
 * powers of two; so many bytes are kept for the next message.
 */
final class MessageBuffers {
    private static final int SMALLEST_SHIFT = 14;
    private static final int SHIFTS = 32;
    private static final long KEPT = 16L << 20;

    private final ProtectionDomain domain;
    private final List<Deque<Buffer>> free = new ArrayList<>();
    private long kept;
    private boolean closed;

    MessageBuffers(ProtectionDomain domain) {
        this.domain = domain;
        for (int i = 0; i < SHIFTS; i++) {
            free.add(new ArrayDeque<>());
        }
    }

    final class Buffer implements RegisteredMemory {
        private final int shift;
        private final RegistrableArena arena = RegistrableArena.ofShared();
        private final MemorySegment segment;
        private MemoryRegion region;

        private Buffer(int shift) {
            this.shift = shift;
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
                    free.get(shift).push(this);
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

    synchronized Buffer take(long length) {
        int shift = Math.max(SMALLEST_SHIFT, Long.SIZE - Long.numberOfLeadingZeros(Math.max(length, 1) - 1));
        Buffer buffer = free.get(shift).poll();
        if (buffer != null) {
            kept -= 1L << shift;
            return buffer;
        }
        return new Buffer(shift);
    }

    synchronized void close() {
        closed = true;
        for (Deque<Buffer> size : free) {
            size.forEach(Buffer::free);
            size.clear();
        }
    }
}
