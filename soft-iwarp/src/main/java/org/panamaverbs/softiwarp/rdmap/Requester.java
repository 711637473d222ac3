package org.panamaverbs.softiwarp.rdmap;

import java.lang.foreign.MemorySegment;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.softiwarp.ddp.DdpTransmitter;
import org.panamaverbs.softiwarp.ddp.LowerLayer;
import org.panamaverbs.softiwarp.ddp.OutboundMessage;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;
import org.panamaverbs.softiwarp.memory.SgeCursor;
import org.panamaverbs.softiwarp.queue.SendQueue;
import org.panamaverbs.softiwarp.wire.AtomicRequest;
import org.panamaverbs.softiwarp.wire.NetworkOrder;
import org.panamaverbs.softiwarp.wire.Rdmap;
import org.panamaverbs.softiwarp.wire.ReadRequest;
import org.panamaverbs.softiwarp.wire.TerminateCode;
import org.panamaverbs.spi.SendWorkRequest;

/**
 * Starts the requests of the send queue in order, each as one or two messages, and carries out the requests that send nothing. Only the
 * transmitting thread uses it.
 *
 * <p>The transmitting thread completes all requests except Reads and atomics that have started; the receiving thread completes those.
 * So one thread completes each request.
 */
// Tested by Rfc5040MessagesTest, AtomicStreamTest, SimulationTest.
public final class Requester implements MessageSource {
    /** Bytes of memory that the requester needs for Read Requests, Atomic Requests and Immediate Data. */
    public static final int CONTROL_SIZE = AtomicRequest.SIZE;
    /** The STag of messages of length 0: some adapters refuse 0. */
    static final int NO_STAG = 1;

    private static final int SCRATCH_SIZE = 4096;

    private final StreamResources resources;
    private final SendQueue requests;
    private final MemorySegment control;
    /** The sequence number of the next request to start. */
    private long started;
    /** Whether the Write of the current request has started, and the Immediate Data behind it has not. */
    private boolean immediateDue;
    /** Whether a request that sends nothing failed, or the completion queue overran: then no further request starts. */
    private boolean failed;
    /** Requests from this sequence number on do not start. */
    private volatile long limit = Long.MAX_VALUE;

    /**
     * Makes one.
     *
     * @param resources the queues and tables that the stream uses
     * @param control   native memory of {@link #CONTROL_SIZE} bytes; it is in use only while a request's message is the current message
     */
    public Requester(StreamResources resources, MemorySegment control) {
        this.resources = resources;
        this.requests = resources.sendQueue();
        this.control = control;
    }

    /**
     * Lets no request start that is not posted yet; further calls change nothing. Requests that still wait for the doorbell do not count as
     * posted.
     */
    public void stop() {
        if (limit == Long.MAX_VALUE) {
            limit = requests.doorbell();
        }
    }

    /** Carries out the next requests that send nothing, then fills in the message of the next request that sends. */
    @Override
    public boolean next(OutboundMessage message, boolean fixed) {
        if (immediateDue) {
            immediateDue = false;
            immediate(message, current());
            return true;
        }
        doLocal();
        long sequence = started;
        if (!canStart(sequence)) {
            return false;
        }
        switch (requests.operation(sequence)) {
            case READ -> {
                if (resources.outboundReads().isFull()) {
                    return false;
                }
                read(message, sequence);
            }
            case WRITE -> write(message, sequence);
            case WRITE_IMMEDIATE -> {
                write(message, sequence);
                immediateDue = true;
            }
            case IMMEDIATE -> immediate(message, sequence);
            case COMPARE_AND_SWAP, FETCH_AND_ADD -> {
                if (resources.outboundReads().isFull()) {
                    return false;
                }
                atomic(message, sequence);
            }
            case SEND -> send(message, sequence);
            case LOCAL_INVALIDATE, BIND -> {
                // It waits for the requests before it. When the last of these completes, the stream is polled again.
                return false;
            }
        }
        started = sequence + 1;
        return true;
    }

    /**
     * Sends the next requests as long as each is a short Send or Write that DDP can send in one step, and no answer to the peer is due. All
     * else is left to {@link #next}, also memory that cannot be used. Requests of the same memory enter it once.
     *
     * @return bytes of payload
     */
    long sendShort(DdpTransmitter transmitter, ReadResponder responder) {
        long end = failed || immediateDue ? 0 : Math.min(requests.doorbell(), limit);
        long bytes = 0;
        RegisteredMemory entered = null;
        try {
            while (started < end && responder.isIdle() && isShort(started)) {
                RegisteredMemory owner = requests.firstOwner(started);
                if (owner != entered) {
                    exit(entered);
                    entered = enter(owner) ? owner : null;
                }
                if (owner != entered) {
                    break;
                }
                long last = owner == null ? sendShort(transmitter, started, requests.inline(), requests.inlineOffset(started))
                        : sendShort(transmitter, started, owner.segment(), requests.firstOffset(started));
                if (last == LowerLayer.NO_ROOM) {
                    break;
                }
                bytes += requests.total(started);
                requests.described(started, last);
                started++;
            }
        } catch (IllegalStateException e) {
            // An arena is closed: next() ends the stream.
        } finally {
            exit(entered);
        }
        return bytes;
    }

