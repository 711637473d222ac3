package org.panamaverbs.rdmacore;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.bindings.rdma.ibv_context_ops;
import org.panamaverbs.bindings.rdma.ibv_recv_wr;

/** The receive queue: requests are written as the device wants them, and handed over one by one. For one thread at a time. */
final class ReceiveChain {
    private final MemorySegment queuePair;
    private final MemorySegment postReceive;
    private final WorkRing ring;
    private final long tag;
    private final boolean needsElement;
    private final MemorySegment bad = Arena.ofAuto().allocate(ValueLayout.ADDRESS);
    private int current;
    private int elements;

    ReceiveChain(MemorySegment queuePair, CoreDevice device, QueuePairAttributes attributes, long tag) {
        this.queuePair = queuePair;
        this.postReceive = device.ops().postReceive();
        this.ring = new WorkRing(attributes.receiveDepth(), attributes.receiveElements(), ibv_recv_wr.sizeof());
        this.tag = tag;
        // libsiw refuses a receive without any; elsewhere one of no bytes may mean 2 GiB.
        this.needsElement = device.isIwarp();
    }

    WorkRing ring() {
        return ring;
    }

    int begin(long id) {
        int sequence = ring.begin(id, true, true);
        MemorySegment request = ring.request(sequence);
        request.set(ValueLayout.JAVA_LONG, ibv_recv_wr.wr_id$offset(), tag | Integer.toUnsignedLong(sequence));
        request.set(ValueLayout.JAVA_LONG, ibv_recv_wr.next$offset(), 0);
        request.set(ValueLayout.JAVA_LONG, ibv_recv_wr.sg_list$offset(), ring.elementsAddress(sequence));
        current = sequence;
        elements = 0;
        return sequence;
    }

    void element(CoreMemoryRegion region, long offset, long length) {
        if (length > 0) {
            ring.element(current, elements++, region.address() + offset, length, region.localKey());
        }
    }

    void publish(int sequence) {
        if (elements == 0 && needsElement) {
            ring.element(sequence, elements++, 0, 0, 0);
        }
        ring.request(sequence).set(ValueLayout.JAVA_INT, ibv_recv_wr.num_sge$offset(), elements);
        ring.publish(sequence, elements);
    }

    /** Hands one to the device; the error number, or 0. */
    int hand(int sequence) {
        bad.set(ValueLayout.JAVA_LONG, 0, 0);
        ring.handedThrough(sequence + 1);
        int error = Math.abs(ibv_context_ops.post_recv.invoke(postReceive, queuePair, ring.request(sequence), bad));
        if (error != 0) {
            ring.handedThrough(sequence);
        }
        return error;
    }
}
