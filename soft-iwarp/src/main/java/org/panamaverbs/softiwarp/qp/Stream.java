package org.panamaverbs.softiwarp.qp;

import java.lang.foreign.SegmentAllocator;
import org.panamaverbs.softiwarp.memory.BufferPool;
import org.panamaverbs.softiwarp.mpa.FpduWriter;
import org.panamaverbs.softiwarp.mpa.ReadyIndication;
import org.panamaverbs.softiwarp.queue.SendQueue;
import org.panamaverbs.softiwarp.rdmap.StreamResources;
import org.panamaverbs.softiwarp.rdmap.Terminator;
import org.panamaverbs.softiwarp.wire.TerminateCode;

/**
 * The iWARP stream of one queue pair, from the end of MPA's start-up to the end of the connection. It wires MPA, DDP and RDMAP together,
 * without I/O and without a clock.
 *
 * <p>Inputs are {@code on…}, outputs are {@code poll…} and {@code is…}, commands are verbs. The stream has three parts:
 * <ul>
 * <li>{@link StreamLife}, the state and the reason for the end. Any thread may end the stream: by {@link #disconnect}, {@link #close} or
 * {@link StreamLife#lose}. After each, the driver polls the transmitting half.
 * <li>{@link InboundStream}, which the receiving thread drives.
 * <li>{@link OutboundStream}, which the transmitting thread drives. The two halves may run at the same time.
 * </ul>
 *
 * <p>Only the thread that moves the stream to TERMINATING prepares the Terminate. After the end the transmitting half cuts: it drops the
 * FPDUs of which no byte is sent, copies the rest of the FPDU under way, and then flushes the requests, because it no longer uses their
 * memory. The receiving half flushes Reads and receives, because it alone places data.
 */
public final class Stream {
    private final SendQueue requests;
    private final Counters counters = new Counters();
    private final StreamLife life = new StreamLife();
    private final Terminator terminator;
    private final InboundStream inbound;
    private final OutboundStream outbound;

    /**
     * Makes a stream that is not connected.
     *
     * @param resources the queues and tables that it uses
     * @param options   how it sends and receives FPDUs
     * @param memory    allocates native memory that any thread may use
     * @param pool      holds buffers of {@link FpduWriter#LARGE_BUFFER} bytes
     */
    public Stream(StreamResources resources, StreamOptions options, SegmentAllocator memory, BufferPool pool) {
        this.requests = resources.sendQueue();
        this.terminator = new Terminator(memory);
        this.inbound = new InboundStream(resources, options, memory, life, terminator, counters);
        this.outbound = new OutboundStream(resources, options, memory, pool, life, terminator, inbound, counters);
    }

    /**
     * The connection is established.
     *
     * @param hold  whether nothing may be sent before the peer's first FPDU is verified: for the responder (RFC 5044, 7.1.2)
     * @param ready the ready-to-receive indication
     */
    public void connect(boolean hold, ReadyIndication ready) {
        inbound.connect(hold, ready);
        outbound.connect(ready);
        life.move(StreamState.Event.CONNECT, null);
    }

    /** The state and the reason for the end. */
    public StreamLife life() {
        return life;
    }

    /** The receiving half. */
    public InboundStream inbound() {
        return inbound;
    }

    /** The transmitting half. */
    public OutboundStream outbound() {
        return outbound;
    }

    /** The current state. */
    public StreamState state() {
        return life.state();
    }

    /** The counters of the traffic that the stream has carried. */
    public Counters counters() {
        return counters;
    }

    /** Ends the stream in good order once everything posted is sent and done; {@code false} if it is ending already. */
    public boolean disconnect() {
        return life.move(StreamState.Event.DISCONNECT, EndReason.ORDERLY);
    }

    /** Ends the stream at once. If a request is outstanding, the peer gets a Terminate, so that it does not see an end in good order. */
    public void close() {
        if (requests.retired() == requests.posted()) {
            life.move(StreamState.Event.CLOSE, EndReason.ORDERLY);
        } else {
            terminate(EndReason.CLOSED_EARLY);
        }
    }

    /** Ends a disconnected stream because the peer takes no more of what was posted before. */
    public void giveUpDrain() {
        terminate(EndReason.GIVEN_UP);
    }

    private void terminate(EndReason reason) {
        if (life.move(StreamState.Event.LOCAL_ERROR, reason)) {
            terminator.prepare(TerminateCode.LOCAL_CATASTROPHIC);
        }
    }

    /** Ends a disconnected stream: all requests posted before are done. */
    public void endDrain() {
        life.move(StreamState.Event.DRAINED, EndReason.ORDERLY);
    }

    /** The connection is closed. */
    public void onFinished() {
        life.move(StreamState.Event.FINISHED, EndReason.ORDERLY);
    }

    /** A number that grows whenever bytes are sent, or bytes of an answer to a Read arrive. For the receiving half. */
    long progress() {
        return counters.bytesWritten() + inbound.answered();
    }
}
