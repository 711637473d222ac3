package org.panamaverbs.softiwarp.rdmap;

import java.lang.foreign.MemorySegment;
import org.panamaverbs.softiwarp.ddp.OutboundMessage;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;
import org.panamaverbs.softiwarp.queue.InboundReads;
import org.panamaverbs.softiwarp.wire.AtomicResponse;
import org.panamaverbs.softiwarp.wire.Rdmap;
import org.panamaverbs.softiwarp.wire.ReadRequest;

/**
 * Answers the peer's Reads and atomics in the order in which they came (RFC 5040, 5.2.2; RFC 7306, 5.4 and 7). Each counts against the IRD
 * until its answer is described to its last byte. The responder performs an atomic when its turn to be answered comes. Then the answers to
 * the Reads before it have been generated, and a stream's atomics keep their order. Only the transmitting thread uses this object.
 */
public final class ReadResponder {
    /** Bytes of memory that the responder needs for Atomic Responses. */
    public static final int CONTROL_SIZE = AtomicResponse.SIZE;

    private final InboundReads reads;
    private final MemorySegment control;
    private final AtomicUnit atomics = new AtomicUnit();
    private boolean broken;

    /**
     * Makes one.
     *
     * @param reads   the peer's Reads and atomics that wait for an answer
     * @param control native memory of {@link #CONTROL_SIZE} bytes; it is in use only while an Atomic Response is the current message
     */
    public ReadResponder(InboundReads reads, MemorySegment control) {
        this.reads = reads;
        this.control = control;
    }

    /** Whether the memory of an atomic became unusable before its turn: then the stream must fail, and the responder answers no more. */
    public boolean isBroken() {
        return broken;
    }

    /** Whether no Read waits for an answer or is being answered. */
    public boolean isIdle() {
        return reads.isEmpty();
    }

    /**
     * Fills in the answer to the oldest Read or atomic. Call {@link #finish()} before the next.
     *
     * @return {@code false} if no Read or atomic waits
     */
    boolean next(OutboundMessage message) {
        if (reads.isEmpty() || broken) {
            return false;
        }
        if (reads.isAtomic()) {
            return nextAtomic(message);
        }
        message.tagged(Rdmap.control(Rdmap.READ_RESPONSE), reads.sinkStag(), reads.sinkOffset());
        if (reads.length() > 0) {
            message.source().wrap(reads.source(), reads.sourceOffset(), reads.length());
            message.unstable();
        }
        return true;
    }

    private boolean nextAtomic(OutboundMessage message) {
        if (!atomics.perform(reads)) {
            broken = true;
            return false;
        }
        AtomicResponse.put(control, 0, reads.identifier(), atomics.before());
        message.untagged(Rdmap.control(Rdmap.ATOMIC_RESPONSE), 0, Rdmap.ATOMIC_RESPONSE_QUEUE);
        message.source().wrap(control, 0, AtomicResponse.SIZE);
        return true;
    }

    /** Whether the request that is being answered is an atomic. */
    boolean isAtomic() {
        return reads.isAtomic();
    }

    /** The answer is described to its last byte. */
    void finish() {
        reads.remove();
    }

    /** The MSN of the request that is being answered; the MSNs of queue 1 count from 1. */
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
