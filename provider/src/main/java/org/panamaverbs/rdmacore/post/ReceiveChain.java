package org.panamaverbs.rdmacore.post;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.bindings.rdma.ibv_recv_wr;
import org.panamaverbs.rdmacore.ffi.DataCalls;
import org.panamaverbs.rdmacore.ffi.NativeMemory;
import org.panamaverbs.rdmacore.queue.WorkRing;
import org.panamaverbs.spi.ReceiveWorkRequest;

/** The receive queue's requests, written as the device reads them and submitted as a chain. For one thread at a time. */
final class ReceiveChain {
    private final long queuePair;
    private final MemorySegment postReceive;
    private final WorkRing ring;
    private final ReceiveWriter request;
    private final long tag;
    private final long badAddress;

    /**
     * @param arena the arena that holds its requests
     */
    ReceiveChain(Arena arena, MemorySegment queuePair, PostingDevice device, QueuePairAttributes attributes, long tag) {
        this.queuePair = queuePair.address();
        this.postReceive = device.calls().postReceive();
        this.ring = new WorkRing(arena, attributes.receiveDepth(), 0, attributes.receiveElements(), ibv_recv_wr.sizeof());
        this.request = new ReceiveWriter(ring.memory(), device);
        this.badAddress = arena.allocate(ValueLayout.ADDRESS).address();
        this.tag = tag;
    }

    WorkRing workRing() {
        return ring;
    }

    /** Adds a receive; the device sees it when it is submitted. */
    void add(ReceiveWorkRequest work) {
        int sequence = ring.begin(work.id(), true, true);
        long address = ring.address(sequence);
        NativeMemory.setLong(address + ibv_recv_wr.wr_id$offset(), tag | Integer.toUnsignedLong(sequence));
        request.write(ring.slot(sequence), work);
        if (ring.submitted() != sequence) {
            // It follows another one that waits.
            NativeMemory.setLong(ring.address(sequence - 1) + ibv_recv_wr.next$offset(), address);
        }
        ring.publish(sequence);
    }

    /**
     * Submits all that are not submitted to the device with one call.
     *
     * @return the error number, or 0
     */
    int submit() {
        int first = ring.submitted();
        int last = ring.posted();
        NativeMemory.setLong(ring.address(last - 1) + ibv_recv_wr.next$offset(), 0);
        NativeMemory.setLong(badAddress, 0);
        // Before the call: completions may be there before it returns.
        ring.submittedThrough(last);
        int error = Math.abs(DataCalls.post(postReceive, queuePair, ring.address(first), badAddress));
        long address = NativeMemory.getLong(badAddress);
        if (address != 0) {
            ring.submittedThrough(ring.sequenceAt(address, first));
        } else if (error != 0) {
            ring.submittedThrough(first);
        }
        return error;
    }

    /** Those that are not submitted are no longer in the ring. */
    void abandon() {
        while (ring.submitted() != ring.posted()) {
            ring.abandon();
        }
    }
}
