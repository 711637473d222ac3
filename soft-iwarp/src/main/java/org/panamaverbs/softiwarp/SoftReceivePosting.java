package org.panamaverbs.softiwarp;

import org.panamaverbs.Access;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ScatterGatherList;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;
import org.panamaverbs.softiwarp.queue.WorkQueue;

/** Checks receives and writes them into a ring, of one queue pair's own queue or of a shared one. */
final class SoftReceivePosting {
    private final SoftProtectionDomain domain;
    private final WorkQueue ring;
    private final int elements;

    SoftReceivePosting(SoftProtectionDomain domain, WorkQueue ring, int elements) {
        this.domain = domain;
        this.ring = ring;
        this.elements = elements;
    }

    /** Posts a receive; {@code false} if the queue is full. */
    boolean post(long id, MemoryRegion region, long offset, long length) {
        RegisteredMemory memory = SoftPostedMemory.of(domain, region, offset, length, Access.LOCAL_WRITE.bit());
        long sequence = ring.claim(id);
        if (sequence < 0) {
            return false;
        }
        ring.element(sequence, memory, offset, length);
        ring.publish(sequence);
        return true;
    }

    /** Posts a receive of several elements; {@code false} if the queue is full. */
    boolean post(long id, ScatterGatherList list) {
        SoftPostedMemory.check(domain, list, elements, Access.LOCAL_WRITE.bit());
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
