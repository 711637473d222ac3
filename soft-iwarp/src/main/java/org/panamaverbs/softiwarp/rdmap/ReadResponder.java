package org.panamaverbs.softiwarp.rdmap;

import java.lang.foreign.MemorySegment;
import org.panamaverbs.softiwarp.ddp.OutboundMessage;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;
import org.panamaverbs.softiwarp.queue.InboundReads;
import org.panamaverbs.softiwarp.wire.AtomicResponse;
import org.panamaverbs.softiwarp.wire.Rdmap;
import org.panamaverbs.softiwarp.wire.ReadRequest;
import org.panamaverbs.softiwarp.wire.TerminateCode;

/**
 * Answers the peer's Reads and atomics in the order in which they came (RFC 5040, 5.2.2; RFC 7306, 5.4 and 7). Each counts against the IRD
 * until its answer is described to its last byte. The responder performs an atomic when its turn to be answered comes, and the answers to
 * the Reads before it are copied or sent. So no answer before an atomic shows its change, and a stream's atomics keep their order. Only the
 * transmitting thread uses this object.
 */
public final class ReadResponder implements MessageSource {
    /** Bytes of memory that the responder needs for Atomic Responses. */
    public static final int CONTROL_SIZE = AtomicResponse.SIZE;

    private final InboundReads reads;
    private final MemorySegment control;
    private final AtomicUnit atomics = new AtomicUnit();
    /** Of the Terminate, if memory of an answer became unusable before its turn. */
    private int error = TerminateCode.NONE;
    /** Whether the last answer is that to a Read. */
    private boolean carriesData;

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

    /** Whether memory of an answer became unusable before its turn: then the stream must fail, and the responder answers no more. */
    public boolean isBroken() {
        return error != TerminateCode.NONE;
    }

    /** Whether no Read waits for an answer or is being answered. */
    public boolean isIdle() {
        return reads.isEmpty();
    }

    /**
     * Fills in the answer to the oldest Read or atomic.
     *
     * @param fixed whether the answers to all Reads before are copied or sent; if not, they would show the change of an atomic, which waits
     * @return {@code false} if no Read or atomic waits, or if the oldest is an atomic and {@code fixed} is {@code false}: ask again once bytes
     *         are sent
     */
    @Override
    public boolean next(OutboundMessage message, boolean fixed) {
        if (reads.isEmpty() || isBroken()) {
            return false;
        }
        if (reads.isAtomic()) {
            return fixed && nextAtomic(message);
        }
        carriesData = true;
        message.tagged(Rdmap.control(Rdmap.READ_RESPONSE), reads.sinkStag(), reads.sinkOffset());
        if (reads.length() > 0) {
            message.source().wrap(reads.source(), reads.sourceOffset(), reads.length());
            message.unstable();
        }
        return true;
    }

    private boolean nextAtomic(OutboundMessage message) {
        if (!atomics.perform(reads)) {
            onBadMemory();
            return false;
        }
        carriesData = false;
        AtomicResponse.put(control, 0, reads.identifier(), atomics.before());
        message.untagged(Rdmap.control(Rdmap.ATOMIC_RESPONSE), 0, Rdmap.ATOMIC_RESPONSE_QUEUE);
        message.source().wrap(control, 0, AtomicResponse.SIZE);
        return true;
    }

    /** The answer to a Read carries a program's memory, the answer to an atomic does not. */
    @Override
    public boolean carriesData() {
        return carriesData;
    }

    /** Whether the request that is being answered is an atomic. */
    boolean isAtomic() {
        return reads.isAtomic();
    }

    @Override
    public void onDescribed(long end) {
        reads.remove();
    }

    /** The region is closed, or the system cannot give its memory: a file that was mapped and is cut short now. */
    @Override
    public void onBadMemory() {
        error = reads.source().isLive() ? TerminateCode.RDMA_STREAM_CATASTROPHIC : TerminateCode.RDMA_INVALID_STAG;
    }

    @Override
    public int error() {
        return error;
    }

    @Override
    public void prepare(Terminator terminator, long done) {
        terminator.prepare(error(), this, done);
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
