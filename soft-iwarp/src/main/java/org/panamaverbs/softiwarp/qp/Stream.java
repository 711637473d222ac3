package org.panamaverbs.softiwarp.qp;

import java.lang.foreign.SegmentAllocator;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.panamaverbs.softiwarp.ddp.DdpReceiver;
import org.panamaverbs.softiwarp.ddp.DdpTransmitter;
import org.panamaverbs.softiwarp.memory.BufferPool;
import org.panamaverbs.softiwarp.memory.Fields;
import org.panamaverbs.softiwarp.memory.IoVector;
import org.panamaverbs.softiwarp.mpa.FpduReader;
import org.panamaverbs.softiwarp.mpa.FpduWriter;
import org.panamaverbs.softiwarp.rdmap.OutboundMessages;
import org.panamaverbs.softiwarp.rdmap.ReadResponder;
import org.panamaverbs.softiwarp.rdmap.Receiver;
import org.panamaverbs.softiwarp.rdmap.Requester;
import org.panamaverbs.softiwarp.rdmap.StreamResources;
import org.panamaverbs.softiwarp.rdmap.Terminator;
import org.panamaverbs.softiwarp.wire.Rdmap;
import org.panamaverbs.softiwarp.wire.TerminateCode;

/**
 * One queue pair's iWARP stream, from the end of MPA's start to the end of the connection: MPA, DDP and RDMAP wired together, without I/O
 * and without a clock.
 *
 * <p>Inputs are {@code on…}, outputs are {@code poll…} and {@code is…}, commands are verbs. Two halves may belong to two threads at a time:
 * <ul>
 * <li>The receiving half: {@link #pollReceive} says where the next bytes go, {@link #onReceived} that they came; {@link #onEndOfStream},
 * {@link #onBadReceiveMemory}, {@link #flushReceiving}. After each, if {@link #takeTransmissionDue}, the transmitting half is to be polled.
 * <li>The transmitting half: {@link #pollTransmit} says what to send, {@link #onSent} that it went; {@link #onBadTransmitMemory}. If
 * {@link #isCutDue}, {@link #cut} comes before anything else.
 * </ul>
 * {@link #disconnect}, {@link #close} and {@link #onLost} may come from any thread; the transmitting half is to be polled after each.
 *
 * <p>The state and the first cause of the end are one word. The thread that moves the stream out of RTS with an error prepares the
 * Terminate, and no other. After the end the transmitting half cuts: it drops what no byte was sent of, copies the rest of the FPDU under
 * way, and only then flushes requests, since it uses none of their memory any more. The receiving half flushes Reads and receives, since it
 * alone places.
 */
public final class Stream {
    /** How far the transmitting half is on its way to the end. */
    public enum Transmission {
        /** Messages are sent. */
        OPEN,
        /** After a disconnect: all that was posted is sent and done. Nothing more is sent. */
        DRAINED,
        /** No message follows but a Terminate, and the requests are flushed. */
        CUT,
        /** Nothing follows at all. */
        SILENT
    }

    private static final VarHandle LIFE = Fields.of(MethodHandles.lookup(), "life", long.class);
    private static final StreamState[] STATES = StreamState.values();
    private static final int STATE_BITS = 8;
    private static final long FROM_PEER = 1L << STATE_BITS;
    private static final int CODE_SHIFT = 32;

    private final StreamResources resources;
    private final Counters counters = new Counters();
    private final Terminator terminator;
    // The receiving half.
    private final Receiver receiver;
    private final FpduReader reader;
    private boolean released;
    // The transmitting half.
    private final Requester requester;
    private final ReadResponder responder;
    private final OutboundMessages messages;
    private final FpduWriter writer;
    private final DdpTransmitter transmitter;
    private final SendCompletions completions;
    /** Requests from here on do not start any more; set when the half learns of a disconnect. */
    private long limit = Long.MAX_VALUE;
    /** An error to end with once all that is described is sent. */
    private int pendingError = TerminateCode.NONE;
    private boolean terminated;

