package org.panamaverbs.ddp.socket.protocol;

import java.lang.foreign.SegmentAllocator;
import org.panamaverbs.ddp.DdpOptions;
import org.panamaverbs.ddp.MessageSizes;
import org.panamaverbs.ddp.buffers.Client;
import org.panamaverbs.softiwarp.ddp.DdpReceiver;
import org.panamaverbs.softiwarp.ddp.DdpTransmitter;
import org.panamaverbs.softiwarp.memory.BufferPool;
import org.panamaverbs.softiwarp.memory.IoVector;
import org.panamaverbs.softiwarp.mpa.Agreement;
import org.panamaverbs.softiwarp.mpa.FpduReader;
import org.panamaverbs.softiwarp.mpa.FpduWriter;
import org.panamaverbs.softiwarp.mpa.ReceiveCounters;
import org.panamaverbs.softiwarp.wire.Ddp;
import org.panamaverbs.softiwarp.wire.Fpdu;

/** RFC 5041 over MPA without RDMAP. There is no Terminate message: after an error of the peer the stream just ends. */
public final class MpaProtocol extends Rfc5041Protocol {
    /** The largest payload that fits with either DDP header into the longest ULPDU of RFC 5044, 3: whole cache lines of 64 bytes. */
    private static final int LONGEST = (Fpdu.MAXIMUM_ULPDU - Ddp.UNTAGGED_SIZE) / 64 * 64 + Ddp.UNTAGGED_SIZE;

    private final int mulpdu;
    private final FpduReader reader;
    private final FpduWriter writer;
    private volatile boolean held;

    /**
     * Makes the protocol of a new stream.
     *
     * @param agreement the terms that both sides agreed on
     * @param segment   the payload of the largest TCP segment that the path takes, in bytes
     * @param held      whether nothing may be sent before the peer's first FPDU: for the responder (RFC 5044, 7.1.2)
     * @param allocator allocates native memory that any thread may use
     * @param pool      holds buffers of {@link FpduWriter#LARGE_BUFFER} bytes
     */
    public MpaProtocol(Client client, DdpOptions options, Agreement agreement, int segment, boolean held, ReceiveCounters counters,
            SegmentAllocator allocator, BufferPool pool) {
        this(new FpduReader(new DdpReceiver(client, options.queues()), agreement.crc(), false, counters, allocator),
                new FpduWriter(agreement.crc(), agreement.markers(), mulpdu(agreement.markers(), segment), 1, allocator, pool), held);
    }

    /** A peer that asks for Markers needs FPDUs that fit into TCP segments (RFC 5044, 4.5). */
    private static int mulpdu(boolean markers, int segment) {
        return markers ? Math.min(LONGEST, Fpdu.mulpdu(segment, true)) : LONGEST;
    }

    private MpaProtocol(FpduReader reader, FpduWriter writer, boolean held) {
        super(writer, true);
        this.mulpdu = writer.mulpdu();
        this.reader = reader;
        this.writer = writer;
        this.held = held;
    }

    @Override
    public void pollReceive(IoVector into) {
        reader.targets(into);
    }

    @Override
    public String onReceived(long count) {
        int error = reader.onReceived(count);
        if (held && reader.hasVerified()) {
            held = false;
        }
        return describe(error);
    }

    @Override
    public String onBadReceiveMemory() {
        return describe(reader.onBadMemory());
    }

    @Override
    public String onEndOfStream() {
        return reader.isAtBoundary() ? null : "the peer closed the stream in the middle of a message";
    }

    @Override
    public boolean isHeld() {
        return held;
    }

    @Override
    public MessageSizes sizes() {
        return new MessageSizes(mulpdu - Ddp.UNTAGGED_SIZE, mulpdu - Ddp.TAGGED_SIZE);
    }

    @Override
    public IoVector pollTransmit() {
        while (transmitter().isInMessage()) {
            DdpTransmitter.Outcome outcome = transmitter().sendSegment();
            if (outcome == DdpTransmitter.Outcome.BAD_MEMORY) {
                return writer.vector().size() == 0 ? null : writer.vector();
            }
            if (outcome == DdpTransmitter.Outcome.NO_ROOM) {
                break;
            }
        }
        return writer.vector();
    }

    @Override
    public void onSent(long count) {
        writer.onSent(count);
    }

    @Override
    public void drop() {
        super.drop();
        writer.abandon();
    }
}
