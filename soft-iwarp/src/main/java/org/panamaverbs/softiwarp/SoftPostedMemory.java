package org.panamaverbs.softiwarp;

import java.util.Objects;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ScatterGatherList;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;

/** Checks the memory that a request names, for all queues of a protection domain. */
final class SoftPostedMemory {
    /** The right that memory needs to be sent from: none. */
    static final int NO_RIGHT = 0;

    private SoftPostedMemory() {
    }

    /** Checks one element and returns its memory. */
    static RegisteredMemory of(SoftProtectionDomain domain, MemoryRegion region, long offset, long length, int right) {
        Objects.requireNonNull(region);
        if (!(region instanceof SoftMemoryRegion own) || own.domain() != domain) {
            throw new IllegalArgumentException("the region is not registered in the queue's protection domain");
        }
        RegisteredMemory memory = own.memory();
        Objects.checkFromIndexSize(offset, length, memory.length());
        if (memory.isRetired()) {
            throw new IllegalStateException("the region is closed, or was invalidated");
        }
        if (!memory.allows(right)) {
            throw new IllegalArgumentException("the region was registered without LOCAL_WRITE, which a receive or Read needs");
        }
        return memory;
    }

    /** Checks a list of at most {@code most} elements, and each element. */
    static void check(SoftProtectionDomain domain, ScatterGatherList list, int most, int right) {
        if (list.size() > most) {
            throw new IllegalArgumentException("the list has " + list.size() + " elements; the queue was made for " + most);
        }
        for (int i = 0; i < list.size(); i++) {
            of(domain, list.region(i), list.offset(i), list.length(i), right);
        }
    }
}
