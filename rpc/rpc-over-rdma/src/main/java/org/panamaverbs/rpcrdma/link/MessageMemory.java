package org.panamaverbs.rpcrdma.link;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Queue;
import org.panamaverbs.Access;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.RegistrableArena;
import org.panamaverbs.spi.support.Rollback;

/** The memory of a link's messages, in one region: first the receives, then the Sends. */
final class MessageMemory {
    private final RegistrableArena arena = RegistrableArena.ofShared();
    private final MemoryRegion region;
    private final int receiveSize;
    private final int sendSize;
    private final Queue<Send> free = new ArrayDeque<>();

    MessageMemory(ProtectionDomain domain, LinkOptions options) {
        receiveSize = options.receiveSize();
        sendSize = options.sendSize();
        long receiveBytes = (long) options.receives() * receiveSize;
        try (Rollback undo = new Rollback()) {
            undo.add(arena::close);
            region = domain.register(arena.allocate(receiveBytes + (long) options.sends() * sendSize, 4096), Access.LOCAL_WRITE);
            undo.commit();
        }
        for (int i = 0; i < options.sends(); i++) {
            free.add(new Send(receiveBytes + (long) i * sendSize));
        }
    }

    /** Memory of a Send. */
    final class Send implements RegisteredMemory {
        private final long offset;
        private final MemorySegment segment;

        private Send(long offset) {
            this.offset = offset;
            segment = region.segment().asSlice(offset, sendSize);
        }

        @Override
        public MemorySegment segment() {
            return segment;
        }

        @Override
        public MemoryRegion region() {
            return region;
        }

        @Override
        public long offset() {
            return offset;
        }

        @Override
        public void release() {
            synchronized (free) {
                free.add(this);
            }
        }
    }

    /** Memory for one Send; {@code null} if there is none left. */
    Send takeSend() {
        synchronized (free) {
            return free.poll();
        }
    }

    MemoryRegion region() {
        return region;
    }

    /** Where a receive begins in the region. */
    long receiveOffset(int index) {
        return (long) index * receiveSize;
    }

    MemorySegment receive(int index) {
        return region.segment().asSlice(receiveOffset(index), receiveSize);
    }

    /** Nothing that was posted uses it any more. */
    void deregister() {
        region.close();
    }

    /**
     * Frees it.
     *
     * @throws IllegalStateException if it is still in use
     */
    void free() {
        arena.close();
    }
}