    /** The state's ordinal, {@link #FROM_PEER}, and above {@link #CODE_SHIFT} the code of the first cause. */
    private volatile long life = word(StreamState.IDLE, TerminateCode.NONE, false);
    /** Written by the transmitting half. */
    private volatile Transmission transmission = Transmission.OPEN;
    /** Whether nothing may be sent before the peer's first FPDU is verified; cleared by the receiving half. */
    private volatile boolean held;
    /** Bytes sent while closing; written by the transmitting half. */
    private volatile long drained;

    /**
     * Makes a stream that is not connected.
     *
     * @param resources what it works on
     * @param options   how it frames
     * @param memory    gives native memory that any thread may use
     * @param pool      buffers of {@link FpduWriter#LARGE_BUFFER} bytes
     */
    public Stream(StreamResources resources, StreamOptions options, SegmentAllocator memory, BufferPool pool) {
        this.resources = resources;
        this.terminator = new Terminator(memory);
        this.receiver = new Receiver(resources, memory.allocate(Receiver.CONTROL_SIZE, 8));
        this.reader = new FpduReader(new DdpReceiver(receiver, Rdmap.QUEUES), options.crc(),
                options.verifyBeforePlace(), counters, memory);
        this.requester = new Requester(resources, memory.allocate(Requester.CONTROL_SIZE, 8));
        this.responder = new ReadResponder(resources.inboundReads());
        this.messages = new OutboundMessages(requester, responder);
        this.writer = new FpduWriter(options.crc(), options.mulpdu(), options.elements(), memory, pool);
        this.transmitter = new DdpTransmitter(writer, Rdmap.QUEUES);
        this.completions = new SendCompletions(resources.sendQueue());
    }

    private static long word(StreamState state, int code, boolean fromPeer) {
        return (long) code << CODE_SHIFT | (fromPeer ? FROM_PEER : 0) | state.ordinal();
    }

    private static StreamState state(long word) {
        return STATES[(int) word & (1 << STATE_BITS) - 1];
    }

    /**
     * The connection is established.
     *
     * @param hold      whether nothing may be sent before the peer's first FPDU is verified (the responder; RFC 5044, 7.1.2)
     * @param sendReady whether the first message is a ready-to-receive indication (RFC 6581, 9.2)
     */
    public void connect(boolean hold, boolean sendReady) {
        held = hold;
        if (sendReady) {
            messages.sendReadyFirst();
        }
        move(StreamState.Event.CONNECT);
    }

    /** Where it is in its life. */
    public StreamState state() {
        return state(life);
    }

    /** The first cause of its end, or none while it lives and after an end in good order. */
    public int errorCode() {
        return (int) (life >> CODE_SHIFT);
    }

    /** Whether the peer said so, in a Terminate. */
    public boolean isErrorFromPeer() {
        return (life & FROM_PEER) != 0;
    }

    /** What it has carried. */
    public Counters counters() {
        return counters;
    }

    private boolean move(StreamState.Event event) {
        return move(event, TerminateCode.NONE, false);
    }

    /** Moves to the state after an event; the code is kept if it leads to another state. */
    private boolean move(StreamState.Event event, int code, boolean fromPeer) {
        while (true) {
            long from = life;
            StreamState to = state(from).after(event);
            if (to == state(from)) {
                return false;
            }
            long next = event == StreamState.Event.FINISHED ? from - state(from).ordinal() + to.ordinal() : word(to, code, fromPeer);
            if (LIFE.compareAndSet(this, from, next)) {
                return true;
            }
        }
    }

    // Commands of any thread.

    /** Ends the stream in good order, once all that was posted is sent and done; {@code false} if it has ended before. */
    public boolean disconnect() {
        return move(StreamState.Event.DISCONNECT);
    }

    /** Ends the stream at once. If a request is outstanding, the peer gets a Terminate: it is not to take this for a good end. */
    public void close() {
        if (resources.sendQueue().retired() == resources.sendQueue().posted()) {
            move(StreamState.Event.CLOSE);
        } else if (move(StreamState.Event.LOCAL_ERROR)) {
            terminator.prepare(TerminateCode.LOCAL_CATASTROPHIC);
        }
    }

    /** Ends a stream that was disconnected: the peer takes no more of what was posted before. */
    public void giveUpDrain() {
        fail(TerminateCode.LOCAL_CATASTROPHIC);
    }

