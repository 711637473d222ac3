package org.panamaverbs.softiwarp.qp;

import java.lang.foreign.MemorySegment;
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
import org.panamaverbs.softiwarp.mpa.ReadyIndication;
import org.panamaverbs.softiwarp.rdmap.OutboundMessages;
import org.panamaverbs.softiwarp.rdmap.ReadResponder;
import org.panamaverbs.softiwarp.rdmap.Receiver;
import org.panamaverbs.softiwarp.rdmap.Requester;
import org.panamaverbs.softiwarp.rdmap.StreamResources;
import org.panamaverbs.softiwarp.rdmap.Terminator;
import org.panamaverbs.softiwarp.wire.Rdmap;
import org.panamaverbs.softiwarp.wire.TerminateCode;

/**
 * The iWARP stream of one queue pair, from the end of MPA's start-up to the end of the connection. It wires MPA, DDP and RDMAP together,
 * without I/O and without a clock.
 *
 * <p>Inputs are {@code on…}, outputs are {@code poll…} and {@code is…}, commands are verbs. The stream has two halves, which two threads
 * may drive at the same time:
 * <ul>
 * <li>The receiving half: {@link #pollReceive} says where the next bytes go, {@link #onReceived} reports them; {@link #onEndOfStream},
 * {@link #onBadReceiveMemory}, {@link #flushReceiving}. After each, if {@link #takeTransmissionDue}, the driver polls the other half.
 * <li>The transmitting half: {@link #pollTransmit} says what to send, {@link #onSent} reports what was sent; {@link #onBadTransmitMemory}.
 * If {@link #isCutDue}, the driver calls {@link #cut} before anything else.
 * </ul>
 * Any thread may call {@link #disconnect}, {@link #close} and {@link #onLost}; after each, the driver polls the transmitting half.
 *
 * <p>One word holds the state and the first cause of the end. Only the thread that moves the stream to TERMINATING prepares the Terminate.
 * After the end the transmitting half cuts: it drops the FPDUs of which no byte is sent, copies the rest of the FPDU under way, and then
 * flushes the requests, because it no longer uses their memory. The receiving half flushes Reads and receives, because it alone places
 * data.
 */
// Tested by Rfc5040MessagesTest, Rfc5040DeliveryTest, SimulationTest.
public final class Stream {
    /** How far the transmitting half has come in ending. */
    public enum Transmission {
        /** Messages are sent. */
        OPEN,
        /** After a disconnect, everything posted before is sent and done. Nothing follows, except a Terminate after an error. */
        DRAINED,
        /** The requests are flushed. No message follows except a Terminate. */
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
    /** Requests from this sequence number on do not start; set when the transmitting half sees a disconnect. */
    private long limit = Long.MAX_VALUE;
    /** The error that ends the stream once everything described is sent. */
    private int pendingError = TerminateCode.NONE;
    private boolean terminated;
    /** Whether the channel has taken the whole Terminate. */
    private boolean terminateSent;

    /** The ordinal of the state, {@link #FROM_PEER}, and from bit {@link #CODE_SHIFT} on the code of the first cause. */
    private volatile long life = word(StreamState.IDLE, TerminateCode.NONE, false);
    /** Written by the transmitting half. */
    private volatile Transmission transmission = Transmission.OPEN;
    /** Whether nothing may be sent before the peer's first FPDU is verified; cleared by the receiving half. */
    private volatile boolean held;
    /** The stream offset of the bytes sent, updated after a disconnect until all requests are done; written by the transmitting half. */
    private volatile long drained;
    /** Whether all requests posted before a disconnect are done; written by the transmitting half. */
    private volatile boolean requestsDone;

