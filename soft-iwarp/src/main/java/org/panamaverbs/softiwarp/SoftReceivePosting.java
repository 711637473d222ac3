package org.panamaverbs.softiwarp;

import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ScatterGatherList;
import org.panamaverbs.softiwarp.queue.WorkQueue;

/** Writes receives, which are checked, into a ring: of one queue pair's own queue or of a shared one. */
final class SoftReceivePosting {
    private final WorkQueue ring;

    SoftReceivePosting(WorkQueue ring) {
        this.ring = ring;
    }

    /** Posts a receive; {@code false} if the queue is full. */
    boolean post(long id, MemoryRegion region, long offset, long length) {
        long sequence = ring.claim(id);
        if (sequence < 0) {
            return false;
        }
        ring.element(sequence, ((SoftMemoryRegion) region).memory(), offset, length);
        ring.publish(sequence);
        return true;
    }

    /** Posts a receive of several elements; {@code false} if the queue is full. */
    boolean post(long id, ScatterGatherList list) {
        long sequence = ring.claim(id);
        if (sequence < 0) {
            return false;
        }
        for (int i = 0; i < list.size(); i++) {
            ring.element(sequence, ((SoftMemoryRegion) list.region(i)).memory(), list.offset(i), list.length(i));
        }
        ring.publish(sequence);
        return true;
    }
}
