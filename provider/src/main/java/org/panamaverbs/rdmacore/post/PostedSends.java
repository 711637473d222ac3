package org.panamaverbs.rdmacore.post;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.panamaverbs.bindings.rdma.ibv_send_wr;
import org.panamaverbs.rdmacore.ffi.DataCalls;
import org.panamaverbs.rdmacore.ffi.NativeMemory;
import org.panamaverbs.rdmacore.queue.WorkRing;

/** Requests as a chain of structs: {@code ibv_post_send}. */
final class PostedSends implements SendPath {
    private final long queuePair;
    private final MemorySegment postSend;
    private final WorkRing ring;
    private final long badAddress;
    private int refused;

    PostedSends(Arena arena, MemorySegment queuePair, MemorySegment postSend, WorkRing ring) {
        this.badAddress = arena.allocate(ValueLayout.ADDRESS).address();
        this.queuePair = queuePair.address();
        this.postSend = postSend;
        this.ring = ring;
    }

    @Override
    public int post(int first, int last) {
        // Those before it name the next one since that was posted.
        NativeMemory.setLong(ring.address(last - 1) + ibv_send_wr.next$offset(), 0);
        NativeMemory.setLong(badAddress, 0);
        int error = Math.abs(DataCalls.post(postSend, queuePair, ring.address(first), badAddress));
        // libsiw names the first one refused, yet reports success, if it took some and then was full.
        long address = NativeMemory.getLong(badAddress);
        refused = address == 0 ? last : ring.sequenceAt(address, first);
        return error;
    }

    @Override
    public String call() {
        return "ibv_post_send";
    }

    @Override
    public int refused() {
        return refused;
    }
}
