package org.panamaverbs.rdmacore;

import java.lang.foreign.MemorySegment;
import org.panamaverbs.Completions;
import org.panamaverbs.bindings.rdma.ibv_context_ops;
import org.panamaverbs.bindings.rdma.ibv_cq;

/** A completion queue that fills an array of {@code ibv_wc}, which is the caller's cursor: {@code ibv_poll_cq}. */
@SuppressWarnings("restricted") // pointers that native code hands out have no size
final class PlainQueue implements PolledQueue {
    private final MemorySegment address;
    private final MemorySegment pollCq;

    PlainQueue(CoreDevice device, int entries) {
        this.address = Calls.CREATE_CQ.object("create a completion queue of " + entries + " entries on " + device.name(),
                device.context(), entries, MemorySegment.NULL, device.channel(), 0).reinterpret(ibv_cq.sizeof());
        this.pollCq = device.ops().pollCq();
    }

    @Override
    public MemorySegment address() {
        return address;
    }

    @Override
    public int poll(Completions into) {
        return ibv_context_ops.poll_cq.invoke(pollCq, address, into.capacity(), into.memory());
    }
}