    /** A mapped file may be cut short at any time: copies from it are checked one by one. */
    private static boolean enter(RegisteredMemory memory) {
        return memory == null || !memory.isMapped() && memory.enter();
    }

    private static void exit(RegisteredMemory memory) {
        if (memory != null) {
            memory.exit();
        }
    }

    private boolean isShort(long sequence) {
        SendQueue.Operation operation = requests.operation(sequence);
        long total = requests.total(sequence);
        return (operation == SendQueue.Operation.WRITE || operation == SendQueue.Operation.SEND) && total > 0
                && total <= LowerLayer.COPIED_PAYLOAD && !requests.has(sequence, SendWorkRequest.FENCE) && requests.isInOnePiece(sequence);
    }

    private long sendShort(DdpTransmitter transmitter, long sequence, MemorySegment from, long at) {
        int length = (int) requests.total(sequence);
        int key = requests.remoteKey(sequence);
        if (requests.operation(sequence) == SendQueue.Operation.WRITE) {
            return transmitter.sendTagged(Rdmap.control(Rdmap.WRITE), key, requests.remoteAddress(sequence), from, at, length);
        }
        boolean invalidates = requests.has(sequence, SendQueue.INVALIDATE);
        return transmitter.sendUntagged(control(sequence, invalidates), invalidates ? key : 0, Rdmap.SEND_QUEUE, from, at, length);
    }

    private int control(long sequence, boolean invalidates) {
        return Rdmap.control(Rdmap.sendOpcode(requests.has(sequence, SendWorkRequest.SOLICITED), invalidates));
    }

    private boolean canStart(long sequence) {
        return !failed && sequence < limit && sequence != requests.doorbell()
                && !(requests.has(sequence, SendWorkRequest.FENCE) && !resources.outboundReads().isEmpty());
    }

    /** Carries out the next requests that send nothing, as long as all requests before them are done. */
    public void doLocal() {
        while (canStart(started) && requests.operation(started).isLocal() && requests.isOldest(started)) {
            CompletionStatus status = carryOut(started);
            failed |= status != CompletionStatus.SUCCESS;
            requests.done(started, status, 0);
            failed |= !requests.retireDone();
            started++;
        }
    }

    private CompletionStatus carryOut(long sequence) {
        if (requests.operation(sequence) == SendQueue.Operation.BIND) {
            return requests.bind(sequence, resources.queuePair()) ? CompletionStatus.SUCCESS : CompletionStatus.MEMORY_WINDOW_BIND_ERROR;
        }
        return invalidate(requests.remoteKey(sequence)) ? CompletionStatus.SUCCESS : CompletionStatus.LOCAL_QP_OPERATION_ERROR;
    }

    private boolean invalidate(int key) {
        RegisteredMemory memory = resources.table().find(key);
        // A retired one is a window that is bound to nothing, which keeps its place in the table, or a region that is being closed.
        if (memory == null || memory.isRetired() || !memory.isOf(resources.domain())) {
            return false;
        }
        if (memory.isBinding()) {
            // Only this thread makes a binding of this queue pair live again, so the key still names it.
            return memory.isInvalidatedBy(resources.queuePair()) && memory.retire();
        }
        return resources.table().remove(memory);
    }

    private void write(OutboundMessage message, long sequence) {
        boolean empty = requests.total(sequence) == 0;
        message.tagged(Rdmap.control(Rdmap.WRITE), empty ? NO_STAG : requests.remoteKey(sequence), requests.remoteAddress(sequence));
        requests.source(sequence, message.source());
        message.beginShort();
    }

    private void send(OutboundMessage message, long sequence) {
        boolean invalidates = requests.has(sequence, SendQueue.INVALIDATE);
        message.untagged(control(sequence, invalidates), invalidates ? requests.remoteKey(sequence) : 0, Rdmap.SEND_QUEUE);
        requests.source(sequence, message.source());
        message.beginShort();
    }

    private void read(OutboundMessage message, long sequence) {
        RegisteredMemory sink = requests.sink(sequence);
        int length = (int) requests.total(sequence);
        boolean empty = length == 0;
        ReadRequest.put(control, 0, empty ? NO_STAG : sink.stag(), empty ? 0 : sink.base() + requests.sinkOffset(sequence), length,
                empty ? NO_STAG : requests.remoteKey(sequence), requests.remoteAddress(sequence));
        message.untagged(Rdmap.control(Rdmap.READ_REQUEST), 0, Rdmap.READ_REQUEST_QUEUE);
        message.source().wrap(control, 0, ReadRequest.SIZE);
        resources.outboundReads().add(sequence);
    }

