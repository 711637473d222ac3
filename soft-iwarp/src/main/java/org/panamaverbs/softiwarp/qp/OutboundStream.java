package org.panamaverbs.softiwarp.qp;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import org.panamaverbs.softiwarp.ddp.DdpTransmitter;
import org.panamaverbs.softiwarp.memory.BufferPool;
import org.panamaverbs.softiwarp.memory.IoVector;
import org.panamaverbs.softiwarp.mpa.FpduWriter;
import org.panamaverbs.softiwarp.mpa.ReadyIndication;
import org.panamaverbs.softiwarp.rdmap.MessageSource;
import org.panamaverbs.softiwarp.rdmap.OutboundMessages;
import org.panamaverbs.softiwarp.rdmap.ReadResponder;
import org.panamaverbs.softiwarp.rdmap.Requester;
import org.panamaverbs.softiwarp.rdmap.StreamResources;
import org.panamaverbs.softiwarp.rdmap.Terminator;
import org.panamaverbs.softiwarp.wire.Rdmap;

/**
 * The transmitting half of a stream: the sources of messages, DDP's transmitter and MPA's writer. The transmitting thread alone writes its
 * fields.
 *
 * <p>{@link #poll} gives the bytes to send, {@link #onSent} reports the bytes that were sent. If {@link #isCutDue}, the driver calls
 * {@link #cut} before anything else.
 */
// Tested by Rfc5040MessagesTest, OneTerminateTest, SimulationTest.
public final class OutboundStream {
    /** How far transmission has come in ending. */
    public enum Stage {
        /** Messages are sent. */
        OPEN,
        /** After a disconnect, everything posted before is sent and done. Nothing follows, except a Terminate after an error. */
        DRAINED,
        /** The requests are flushed. No message follows except a Terminate. */
        CUT,
        /** Nothing follows at all. */
        SILENT
    }

    private final StreamLife life;
    private final InboundStream inbound;
    private final Counters counters;
    private final Terminator terminator;
    private final Requester requester;
    private final ReadResponder responder;
    private final OutboundMessages messages;
    private final FpduWriter writer;
    private final DdpTransmitter transmitter;
    /** The source of the message under way. */
    private MessageSource source;
    /** The source whose message cannot be finished: the stream ends once everything described is sent. {@code null} if there is none. */
    private MessageSource failing;
    private volatile Stage stage = Stage.OPEN;

    OutboundStream(StreamResources resources, StreamOptions options, SegmentAllocator memory, BufferPool pool, StreamLife life,
            Terminator terminator, InboundStream inbound, Counters counters) {
        this.life = life;
        this.inbound = inbound;
        this.counters = counters;
        this.terminator = terminator;
        // Messages do not interleave, so all sources can use the same memory.
        MemorySegment control = memory.allocate(Math.max(Requester.CONTROL_SIZE, ReadResponder.CONTROL_SIZE), 8);
        this.requester = new Requester(resources, control);
        this.responder = new ReadResponder(resources.inboundReads(), control);
        this.messages = new OutboundMessages(resources.outboundReads(), control, requester, responder);
        this.writer = new FpduWriter(options.crc(), options.markers(), options.mulpdu(), options.elements(), memory, pool);
        this.transmitter = new DdpTransmitter(writer, Rdmap.QUEUES);
    }

    void connect(ReadyIndication ready) {
        switch (ready) {
            case WRITE -> messages.sendReadyFirst(Rdmap.WRITE);
            case READ -> messages.sendReadyFirst(Rdmap.READ_REQUEST);
            case SEND -> messages.sendReadyFirst(Rdmap.SEND);
            case NONE, AWAITED, AWAITED_SEND -> {
                // This side sends no indication.
            }
        }
    }

    /** How far transmission has come in ending. Any thread may call it. */
    public Stage stage() {
        return stage;
    }

    /** Changes the longest DDP segment that the stream sends, in bytes, header included. */
    public void mulpdu(int bytes) {
        writer.mulpdu(bytes);
    }

    /**
     * The bytes to send next. The content stays until {@link #onSent} or {@link #cut}.
     *
     * @return empty if there is nothing to send now
     */
    public IoVector poll() {
        switch (life.state()) {
            case IDLE -> {
                // Nothing is posted.
            }
            case RTS -> pollMessages();
            case CLOSING -> pollRest();
            case ENDING, TERMINATING, ERROR, CLOSED -> pollTerminate();
        }
        return writer.vector();
    }

    private void pollMessages() {
        if (inbound.isHeld()) {
            requester.doLocal();
        } else {
            describe();
        }
        if (failing == null && responder.isBroken()) {
            failing = responder;
        }
        if (requester.isFailed()) {
            fail(requester, 0);
        } else if (failing != null && writer.vector().size() == 0) {
            fail(failing, transmitter.message().source().position());
        }
    }

