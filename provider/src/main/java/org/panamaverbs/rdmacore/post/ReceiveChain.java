package org.panamaverbs.rdmacore.post;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.bindings.rdma.ibv_recv_wr;
import org.panamaverbs.rdmacore.ffi.DataCalls;
import org.panamaverbs.rdmacore.ffi.NativeMemory;
import org.panamaverbs.rdmacore.memory.CoreMemoryRegion;
import org.panamaverbs.rdmacore.queue.WorkRing;

/** The receive queue's requests, written as the device reads them and submitted as a chain. For one thread at a time. */
final class ReceiveChain {
    private final long queuePair;
    private final MemorySegment postReceive;
    private final WorkRing ring;
    private final ReceiveRequest request;
    private final long tag;
    private final long badAddress;
    private int refused;

    /**
     * @param arena the arena that holds its requests
     */
    ReceiveChain(Arena arena, MemorySegment queuePair, PostingDevice device, QueuePairAttributes attributes, long tag) {
        this.queuePair = queuePair.address();
        this.postReceive = device.calls().postReceive();
        this.ring = new WorkRing(arena, attributes.receiveDepth(), attributes.receiveElements(), ibv_recv_wr.sizeof());
        this.request = new ReceiveRequest(ring.memory(), device);
        this.badAddress = arena.allocate(ValueLayout.ADDRESS).address();
        this.tag = tag;
    }

    WorkRing workRing() {
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

    /**
     * Submits requests to the device with one call. Those that the device refused are no longer in the ring.
     *
     * @param first the sequence of the first
     * @param last  the sequence after the last
     * @return the error number, or 0
     */
    int submit(int first, int last) {
        for (int sequence = first; sequence + 1 != last; sequence++) {
            ring.request(sequence).set(ValueLayout.JAVA_LONG, ibv_recv_wr.next$offset(), ring.address(sequence + 1));
        }
        NativeMemory.setLong(badAddress, 0);
        // Before the call: completions may be there before it returns.
        ring.submittedThrough(last);
        int error = Math.abs(DataCalls.post(postReceive, queuePair, ring.address(first), badAddress));
        long address = NativeMemory.getLong(badAddress);
        refused = address != 0 ? ring.sequenceAt(address, first) : error != 0 ? first : last;
        if (refused != last) {
            ring.submittedThrough(refused);
            for (int sequence = refused; sequence != last; sequence++) {
                ring.abandon();
            }
        }
        return error;
    }

    /** The first request that the device did not take of those submitted last; the sequence after the last if it took all. */
    int refused() {
        return refused;
    }
}
