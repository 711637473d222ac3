package org.panamaverbs.softiwarp.qp;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.util.concurrent.atomic.AtomicReference;
import org.panamaverbs.softiwarp.memory.IoVector;
import org.panamaverbs.softiwarp.rdmap.Receiver;
import org.panamaverbs.softiwarp.rdmap.Sender;
import org.panamaverbs.softiwarp.rdmap.StreamResources;
import org.panamaverbs.softiwarp.wire.Ddp;
import org.panamaverbs.softiwarp.wire.Rdmap;
import org.panamaverbs.softiwarp.wire.ReadRequest;
import org.panamaverbs.softiwarp.wire.Terminate;
import org.panamaverbs.softiwarp.wire.TerminateCode;

/**
 * One queue pair's iWARP stream, from the end of MPA's start to the end of the connection: a state machine without I/O.
 *
 * <p>Inputs are {@code on…}: {@link #onReceived} after the bytes asked for by {@link #pollReceive} came, {@link #onSent} after bytes of
 * {@link #pollTransmit} went, {@link #onEndOfStream}, {@link #onLost}, {@link #onBadReceiveMemory}, {@link #onBadTransmitMemory}.
 * Commands are verbs: {@link #disconnect}, {@link #flushReceives}, {@link #flushRequests}. Outputs are polled: {@code pollReceive} says
 * where the next bytes go; {@code pollTransmit} what to send; {@link #state} and {@link #errorCode} how it stands. After every receiving
 * input, poll for transmission where {@link #isTransmissionDue} says so: an answer may be due, or a request that waited may start.
 *
 * <p>The receiving methods belong to one thread at a time, the transmitting ones to one thread at a time, which may be another; commands
 * may come from anywhere.
 */
public final class Stream {
    private final StreamResources endpoint;
    private final Receiver receiver;
    private final Sender sender;
    private final Inbound inbound;
    private final Outbound outbound;
    private final Counters counters = new Counters();
    private final AtomicReference<StreamState> state = new AtomicReference<>(StreamState.IDLE);
    /** The first cause, ours or the peer's; written once, before the state that it leads to. */
    private volatile int errorCode = TerminateCode.NONE;
    private volatile boolean errorFromPeer;
    /** Whether the responder's first FPDU waits for the initiator's; volatile: cleared by the receiving thread. */
    private volatile boolean held;

    /**
     * Makes a stream that is not connected.
     *
     * @param endpoint     its queues
     * @param requestSlots how many slots the send queue has
     * @param options      how it frames
     * @param memory       gives native memory that any thread may use
     */
    public Stream(StreamResources endpoint, int requestSlots, StreamOptions options, SegmentAllocator memory) {
        this.endpoint = endpoint;
        this.receiver = new Receiver(endpoint, memory.allocate(Receiver.CONTROL_SIZE, 8));
        this.sender = new Sender(endpoint, memory.allocate(Sender.CONTROL_SIZE, 8), options.sendElements());
        this.inbound = new Inbound(receiver, options, counters, memory);
        this.outbound = new Outbound(sender, endpoint.sendQueue(), requestSlots, options, counters, memory);
    }

    /**
     * The connection is established.
     *
     * @param hold      whether nothing may be sent before the peer's first FPDU came (the responder; RFC 5044, 7.1.2)
     * @param sendReady whether the first message is a ready-to-receive indication (RFC 6581, 9.2)
     */
    public void connect(boolean hold, boolean sendReady) {
        held = hold;
        if (sendReady) {
            sender.sendReadyFirst();
        }
        move(StreamState.Event.CONNECT);
    }

    /** Where it is in its life. */
    public StreamState state() {
        return state.get();
    }

    /** Why it failed, or none. */
    public int errorCode() {
        return errorCode;
    }

    /** Whether the peer said so, in a Terminate. */
    public boolean isErrorFromPeer() {
        return errorFromPeer;
    }

    /** What it has carried. */
    public Counters counters() {
        return counters;
    }

    private boolean move(StreamState.Event event) {
        while (true) {
            StreamState from = state.get();
            StreamState to = from.after(event);
            if (from == to) {
                return false;
            }
            if (state.compareAndSet(from, to)) {
                return true;
            }
        }
    }

    /** Says where the next bytes go; fills the vector anew. */
    public void pollReceive(IoVector into) {
        inbound.targets(into);
    }

    /** How many bytes that asked for. */
    public long asked() {
        return inbound.asked();
    }

    /** Bytes came. Afterwards the state may have changed. */
    public void onReceived(long count) {
        int error = inbound.onReceived(count);
        if (held && counters.segmentsReceived > 0) {
            held = false;
        }
        if (receiver.peerError() != TerminateCode.NONE) {
            fail(receiver.peerError(), true, StreamState.Event.PEER_ERROR);
        } else if (error != TerminateCode.NONE) {
            terminate(error);
        }
    }

    /** The memory that bytes were to be received into cannot be used any more. */
    public void onBadReceiveMemory() {
        terminate(inbound.badMemory());
    }