    /** Ends the stream by the error of a source, of whose message so many bytes are described. */
    private void fail(MessageSource failed, long done) {
        if (life.move(StreamState.Event.LOCAL_ERROR, EndReason.localError(failed.error()))) {
            failed.prepare(terminator, done);
        }
    }

    /** Describes segments until nothing is left, or the vector is full. */
    private void describe() {
        while (failing == null && (transmitter.isInMessage() || begin()) && describeSegment()) {
            // The next segment follows.
        }
        counters.segmentsSent = transmitter.segments();
    }

    private boolean begin() {
        if (stage == Stage.CUT) {
            source = terminator.next(transmitter.message(), true) ? terminator : null;
        } else {
            counters.bytesSent += messages.sendShort(transmitter);
            source = messages.next(transmitter.message(), writer.isFixed());
        }
        if (source == null) {
            return false;
        }
        transmitter.begin();
        return true;
    }

    /** Describes the next segment of the message under way; {@code false} if no segment can follow now. */
    private boolean describeSegment() {
        switch (transmitter.sendSegment()) {
            case NO_ROOM -> {
                return false;
            }
            case BAD_MEMORY -> {
                // Nothing of the segment is described. The segments described before are sent first, then the stream fails.
                failing = source;
                source.onBadMemory();
                return false;
            }
            case LAST -> source.onDescribed(writer.described());
            case MORE -> {
                // The next call continues the message.
            }
        }
        if (source == responder) {
            counters.bytesReadByPeer += source.carriesData() ? transmitter.payload() : 0;
        } else if (source.carriesData()) {
            counters.bytesSent += transmitter.payload();
        }
        return true;
    }

    /** After a disconnect: what was posted before. */
    private void pollRest() {
        if (stage != Stage.OPEN) {
            return;
        }
        requester.stop();
        pollMessages();
        if (requester.isDone() && writer.vector().size() == 0 && !transmitter.isInMessage() && responder.isIdle()) {
            stage = Stage.DRAINED;
        }
    }

    /** After the end: the rest of the FPDU under way, and the Terminate. */
    private void pollTerminate() {
        if (stage != Stage.CUT) {
            // Nothing follows, or the stream has just ended and is not cut yet: its memory is still in use.
            return;
        }
        // While held, nothing may be sent, not even a Terminate (RFC 5044, 7.1.2).
        boolean terminates = life.state() == StreamState.TERMINATING && !inbound.isHeld();
        if (terminates) {
            describe();
        }
        if (writer.vector().size() == 0 && (!terminates || terminator.isDescribed())) {
            counters.terminatesSent += terminator.isDescribed() ? 1 : 0;
            stage = Stage.SILENT;
        }
    }

    /**
     * Bytes of the last {@link #poll} were sent.
     *
     * @param count 1 or more
     */
    public void onSent(long count) {
        counters.writeCalls++;
        counters.bytesWritten += count;
        writer.onSent(count);
        if (!requester.onSent(writer.sent())) {
            fail(requester, 0);
        }
    }

    /** Memory of the last {@link #poll} can no longer be used. */
    public void onBadMemory() {
        boolean isSource = transmitter.isInMessage() && source == requester && source.carriesData();
        requester.failUnreadable(writer.vector().bytes(), isSource ? transmitter.message().source().position() : -1);
        fail(requester, 0);
    }

    /** Whether the stream is over and not cut yet. */
    public boolean isCutDue() {
        Stage current = stage;
        return (current == Stage.OPEN || current == Stage.DRAINED) && life.state().isOver();
    }

    /** Flushes requests that were posted after {@link #cut}. */
    public void flushLate() {
        Stage current = stage;
        if (current == Stage.CUT || current == Stage.SILENT) {
            requester.flush();
        }
    }

    /**
     * Ends transmission at the end of the FPDU under way, and flushes all requests except Reads that have started. The caller has taken
     * the vector back from the channel before.
     */
    public void cut() {
        if (life.reason().isSilent() || !writer.cut()) {
            // If the rest of the FPDU under way is lost, the peer could not find the start of another one.
            abandon();
            return;
        }
        transmitter.drop();
        failing = null;
        requester.flush();
        stage = Stage.CUT;
    }

    /** Nothing can be sent any more: drops everything described, and flushes the requests. Allocates nothing. */
    public void abandon() {
        writer.abandon();
        transmitter.drop();
        requester.flush();
        stage = Stage.SILENT;
    }

    /** Whether all requests posted before a disconnect are done; answers to the peer's Reads may be left. Any thread may call it. */
    public boolean isDone() {
        return requester.isDone();
    }

    /** Whether the channel has taken the whole Terminate of this side. */
    public boolean hasTerminated() {
        return stage == Stage.SILENT && counters.terminatesSent > 0;
    }
}