    /** The connection broke. */
    public void onLost() {
        move(StreamState.Event.LOST, TerminateCode.MPA_CLOSED, false);
    }

    /** The connection is closed. */
    public void onFinished() {
        move(StreamState.Event.FINISHED);
    }

    // The receiving half.

    /** Says where the next bytes go; fills the vector anew. */
    public void pollReceive(IoVector into) {
        reader.targets(into);
    }

    /** How many bytes that asked for. */
    public long asked() {
        return reader.asked();
    }

    /** Bytes came. Afterwards the state may have changed. */
    public void onReceived(long count) {
        int error = reader.onReceived(count);
        if (held && reader.hasVerified()) {
            held = false;
            released = true;
        }
        if (receiver.peerError() != TerminateCode.NONE) {
            move(StreamState.Event.PEER_ERROR, receiver.peerError(), true);
        } else if (error != TerminateCode.NONE) {
            terminate(error);
        }
    }

    /** The memory that bytes were to be received into cannot be used any more. */
    public void onBadReceiveMemory() {
        terminate(reader.onBadMemory());
    }

    private void terminate(int error) {
        if (move(StreamState.Event.LOCAL_ERROR, error, false)) {
            terminator.prepare(error, reader.header(), reader.headerSize(), reader.ulpduLength(), receiver.readRequest());
        }
    }

    /** The peer ended its direction; {@code true} if that left nothing half done. */
    public boolean onEndOfStream() {
        if (!reader.isAtBoundary()) {
            onLost();
            return false;
        }
        if (!move(StreamState.Event.END_OF_STREAM) && !resources.outboundReads().isEmpty()) {
            // It waits for answers that will not come.
            move(StreamState.Event.DRAINED);
        }
        return true;
    }

    /** Whether the transmitting half has something new to look at since the last time that this was asked. */
    public boolean takeTransmissionDue() {
        boolean due = receiver.takeTransmissionDue() | released;
        released = false;
        return due;
    }

    /** Flushes the Reads under way and the receives; after the transmitting half has cut. */
    public void flushReceiving() {
        receiver.flush();
    }

    // The transmitting half.

    /**
     * What to send next. What is in it stays until {@link #onSent} or {@link #cut}.
     *
     * @return empty if there is nothing now
     */
    public IoVector pollTransmit() {
        return switch (state()) {
            case IDLE -> writer.vector();
            case RTS -> pollMessages();
            case CLOSING -> pollClosing();
            case ENDING, TERMINATING, ERROR, CLOSED -> pollLast();
        };
    }

    private IoVector pollMessages() {
        if (held) {
            messages.doLocal();
        } else {
            while (describeNext()) {
                // As many as the vector takes.
            }
        }
        if (requester.isFailed() || requester.isOverrun()) {
            fail(TerminateCode.LOCAL_CATASTROPHIC);
        } else if (pendingError != TerminateCode.NONE && writer.vector().size() == 0) {
            failMessage();
        }
        return writer.vector();
    }

    /** Describes the next segment; {@code false} if there is none now. */
    private boolean describeNext() {
        if (pendingError != TerminateCode.NONE) {
            return false;
        }
        if (!transmitter.isInMessage()) {
            if (!messages.next(transmitter.message(), limit)) {
                return false;
            }
            transmitter.begin();
        }
        switch (transmitter.sendSegment()) {
            case NO_ROOM -> {
                return false;
            }
            case BAD_MEMORY -> {
                onBadMessageMemory();
                return false;
            }
            case LAST -> onMessageDescribed();
            case MORE -> {
                // The next call goes on.
            }
        }
        counters.segmentsSent++;
        if (messages.carriesData()) {
            counters.bytesSent += transmitter.payload();
        }
        return true;
    }

    private void onMessageDescribed() {
        if (messages.kind() == OutboundMessages.Kind.REQUEST && requester.completesWhenSent()) {
            completions.onDescribed(requester.current(), writer.described());
        }
        messages.onDescribed();
    }

    /** Nothing of the segment is described: what was described before is sent first. */
    private void onBadMessageMemory() {
        if (messages.kind() == OutboundMessages.Kind.READ_RESPONSE) {
            pendingError = TerminateCode.RDMA_INVALID_STAG;
        } else {
            pendingError = TerminateCode.LOCAL_CATASTROPHIC;
            requester.onBadMemory();
        }
    }

