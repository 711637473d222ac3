package org.panamaverbs.rdmacore;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.bindings.rdma.ibv_recv_wr;

/** The receive queue: requests are written as the device wants them, and handed over one by one. For one thread at a time. */
final class ReceiveChain {
    private final long queuePair;
    private final MemorySegment postReceive;
    private final WorkRing ring;
    private final ReceiveRequest request;
    private final long tag;
    private final MemorySegment bad = Arena.ofAuto().allocate(ValueLayout.ADDRESS);

    /**
     * @param arena where its requests live
     */
    ReceiveChain(Arena arena, MemorySegment queuePair, CoreDevice device, QueuePairAttributes attributes, long tag) {
        this.queuePair = queuePair.address();
        this.postReceive = device.ops().postReceive();
        this.ring = new WorkRing(arena, attributes.receiveDepth(), attributes.receiveElements(), ibv_recv_wr.sizeof());
        this.request = new ReceiveRequest(ring.memory(), device);
        this.tag = tag;
    }

    WorkRing ring() {
        return ring;
    }

    int begin(long id) {
        int sequence = ring.begin(id, true, true);
        request.begin(ring.slot(sequence), tag | Integer.toUnsignedLong(sequence));
        return sequence;
    }

    void element(CoreMemoryRegion region, long offset, long length) {
        request.element(region, offset, length);
    }

    void publish(int sequence) {
        request.end();
        ring.publish(sequence);
    }

    /** Hands one to the device; the error number, or 0. */
    int hand(int sequence) {
        ring.handedThrough(sequence + 1);
        int error = Math.abs(DataCalls.post(postReceive, queuePair, ring.address(sequence), bad.address()));
        Reference.reachabilityFence(this);
        if (error != 0) {
            ring.handedThrough(sequence);
        }
        return error;
    }
}
