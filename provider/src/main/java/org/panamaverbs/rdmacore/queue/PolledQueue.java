package org.panamaverbs.rdmacore.queue;

import java.lang.foreign.MemorySegment;
import org.panamaverbs.spi.CompletionBuffer;

/** Polls a completion queue of libibverbs. For one thread at a time. */
public interface PolledQueue {
    /** The {@code ibv_cq}. */
    MemorySegment address();

    /**
     * Takes what is there, as libibverbs gives it.
     *
     * @param first the place of the first
     * @param most  at most so many, for which there is room
     * @return how many; less than 0 on failure
     */
    int poll(CompletionBuffer into, int first, int most);

    /** Describes a result of {@link #poll} that is less than 0. */
    String failure(int result);

    /** Whether it gives the time of each. */
    boolean knowsTime();
}
