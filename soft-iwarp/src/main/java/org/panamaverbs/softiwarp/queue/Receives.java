package org.panamaverbs.softiwarp.queue;

import org.panamaverbs.CompletionStatus;
import org.panamaverbs.softiwarp.memory.SgeCursor;

/** The receives that one stream's messages land in, be they its own or shared with others. For the one thread that receives. */
public interface Receives {
    /**
     * Takes the oldest receive; it is the stream's until {@link #complete}.
     *
     * @param into wraps the receive's memory from then on
     * @return {@code false} where none is posted
     */
    boolean take(SgeCursor into);

    /**
     * Completes the receive that was taken.
     *
     * @return {@code false} where the completion queue overran
     */
    boolean complete(CompletionStatus status, int vendorError, long length, boolean solicited, boolean invalidated, int key);

    /** Whether other streams take from the same receives. */
    boolean isShared();

    /** Flushes all that are the stream's. */
    void flush();
}
