package org.panamaverbs.rdmacore.queue;

import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import org.panamaverbs.bindings.rdma.ibv_cq;
import org.panamaverbs.rdmacore.ffi.Calls;
import org.panamaverbs.rdmacore.ffi.DataCalls;
import org.panamaverbs.spi.CompletionBuffer;

/** A completion queue that fills an array of {@code ibv_wc}: {@code ibv_poll_cq}. */
@SuppressWarnings("restricted") // pointers that native code hands out have no size
public final class PlainQueue implements PolledQueue {
    private final MemorySegment address;
    private final long nativeAddress;
    private final MemorySegment pollCq;

    /**
     * @param channel the channel on which the device reports completions
     * @param device  its name
     * @param vector  the completion vector
     */
    public PlainQueue(MemorySegment context, MemorySegment channel, MemorySegment pollCq, String device, int entries, int vector) {
        this.address = Calls.CREATE_CQ.object("create a completion queue of " + entries + " entries on " + device, context, entries,
                MemorySegment.NULL, channel, vector).reinterpret(ibv_cq.sizeof());
        this.nativeAddress = address.address();
        this.pollCq = pollCq;
    }

    @Override
    public MemorySegment address() {
        return address;
    }

    @Override
    public int poll(CompletionBuffer into, int first, int most) {
        int count = DataCalls.poll(pollCq, nativeAddress, most, into.memory().address() + first * CompletionBuffer.SIZE);
        Reference.reachabilityFence(into);
        return count;
    }

    /** Libraries give numbers of their own here, not those of errors: libmlx5 -2. */
    @Override
    public String failure(int result) {
        return "ibv_poll_cq returned " + result;
    }

    @Override
    public boolean knowsTime() {
        return false;
    }
}
