package org.panamaverbs.softiwarp.queue;

import java.lang.foreign.MemorySegment;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.softiwarp.memory.SgeCursor;

/** The receives that one stream places messages into: its own, or shared with other streams. Only the receiving thread uses it. */
public interface Receives {
    /**
     * Takes the oldest receive, which belongs to the stream until {@link #complete}.
     *
     * @param into wraps the receive's memory after this call
     * @return {@code false} if no receive is posted, or if the stream already holds its share of a shared receive queue
     */
    boolean take(SgeCursor into);

    /**
     * Takes the oldest receive and copies a short message into it, if its first part has room for that.
     *
     * @param source has the message at the offset {@code at}
     * @return {@code false} if nothing is copied and nothing is taken: {@link #take} finds out why
     */
    boolean put(MemorySegment source, long at, int length);

    /**
     * Completes the receive that was taken.
     *
     * @return {@code false} if the completion queue overran
     */
    boolean complete(CompletionStatus status, int vendorError, long length, boolean solicited, boolean invalidated, int key);

    /**
     * Completes the receive that an Immediate Data message took.
     *
     * @param written whether the message before was a Write
     * @param length  bytes of that Write
     * @return {@code false} if the completion queue overran
     */
    boolean completeImmediate(boolean written, long length, boolean solicited, long immediate);

    /** Whether other streams take from the same receives. */
    boolean isShared();

    /** How many receives of the stream are done. Any thread may call it. */
    long completed();

    /** How many of those failed or were flushed. Any thread may call it. */
    long failed();

    /** Flushes all receives that belong to the stream. */
    void flush();
}
