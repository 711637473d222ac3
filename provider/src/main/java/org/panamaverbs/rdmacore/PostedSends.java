package org.panamaverbs.rdmacore;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.panamaverbs.bindings.rdma.ibv_context_ops;
import org.panamaverbs.bindings.rdma.ibv_send_wr;

/** Requests as a chain of structs: {@code ibv_post_send}. */
final class PostedSends implements SendPath {
    private final MemorySegment queuePair;
    private final MemorySegment postSend;
    private final WorkRing ring;
    private final MemorySegment bad = Arena.ofAuto().allocate(ValueLayout.ADDRESS);
    private int refused;

    PostedSends(MemorySegment queuePair, MemorySegment postSend, WorkRing ring) {
        this.queuePair = queuePair;
        this.postSend = postSend;
        this.ring = ring;
    }

    @Override
    public int post(int first, int last) {
        for (int sequence = first; sequence != last; sequence++) {
            long next = sequence + 1 == last ? 0 : ring.request(sequence + 1).address();
            ring.request(sequence).set(ValueLayout.JAVA_LONG, ibv_send_wr.next$offset(), next);
        }
        bad.set(ValueLayout.JAVA_LONG, 0, 0);
        int error = Math.abs(ibv_context_ops.post_send.invoke(postSend, queuePair, ring.request(first), bad));
        // libsiw names the first one refused, yet reports success, where it took some and then was full.
        long address = bad.get(ValueLayout.JAVA_LONG, 0);
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
