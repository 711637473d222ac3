package org.panamaverbs.softiwarp.qp;

import java.lang.foreign.SegmentAllocator;
import org.panamaverbs.softiwarp.ddp.DdpReceiver;
import org.panamaverbs.softiwarp.memory.IoVector;
import org.panamaverbs.softiwarp.mpa.FpduReader;
import org.panamaverbs.softiwarp.mpa.ReadyIndication;
import org.panamaverbs.softiwarp.rdmap.Receiver;
import org.panamaverbs.softiwarp.rdmap.StreamResources;
import org.panamaverbs.softiwarp.rdmap.Terminator;
import org.panamaverbs.softiwarp.wire.Rdmap;
import org.panamaverbs.softiwarp.wire.TerminateCode;

/**
 * The receiving half of a stream: MPA's reader, DDP's receiver and RDMAP's receiver. The receiving thread alone writes its fields.
 *
 * <p>{@link #poll} gives the places of the next bytes, {@link #onReceived} reports the bytes. After each input, if
 * {@link #takeTransmissionDue}, the driver polls the transmitting half.
 */
public final class InboundStream {
    private final StreamResources resources;
    private final StreamLife life;
    private final Terminator terminator;
    private final Counters counters;
    private final Receiver receiver;
    private final FpduReader reader;
    /** Whether the first FPDU was verified since the last {@link #takeTransmissionDue}: this side may send from now on. */
    private boolean released;
    private volatile boolean held;
    private volatile boolean flushed;

    InboundStream(StreamResources resources, StreamOptions options, SegmentAllocator memory, StreamLife life, Terminator terminator,
            Counters counters) {
        this.resources = resources;
        this.life = life;
        this.terminator = terminator;
        this.counters = counters;
        this.receiver = new Receiver(resources, options.extensions(), memory.allocate(Receiver.CONTROL_SIZE, 8));
        int queues = options.extensions() ? Rdmap.QUEUES : Rdmap.QUEUES_WITHOUT_EXTENSIONS;
        this.reader = new FpduReader(new DdpReceiver(receiver, queues), options.crc(), options.verifyBeforePlace(), counters, memory);
    }

    void connect(boolean hold, ReadyIndication ready) {
        held = hold;
        switch (ready) {
            case AWAITED -> receiver.expectReady();
            case AWAITED_SEND -> {
                receiver.expectReady();
                receiver.awaitReadySend();
            }
            case NONE, WRITE, READ, SEND -> {
                // This side awaits no indication.
            }
        }
    }

    /** Whether this side may send nothing: it is the responder and has verified no FPDU of the peer (RFC 5044, 7.1.2). For any thread. */
    boolean isHeld() {
        return held;
    }

    /** Gives the places of the next bytes: replaces the content of the vector. */
    public void poll(IoVector into) {
        reader.targets(into);
    }

    /** How many bytes the last {@link #poll} asked for. */
    public long asked() {
        return reader.asked();
    }

    /** Bytes have come, in the order of the vector. May end the stream. */
    public void onReceived(long count) {
        int error = reader.onReceived(count);
        if (held && reader.hasVerified()) {
            held = false;
            released = true;
        }
        if (receiver.peerError() != TerminateCode.NONE) {
            if (life.move(StreamState.Event.PEER_ERROR, EndReason.peerError(receiver.peerError()))) {
                counters.terminatesReceived++;
            }
        } else if (error != TerminateCode.NONE) {
            terminate(error);
        }
    }

    /** The memory that the next bytes should go to can no longer be used. */
    public void onBadMemory() {
        terminate(reader.onBadMemory());
    }

    private void terminate(int error) {
        if (life.move(StreamState.Event.LOCAL_ERROR, EndReason.localError(error))) {
            counters.checksumErrors += error == TerminateCode.MPA_CRC ? 1 : 0;
            terminator.prepare(error, reader.header(), reader.headerSize(), reader.ulpduLength(), receiver.readRequest());
        }
    }

    /**
     * The peer has ended its direction.
     *
     * @return {@code false} if that cut a message short
     */
    public boolean onEndOfStream() {
        if (!reader.isAtBoundary() || receiver.isInAnswer()) {
            life.lose(EndReason.CUT_SHORT);
            return false;
        }
        if (!life.move(StreamState.Event.END_OF_STREAM, EndReason.ORDERLY) && !resources.outboundReads().isEmpty()) {
            // The stream is closing and waits for answers to its Reads, which will not come.
            life.move(StreamState.Event.DRAINED, EndReason.ORDERLY);
        }
        return true;
    }

    /** Whether the transmitting half has new work since the last call. */
    public boolean takeTransmissionDue() {
        boolean due = receiver.takeTransmissionDue() || released;
        released = false;
        return due;
    }

    /** Flushes the Reads in flight and the receives. Call it only after {@link OutboundStream#cut}, and again for receives posted later. */
    public void flush() {
        receiver.flush();
        flushed = true;
    }

    /** Whether the Reads and receives are flushed: no memory is in use. Any thread may call it. */
    public boolean isFlushed() {
        return flushed;
    }

    /** How many bytes of the peer's messages and of the answers to our Reads have come. Any thread may call it. */
    public long bytesReceived() {
        return receiver.bytesReceived();
    }

    /** How many bytes of the peer's Writes have come. Any thread may call it. */
    public long bytesWrittenByPeer() {
        return receiver.bytesWritten();
    }

    /** How many bytes of the answers to our Reads have come. */
    long answered() {
        return receiver.answered();
    }
}