    private void failMessage() {
        if (pendingError == TerminateCode.LOCAL_CATASTROPHIC) {
            fail(pendingError);
        } else if (move(StreamState.Event.LOCAL_ERROR, pendingError, false)) {
            terminator.prepare(pendingError, responder, transmitter.message().source().position());
        }
    }

    private void fail(int error) {
        if (move(StreamState.Event.LOCAL_ERROR, error, false)) {
            terminator.prepare(error);
        }
    }

    private IoVector pollClosing() {
        if (transmission != Transmission.OPEN) {
            return writer.vector();
        }
        if (limit == Long.MAX_VALUE) {
            // Requests that wait for the doorbell are not posted yet: they are flushed.
            limit = resources.sendQueue().doorbell();
        }
        IoVector vector = pollMessages();
        if (vector.size() == 0 && !transmitter.isInMessage() && requester.isDone(limit) && responder.isIdle()) {
            transmission = Transmission.DRAINED;
        }
        return vector;
    }

    /** After the cut: what is left of the FPDU under way, and the Terminate. */
    private IoVector pollLast() {
        if (isCutDue()) {
            // The stream ended this very moment, and its memory is still in use.
            return writer.vector();
        }
        if (isTerminateDue()) {
            if (!transmitter.isInMessage()) {
                terminator.fillIn(transmitter.message());
                transmitter.begin();
            }
            terminated = transmitter.sendSegment() == DdpTransmitter.Outcome.LAST;
        }
        if (writer.vector().size() == 0 && (terminated || !mayTerminate())) {
            transmission = Transmission.SILENT;
        }
        return writer.vector();
    }

    private boolean isTerminateDue() {
        return mayTerminate() && !terminated && terminator.isReady();
    }

    /** A peer that has not sent its first FPDU takes none of ours, not even a Terminate. */
    private boolean mayTerminate() {
        return state() == StreamState.TERMINATING && transmission != Transmission.SILENT && !held;
    }

    /**
     * Bytes of the last {@link #pollTransmit} were sent.
     *
     * @param count 1 or more
     */
    public void onSent(long count) {
        counters.writeCalls++;
        counters.bytesWritten += count;
        writer.onSent(count);
        if (!completions.onSent(writer.sent())) {
            fail(TerminateCode.LOCAL_CATASTROPHIC);
        }
        if (limit != Long.MAX_VALUE) {
            drained = writer.sent();
        }
    }

    /** Memory of the last {@link #pollTransmit} cannot be used any more. */
    public void onBadTransmitMemory() {
        fail(TerminateCode.LOCAL_CATASTROPHIC);
    }

    /** Whether the stream is over and {@link #cut} has not been called. */
    public boolean isCutDue() {
        Transmission now = transmission;
        return (now == Transmission.OPEN || now == Transmission.DRAINED) && state().isOver();
    }

    /** Flushes requests that were posted after {@link #cut}. */
    public void flushLate() {
        Transmission now = transmission;
        if (now == Transmission.CUT || now == Transmission.SILENT) {
            requester.flush();
        }
    }

    /**
     * Ends transmission at the end of the FPDU under way, and flushes the requests but for Reads that have started. Whoever writes the
     * vector has taken it back before.
     */
    public void cut() {
        boolean whole = writer.cut();
        transmitter.drop();
        completions.clear();
        requester.flush();
        // If the rest of the FPDU under way is lost, the peer could not find the start of another one.
        transmission = whole ? Transmission.CUT : Transmission.SILENT;
    }

    /** Nothing can be sent any more: gives up all that is described, and flushes the requests. After {@link #cut}, or after a defect. */
    public void abandon() {
        writer.abandon();
        requester.flush();
        transmission = Transmission.SILENT;
    }

    /** How far transmission is on its way to the end; by any thread. */
    public Transmission transmission() {
        return transmission;
    }

    /** A number that changes as long as something is sent after a disconnect; by any thread. */
    public long drained() {
        return drained;
    }

    /** After a disconnect: all that was posted is sent and done, or will never be. */
    public void endDrain() {
        move(StreamState.Event.DRAINED);
    }
}
