package org.panamaverbs.rdmacore.post;

import java.lang.foreign.MemorySegment;

/** An address handle, as the requests see it that name it and hold it until they are done. */
public interface HeldHandle {
    /** The {@code ibv_ah}. */
    MemorySegment address();

    /** A request is to name it; {@code false} if it is closed. */
    boolean hold();

    /** A request that names it is done. */
    void release();
}
