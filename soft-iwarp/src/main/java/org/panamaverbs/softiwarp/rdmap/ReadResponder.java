package org.panamaverbs.softiwarp.rdmap;

import java.lang.foreign.MemorySegment;
import org.panamaverbs.softiwarp.ddp.OutboundMessage;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;
import org.panamaverbs.softiwarp.queue.InboundReads;
import org.panamaverbs.softiwarp.wire.Rdmap;
import org.panamaverbs.softiwarp.wire.ReadRequest;

/**
 * Answers the peer's Reads in the order in which they came (RFC 5040, 5.2.2). A Read counts against the IRD until its answer is
 * described to its last byte. Only the transmitting thread uses it.
 */
public final class ReadResponder {
    private final InboundReads reads;

    /**
     * Makes one.
     *
     * @param reads the peer's Reads that wait for an answer
     */
    public ReadResponder(InboundReads reads) {
        this.reads = reads;
    }

    /** Whether no Read waits for an answer or is being answered. */
    public boolean isIdle() {
        return reads.isEmpty();
    }

    /**
     * Fills in the answer to the oldest Read. Call {@link #finish()} before the next.
     *
     * @return {@code false} if no Read waits
     */
    boolean next(OutboundMessage message) {
        if (reads.isEmpty()) {
            return false;
        }
        message.tagged(Rdmap.control(Rdmap.READ_RESPONSE), reads.sinkStag(), reads.sinkOffset());
        if (reads.length() > 0) {
            message.source().wrap(reads.source(), reads.sourceOffset(), reads.length());
            message.unstable();
        }
        return true;
    }

    /** The answer is described to its last byte. */
    void finish() {
        reads.remove();
    }

    /** The MSN of the Read Request that is being answered; the MSNs of queue 1 count from 1. */
    int messageSequence() {
        return (int) (reads.answered() + 1);
    }

    /**
     * Writes the Read Request that is being answered, for a Terminate: the part that is left (RFC 5040, 4.8).
     *
     * @param done bytes of the answer that were sent
     */
    void putRequest(MemorySegment into, long at, long done) {
        RegisteredMemory source = reads.source();
        ReadRequest.put(into, at, reads.sinkStag(), reads.sinkOffset() + done, (int) (reads.length() - done), source.stag(),
                source.base() + reads.sourceOffset() + done);
    }
}
