package org.panamaverbs.rdmacore;

import java.util.Objects;
import org.panamaverbs.Access;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.ScatterGatherList;

/** Checks what is posted, before the device knows of it. */
final class RequestChecks {
    static final int NO_RIGHT = 0;

    private final CoreProtectionDomain domain;

    RequestChecks(CoreProtectionDomain domain) {
        this.domain = domain;
    }

    /** A part of a region, which needs the rights. */
    CoreMemoryRegion memory(MemoryRegion region, long offset, long length, int rights) {
        Objects.requireNonNull(region);
        if (!(region instanceof CoreMemoryRegion own) || own.domain() != domain) {
            throw new IllegalArgumentException("the region is not registered in the queue pair's protection domain");
        }
        Objects.checkFromIndexSize(offset, length, own.length());
        if (!own.isValid()) {
            throw new IllegalStateException("the region, or its arena, is closed, or a peer invalidated it");
        }
        if ((own.access() & rights) != rights) {
            throw new IllegalArgumentException((rights & Access.REMOTE_WRITE.bit()) == 0
                    ? "the region was registered without LOCAL_WRITE, which a receive or Read needs"
                    : "the region was registered without LOCAL_WRITE and REMOTE_WRITE, which a Read on an iWARP device needs");
        }
        return own;
    }

    /** The parts of a list, each of which needs the rights. */
    void list(ScatterGatherList list, int most, int rights) {
        if (list.size() > most) {
            throw new IllegalArgumentException("the list has " + list.size() + " elements; the queue was made for " + most);
        }
        for (int i = 0; i < list.size(); i++) {
            memory(list.region(i), list.offset(i), list.length(i), rights);
        }
    }

    /** The length of a message to send. */
    void message(long length, int flags, QueuePairAttributes attributes) {
        long most = domain.device().attributes().maximumMessageSize();
        if (length > most) {
            throw new IllegalArgumentException("a message has at most " + most + " bytes, not " + length);
        }
        if ((flags & QueuePair.INLINE) != 0 && length > attributes.inlineLength()) {
            throw new IllegalArgumentException("a request with INLINE has at most " + attributes.inlineLength() + " bytes, not " + length
                    + ": see QueuePairAttributes.withInline");
        }
    }
}
