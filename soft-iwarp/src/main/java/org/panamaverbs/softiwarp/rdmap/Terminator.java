package org.panamaverbs.softiwarp.rdmap;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import org.panamaverbs.softiwarp.ddp.OutboundMessage;
import org.panamaverbs.softiwarp.wire.AtomicRequest;
import org.panamaverbs.softiwarp.wire.Ddp;
import org.panamaverbs.softiwarp.wire.Rdmap;
import org.panamaverbs.softiwarp.wire.ReadRequest;
import org.panamaverbs.softiwarp.wire.Terminate;
import org.panamaverbs.softiwarp.wire.TerminateCode;

/**
 * Owns the Terminate of a stream. The thread whose error ends the stream prepares it, once; then the transmitting thread sends it as the
 * last message.
 */
public final class Terminator implements MessageSource {
    /** On the heap: a thread may still prepare the Terminate of a stream whose memory is given back. */
    private final MemorySegment control = MemorySegment.ofArray(new byte[Terminate.MAXIMUM_SIZE]);
    /** The copy that is sent. The transmitting thread alone uses it. */
    private final MemorySegment sent;
    /** The length of the Terminate in bytes, 0 while there is none; the volatile write publishes the bytes. */
    private volatile int length;
    /** Whether the Terminate is described to its last byte. The transmitting thread alone uses it. */
    private boolean described;

    /**
     * Makes one that has nothing to send.
     *
     * @param memory allocates native memory. The Terminate gets its memory now, so that an end needs none.
     */
    public Terminator(SegmentAllocator memory) {
        this.sent = memory.allocate(Terminate.MAXIMUM_SIZE, 8);
    }

    /**
     * Prepares a Terminate without headers, for an error that no received message caused.
     *
     * @param error one of {@link TerminateCode}
     */
    public void prepare(int error) {
        finish(error, 0, Terminate.SIZE);
    }

    /**
     * Prepares a Terminate for an error in a received segment, with the headers that RFC 5040, figure 10 requires.
     *
     * @param error         one of {@link TerminateCode}
     * @param ddpHeader     the DDP header of the segment
     * @param headerSize    the size of the DDP header in bytes; 0 if the error does not concern a segment
     * @param segmentLength the length of the segment in bytes, header included
     * @param readRequest   the payload of a Read Request; used if the segment is one
     */
    public void prepare(int error, MemorySegment ddpHeader, int headerSize, int segmentLength, MemorySegment readRequest) {
        if (headerSize == 0 || !takesHeader(error)) {
            finish(error, 0, Terminate.SIZE);
            return;
        }
        MemorySegment.copy(ddpHeader, 0, control, Terminate.ddpHeaderAt(0), headerSize);
        addHeaders(error, headerSize, segmentLength, readRequest);
    }

    /**
     * Prepares a Terminate for the answer to a Read or an atomic that cannot be finished, because memory that the request names is gone.
     *
     * <p>The error is one of the request, which was delivered before. So the Terminate repeats the DDP header of the request. For a Read it
     * also repeats the Read Request (RFC 5040, 7.1, rule 3); for an atomic it has no RDMA header (RFC 7306, 8.1, rule 2). Rule 1, "errors
     * detected while creating an Atomic Response", wants no header. We apply rule 1 only to errors of this side, since a peer must learn
     * which of its requests had the invalid STag.
     *
     * @param error one of {@link TerminateCode}
     * @param reads its current request is the one that cannot be finished
     * @param done  bytes of the answer that were sent
     */
    public void prepare(int error, ReadResponder reads, long done) {
        int opcode = reads.isAtomic() ? Rdmap.ATOMIC_REQUEST : Rdmap.READ_REQUEST;
        Ddp.putUntagged(control, Terminate.ddpHeaderAt(0), true, Rdmap.control(opcode), 0, Rdmap.READ_REQUEST_QUEUE,
                reads.messageSequence(), 0);
        if (reads.isAtomic()) {
            addHeaders(error, Ddp.UNTAGGED_SIZE, Ddp.UNTAGGED_SIZE + AtomicRequest.SIZE, control);
            return;
        }
        long at = Terminate.ddpHeaderAt(0) + Ddp.UNTAGGED_SIZE;
        reads.putRequest(control, at, done);
        addHeaders(error, Ddp.UNTAGGED_SIZE, Ddp.UNTAGGED_SIZE + ReadRequest.SIZE, control.asSlice(at, ReadRequest.SIZE));
    }

    private static boolean takesHeader(int error) {
        return TerminateCode.layer(error) < 2 && !TerminateCode.isLocal(error);
    }

    private void addHeaders(int error, int headerSize, int segmentLength, MemorySegment readRequest) {
        Terminate.segmentLength(control, 0, segmentLength);
        int size = (int) Terminate.ddpHeaderAt(0) + headerSize;
        int headers = Terminate.SEGMENT_LENGTH | Terminate.DDP_HEADER;
        int opcode = Rdmap.opcode(Ddp.ulp(control, Terminate.ddpHeaderAt(0)));
        if (TerminateCode.isRdmapProtection(error) && headerSize == Ddp.UNTAGGED_SIZE && opcode == Rdmap.READ_REQUEST) {
            headers |= Terminate.RDMA_HEADER;
            MemorySegment.copy(readRequest, 0, control, size, ReadRequest.SIZE);
            size += ReadRequest.SIZE;
        }
        finish(error, headers, size);
    }

    private void finish(int error, int headers, int size) {
        Terminate.put(control, 0, error, headers);
        length = size;
    }

    @Override
    public boolean next(OutboundMessage message, boolean fixed) {
        if (length == 0 || described) {
            return false;
        }
        message.untagged(Rdmap.control(Rdmap.TERMINATE), 0, Rdmap.TERMINATE_QUEUE);
        MemorySegment.copy(control, 0, sent, 0, length);
        message.source().wrap(sent, 0, length);
        return true;
    }

    @Override
    public void onDescribed(long end) {
        described = true;
    }

    /** Whether the Terminate is described to its last byte. */
    public boolean isDescribed() {
        return described;
    }
}
