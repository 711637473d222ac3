package org.panamaverbs.rdmacore.event;

import java.lang.foreign.MemorySegment;

/** A {@code rdma_cm_id}, as the thread sees it that reads its events. */
public interface WatchedIdentifier {
    MemorySegment address();

    /** The address of the context that it is on, or 0. */
    long context();

    /** An event, before it is acknowledged. */
    void on(CmEvent event);

    /** Destroys it, once. */
    void destroy();
}
