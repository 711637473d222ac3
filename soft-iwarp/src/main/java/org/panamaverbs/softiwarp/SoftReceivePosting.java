package org.panamaverbs.softiwarp;

import org.panamaverbs.softiwarp.queue.WorkQueue;
import org.panamaverbs.spi.ReceiveWorkRequest;

/** Writes receives, which are checked, into a ring: of one queue pair's own queue or of a shared one. */
final class SoftReceivePosting {
    private final WorkQueue ring;

    SoftReceivePosting(WorkQueue ring) {
        this.ring = ring;
    }

    /** Posts a receive; {@code false} if the queue is full. */
    boolean post(ReceiveWorkRequest request) {
        long sequence = ring.claim(request.id());
        if (sequence < 0) {
            return false;
        }
        for (int i = 0; i < request.elements(); i++) {
            ring.element(sequence, ((SoftMemoryRegion) request.region(i)).memory(), request.offset(i), request.length(i));
        }
        ring.publish(sequence);
        return true;
    }
}