    /** The peer ended its direction; {@code true} where that left nothing half done. */
    public boolean onEndOfStream() {
        boolean orderly = inbound.isAtBoundary();
        if (!orderly) {
            fail(TerminateCode.MPA_CLOSED, false, StreamState.Event.LOST);
        }
        move(StreamState.Event.END_OF_STREAM);
        return orderly;
    }

    /** The connection broke. */
    public void onLost() {
        fail(TerminateCode.MPA_CLOSED, false, StreamState.Event.LOST);
    }

    /** The program ends the connection. */
    public boolean disconnect() {
        return move(StreamState.Event.DISCONNECT);
    }

    /** The connection is closed. */
    public void onFinished() {
        move(StreamState.Event.FINISHED);
    }

    private void fail(int code, boolean fromPeer, StreamState.Event event) {
        if (errorCode == TerminateCode.NONE && state.get() == StreamState.RTS) {
            errorFromPeer = fromPeer;
            errorCode = code;
        }
        move(event);
    }

    /** Sends a Terminate for an error found in what was received, with the headers that RFC 5040, figure 10 asks for. */
    private void terminate(int code) {
        if (state.get() != StreamState.RTS) {
            return;
        }
        MemorySegment out = sender.control();
        long at = sender.terminateAt();
        int headers = 0;
        int length = Terminate.SIZE;
        boolean withDdp = inbound.headerSize() > 0 && TerminateCode.layer(code) < 2 && code != TerminateCode.LOCAL_CATASTROPHIC;
        if (withDdp) {
            headers = Terminate.SEGMENT_LENGTH | Terminate.DDP_HEADER;
            Terminate.segmentLength(out, at, inbound.ulpduLength());
            MemorySegment.copy(inbound.header(), 0, out, Terminate.ddpHeaderAt(at), inbound.headerSize());
            length = (int) (Terminate.ddpHeaderAt(0) + inbound.headerSize());
            boolean protection = code >>> 8 == TerminateCode.RDMA_INVALID_STAG >>> 8;
            if (protection && isReadRequest()) {
                headers |= Terminate.RDMA_HEADER;
                MemorySegment.copy(receiver.readRequest(), 0, out, at + length, ReadRequest.SIZE);
                length += ReadRequest.SIZE;
            }
        }
        Terminate.put(out, at, code, headers);
        sender.terminate(length);
        fail(code, false, StreamState.Event.LOCAL_ERROR);
    }

    private boolean isReadRequest() {
        return Rdmap.opcode(Ddp.ulp(inbound.header(), 0)) == Rdmap.READ_REQUEST;
    }

    /**
     * What to send next.
     *
     * @return empty where there is nothing now
     */
    public IoVector pollTransmit() {
        StreamState now = state.get();
        if (now != StreamState.RTS && now != StreamState.TERMINATING) {
            return outbound.vector();
        }
        IoVector vector = now == StreamState.RTS && held ? outbound.pollLocal() : outbound.poll();
        if (outbound.isOverrun()) {
            terminateBare(TerminateCode.LOCAL_CATASTROPHIC);
        }
        if (outbound.isBroken()) {
            onBadDescription();
            return outbound.poll();
        }
        return vector;
    }

    /** Whether there may be something to send after what was received; by the receiving thread. */
    public boolean isTransmissionDue() {
        return sender.isDue();
    }

    /** A message's memory was found unusable before any byte of the FPDU was described: a Terminate takes its place. */
    private void onBadDescription() {
        int code = outbound.brokenCode();
        outbound.dropMessage();
        terminateBare(code);
    }

    /** Sends a Terminate that no received message caused; by the transmitting thread. */
    private void terminateBare(int code) {
        if (state.get() == StreamState.RTS) {
            Terminate.put(sender.control(), sender.terminateAt(), code, 0);
            sender.terminate(Terminate.SIZE);
            fail(code, false, StreamState.Event.LOCAL_ERROR);
        }
    }

    /** Bytes of the last {@link #pollTransmit} were sent. */
    public void onSent(long count) {
        outbound.onSent(count);
        if (outbound.isOverrun()) {
            terminateBare(TerminateCode.LOCAL_CATASTROPHIC);
        }
        if (outbound.isDrained() && sender.isTerminated()) {
            move(StreamState.Event.SENT);
        }
    }

    /** Memory of the last {@link #pollTransmit} cannot be used any more, in the middle of an FPDU: nothing can follow it. */
    public void onBadTransmitMemory() {
        fail(TerminateCode.LOCAL_CATASTROPHIC, false, StreamState.Event.LOST);
        move(StreamState.Event.LOST);
    }

    /** Whether all that was described is sent. */
    public boolean isDrained() {
        return outbound.isDrained();
    }

    /** Whether a Terminate waits to be described. */
    public boolean isTerminateDue() {
        return sender.isTerminateDue();
    }

    /** Flushes the receives; by the receiving thread, once the state is past RTS. */
    public void flushReceives() {
        endpoint.receives().flush();
    }

    /** Flushes the requests; by the transmitting thread, once the state is past RTS. */
    public void flushRequests() {
        endpoint.sendQueue().flush();
    }
}