    /**
     * Makes a stream that is not connected.
     *
     * @param resources the queues and tables that it uses
     * @param options   how it sends and receives FPDUs
     * @param memory    allocates native memory that any thread may use
     * @param pool      holds buffers of {@link FpduWriter#LARGE_BUFFER} bytes
     */
    public Stream(StreamResources resources, StreamOptions options, SegmentAllocator memory, BufferPool pool) {
        this.resources = resources;
        this.terminator = new Terminator(memory);
        this.receiver = new Receiver(resources, options.extensions(), memory.allocate(Receiver.CONTROL_SIZE, 8));
        int queues = options.extensions() ? Rdmap.QUEUES : Rdmap.QUEUES_WITHOUT_EXTENSIONS;
        this.reader = new FpduReader(new DdpReceiver(receiver, queues), options.crc(),
                options.verifyBeforePlace(), counters, memory);
        // Messages do not interleave, so both can use the same memory.
        MemorySegment control = memory.allocate(Math.max(Requester.CONTROL_SIZE, ReadResponder.CONTROL_SIZE), 8);
        this.requester = new Requester(resources, control);
        this.responder = new ReadResponder(resources.inboundReads(), control);
        this.messages = new OutboundMessages(requester, responder);
        this.writer = new FpduWriter(options.crc(), options.markers(), options.mulpdu(), options.elements(), memory, pool);
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
     * @param hold  whether nothing may be sent before the peer's first FPDU is verified: for the responder (RFC 5044, 7.1.2)
     * @param ready the ready-to-receive indication
     */
    public void connect(boolean hold, ReadyIndication ready) {
        held = hold;
        switch (ready) {
            case NONE -> {
                // The first message comes from the initiator's program.
            }
            case WRITE -> messages.sendReadyFirst(Rdmap.WRITE);
            case READ -> messages.sendReadyFirst(Rdmap.READ_REQUEST);
            case SEND -> messages.sendReadyFirst(Rdmap.SEND);
            case AWAITED -> receiver.expectReady();
            case AWAITED_SEND -> {
                receiver.expectReady();
                receiver.awaitReadySend();
            }
        }
        move(StreamState.Event.CONNECT);
    }

    /** The current state. */
    public StreamState state() {
        return state(life);
    }

    /** The first cause of the end; {@link TerminateCode#NONE} before the end, and after an end in good order. */
    public int errorCode() {
        return (int) (life >> CODE_SHIFT);
    }

    /** Whether the peer reported that cause, in a Terminate. */
    public boolean isErrorFromPeer() {
        return (life & FROM_PEER) != 0;
    }

    /**
     * The error of the Terminate that this side has sent, {@link TerminateCode#NONE} if it has sent none. For the transmitting half.
     */
    public int sentTerminate() {
        if (!terminateSent) {
            return TerminateCode.NONE;
        }
        int error = errorCode();
        // Closing with requests outstanding is no error of this side; the Terminate tells the peer not to expect more.
        return error == TerminateCode.NONE ? TerminateCode.LOCAL_CATASTROPHIC : error;
    }

    /** The counters of the traffic that the stream has carried. */
    public Counters counters() {
        return counters;
    }

    private boolean move(StreamState.Event event) {
        return move(event, TerminateCode.NONE, false);
    }

    /** Moves to the state after an event and keeps the code; returns {@code false} if the event changes nothing. */
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

    // Commands and inputs from any thread.

    /** Ends the stream in good order once everything posted is sent and done; {@code false} if it is ending already. */
    public boolean disconnect() {
        return move(StreamState.Event.DISCONNECT);
    }

    /** Ends the stream at once. If a request is outstanding, the peer gets a Terminate, so that it does not see an end in good order. */
    public void close() {
        if (resources.sendQueue().retired() == resources.sendQueue().posted()) {
            move(StreamState.Event.CLOSE);
        } else if (move(StreamState.Event.LOCAL_ERROR)) {
            terminator.prepare(TerminateCode.LOCAL_CATASTROPHIC);
        }
    }

    /** Ends a disconnected stream because the peer takes no more of what was posted before. */
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

    /** Says where the next bytes go: replaces the content of the vector. */
    public void pollReceive(IoVector into) {
        reader.targets(into);
    }

    /** How many bytes the last {@link #pollReceive} asked for. */
    public long asked() {
        return reader.asked();
    }

    /** Bytes have come, in the order of the vector. May change the state. */
    public void onReceived(long count) {
        int error = reader.onReceived(count);
        if (held && reader.hasVerified()) {
            held = false;
            released = true;
        }
        if (receiver.peerError() != TerminateCode.NONE) {
            if (move(StreamState.Event.PEER_ERROR, receiver.peerError(), true)) {
                counters.terminatesReceived++;
            }
        } else if (error != TerminateCode.NONE) {
            terminate(error);
        }
    }

    /** The memory that the next bytes should go to can no longer be used. */
    public void onBadReceiveMemory() {
        terminate(reader.onBadMemory());
    }

    private void terminate(int error) {
        if (move(StreamState.Event.LOCAL_ERROR, error, false)) {
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
            onLost();
            return false;
        }
        if (!move(StreamState.Event.END_OF_STREAM) && !resources.outboundReads().isEmpty()) {
            // The stream is closing and waits for answers to its Reads, which will not come.
            move(StreamState.Event.DRAINED);
        }
        return true;
    }

    /** Whether the transmitting half has new work since the last call. */
    public boolean takeTransmissionDue() {
        boolean due = receiver.takeTransmissionDue() | released;
        released = false;
        return due;
    }

    /** Flushes the Reads in flight and the receives. Call it only after {@link #cut}. */
    public void flushReceiving() {
        receiver.flush();
    }

    // The transmitting half.

    /**
     * The bytes to send next. The content stays until {@link #onSent} or {@link #cut}.
     *
     * @return empty if there is nothing to send now
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
            messages.doLocal(limit);
        } else {
            while (describeNext()) {
                // Until nothing is left or the vector is full.
            }
        }
        if (responder.isBroken() && pendingError == TerminateCode.NONE) {
            pendingError = TerminateCode.RDMA_INVALID_STAG;
        }
        if (requester.isFailed() || requester.isOverrun()) {
            fail(TerminateCode.LOCAL_CATASTROPHIC);
        } else if (pendingError != TerminateCode.NONE && writer.vector().size() == 0) {
            failMessage();
        }
        return writer.vector();
    }

    /** Changes the longest DDP segment that the stream sends, in bytes, header included. For the transmitting half. */
    public void mulpdu(int bytes) {
        writer.mulpdu(bytes);
    }

    /** Describes the next segment; {@code false} if there is none now. */
    private boolean describeNext() {
        if (pendingError != TerminateCode.NONE) {
            return false;
        }
        if (!transmitter.isInMessage()) {
            if (!messages.next(transmitter.message(), limit, writer.isFixed())) {
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
                // The next call continues the message.
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

    /** Nothing of the segment is described. The segments described before are sent first, then the stream fails. */
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
            // Requests that still wait for the doorbell do not count as posted: they are flushed.
            limit = resources.sendQueue().doorbell();
        }
        IoVector vector = pollMessages();
        if (requester.isDone(limit)) {
            requestsDone = true;
            if (vector.size() == 0 && !transmitter.isInMessage() && responder.isIdle()) {
                transmission = Transmission.DRAINED;
            }
        }
        return vector;
    }

    /** After the cut: the rest of the FPDU under way, and the Terminate. */
    private IoVector pollLast() {
        if (isCutDue()) {
            // The stream has just ended and is not cut yet: its memory is still in use.
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
            counters.terminatesSent += terminated && !terminateSent ? 1 : 0;
            terminateSent = terminated;
            transmission = Transmission.SILENT;
        }
        return writer.vector();
    }

    private boolean isTerminateDue() {
        return mayTerminate() && !terminated && terminator.isReady();
    }

    /** While held, nothing may be sent, not even a Terminate (RFC 5044, 7.1.2). */
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
        if (limit != Long.MAX_VALUE && !requestsDone) {
            drained = writer.sent();
        }
    }

    /** Memory of the last {@link #pollTransmit} can no longer be used. */
    public void onBadTransmitMemory() {
        boolean isSource = transmitter.isInMessage() && messages.kind() == OutboundMessages.Kind.REQUEST && messages.carriesData();
        try {
            requester.failUnreadable(writer.vector().bytes(), isSource ? transmitter.message().source().position() : -1);
        } catch (OutOfMemoryError e) {
            // The request is flushed, as the others are. The error must not leave the sender, which would keep the ownership.
        }
        fail(TerminateCode.LOCAL_CATASTROPHIC);
    }

    /** Whether the stream is over and not cut yet. */
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
     * Ends transmission at the end of the FPDU under way, and flushes all requests except Reads that have started. The caller has taken
     * the vector back from the channel before.
     */
    public void cut() {
        boolean whole = writer.cut();
        transmitter.drop();
        completions.clear();
        requester.flush();
        // If the rest of the FPDU under way is lost, the peer could not find the start of another one.
        transmission = whole ? Transmission.CUT : Transmission.SILENT;
    }

    /** Nothing can be sent any more: drops everything described, and flushes the requests. For use after {@link #cut}, or after a bug. */
    public void abandon() {
        writer.abandon();
        requester.flush();
        transmission = Transmission.SILENT;
    }

    /** How far the transmitting half has come in ending. Any thread may call it. */
    public Transmission transmission() {
        return transmission;
    }

    /**
     * A number that grows after a disconnect while requests are outstanding, whenever bytes are sent or bytes of an answer to a Read arrive.
     * For the receiving half.
     */
    public long drained() {
        return drained + receiver.answered();
    }

    /** A number that grows whenever payload of the peer arrives, of Writes, Sends and answers to Reads. For the receiving half. */
    public long heard() {
        return counters.bytesReceived;
    }

    /** Whether all requests posted before a disconnect are done; answers to the peer's Reads may be left. Any thread may call it. */
    public boolean isRequestsDone() {
        return requestsDone;
    }

    /** Ends a disconnected stream: all requests posted before are done. */
    public void endDrain() {
        move(StreamState.Event.DRAINED);
    }
}