    private void immediate(OutboundMessage message, long sequence) {
        boolean solicited = requests.has(sequence, SendWorkRequest.SOLICITED);
        control.set(NetworkOrder.LONG, 0, requests.operand(sequence, 0));
        message.untagged(Rdmap.control(solicited ? Rdmap.IMMEDIATE_SOLICITED : Rdmap.IMMEDIATE), 0, Rdmap.SEND_QUEUE);
        message.source().wrap(control, 0, Rdmap.IMMEDIATE_SIZE);
    }

    /** The response repeats the number of the request. Requests that are outstanding at the same time have different ones. */
    private void atomic(OutboundMessage message, long sequence) {
        boolean adds = requests.operation(sequence) == SendQueue.Operation.FETCH_AND_ADD;
        AtomicRequest.put(control, 0, adds ? AtomicRequest.FETCH_ADD : AtomicRequest.COMPARE_SWAP, (int) sequence,
                requests.remoteKey(sequence), requests.remoteAddress(sequence), requests.operand(sequence, 0),
                requests.operand(sequence, 1), requests.operand(sequence, 2), requests.operand(sequence, 3));
        message.untagged(Rdmap.control(Rdmap.ATOMIC_REQUEST), 0, Rdmap.READ_REQUEST_QUEUE);
        message.source().wrap(control, 0, AtomicRequest.SIZE);
        resources.outboundReads().add(sequence);
    }

    /** The sequence number of the last request that {@link #next} started. */
    private long current() {
        return started - 1;
    }

    /** A Send or a Write completes when its last byte is sent; a Read or an atomic completes with its answer. */
    @Override
    public void onDescribed(long end) {
        if (!immediateDue) {
            requests.described(current(), end);
        }
    }

    /**
     * The bytes of the stream up to an offset are sent.
     *
     * @return {@code false} if the completion queue overran: then the stream must fail
     */
    public boolean onSent(long offset) {
        return requests.sent(offset);
    }

    /** Not that of a Read, of an atomic or of immediate data. */
    @Override
    public boolean carriesData() {
        return switch (requests.operation(current())) {
            case SEND, WRITE -> true;
            case WRITE_IMMEDIATE -> immediateDue;
            default -> false;
        };
    }

    /** Whether a request that sends nothing failed, or the completion queue overran: then the stream must fail. */
    public boolean isFailed() {
        return failed;
    }

    /** Whether all requests posted before {@link #stop} are done. Any thread may call it. */
    public boolean isDone() {
        return requests.retired() >= limit;
    }

    @Override
    public void onBadMemory() {
        requests.done(current(), CompletionStatus.LOCAL_PROTECTION_ERROR, 0);
    }

    @Override
    public int error() {
        return TerminateCode.LOCAL_CATASTROPHIC;
    }

    /**
     * Completes the first request under way whose memory cannot be read with an error. For use after the channel could not read the memory of
     * a vector, which does not tell whose memory it was.
     *
     * @param unsent    the most bytes that are described and not sent
     * @param described the number of bytes of {@link #current()} that are described; negative for all
     */
    public void failUnreadable(long unsent, long described) {
        SgeCursor source = new SgeCursor();
        MemorySegment scratch = MemorySegment.ofArray(new byte[SCRATCH_SIZE]);
        for (long sequence = requests.retired(); sequence < started; sequence++) {
            if (requests.operation(sequence).isCompletedBySending()) {
                requests.source(sequence, source);
                long end = sequence == current() && described >= 0 ? described : source.remaining();
                source.advance(Math.max(0, end - unsent));
                if (!isReadable(source, end, scratch) && requests.done(sequence, CompletionStatus.LOCAL_PROTECTION_ERROR, 0)) {
                    return;
                }
            }
        }
    }

    private static boolean isReadable(SgeCursor source, long end, MemorySegment scratch) {
        while (source.position() < end) {
            if (!source.get(scratch, 0, Math.min(scratch.byteSize(), end - source.position()))) {
                return false;
            }
        }
        return true;
    }

    /** Flushes all requests except started Reads and atomics; the receiving thread flushes those. Their memory must no longer be in use. */
    public void flush() {
        requests.forgetDescribed();
        requests.ringDoorbell();
        long end = requests.posted();
        for (long sequence = requests.retired(); sequence < end; sequence++) {
            if (sequence >= started || !requests.operation(sequence).isAnswered()) {
                requests.done(sequence, CompletionStatus.FLUSHED, 0);
            }
        }
        requests.retireDone();
    }
}
