package org.panamaverbs.softiwarp.rdmap;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import org.panamaverbs.QueuePair;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;
import org.panamaverbs.softiwarp.memory.SgeCursor;
import org.panamaverbs.softiwarp.queue.InboundReads;
import org.panamaverbs.softiwarp.queue.SendQueue;
import org.panamaverbs.softiwarp.wire.Rdmap;
import org.panamaverbs.softiwarp.wire.ReadRequest;

/**
 * Chooses the next outbound message and describes it: after {@link #next()} returned {@code true}, the other methods tell what it is,
 * until the next call. Messages go whole, one after another; answers to the peer's Reads and our own requests take turns.
 */
public final class Sender {
    /** The room that the provider's own memory for Read Requests and Terminates needs. */
    public static final int CONTROL_SIZE = 128;
    private static final int TERMINATE_AT = 32;
    /** STag of messages without length: some cards refuse 0. */
    private static final int NO_STAG = 1;

    /** Where the message comes from. */
    public enum Kind {
        /** The send queue; it completes when its bytes are sent. */
        REQUEST,
        /** The send queue, a Read; it completes when the answer is here. */
        READ_REQUEST,
        /** The send queue, a request that sends nothing: see {@link Sender#invalidate}. */
        LOCAL_INVALIDATE,
        /** The answer to a Read of the peer. */
        READ_RESPONSE,
        /** The ready-to-receive indication. */
        READY,
        /** The last message. */
        TERMINATE
    }

    private final StreamResources endpoint;
    private final MemorySegment control;
    private final SgeCursor source;
    private final int[] sequences = new int[Rdmap.QUEUES];

    private Kind kind;
    private int opcode;
    private int stag;
    private long taggedOffset;
    private int queue;
    private int word;
    private long request;
    /** Next of the send queue. */
    private long started;
    private boolean requestsTurn;
    private boolean readyDue;
    private boolean terminated;
    /** Length of the Terminate to send; volatile: publishes its bytes, which the receiving thread writes. */
    private volatile int terminateLength;

    /**
     * Makes the sending half.
     *
     * @param endpoint what it works on
     * @param control  native memory of {@link #CONTROL_SIZE} bytes
     * @param elements the most parts of a request
     */
    public Sender(StreamResources endpoint, MemorySegment control, int elements) {
        this.endpoint = endpoint;
        this.control = control;
        this.source = new SgeCursor(Math.max(1, elements));
    }

    /** Makes a zero-length RDMA Write the first message (RFC 6581, 9.2). */
    public void sendReadyFirst() {
        readyDue = true;
    }

    /** Makes the Terminate that was written at {@link #terminateAt()} the last message. */
    public void terminate(int length) {
        terminateLength = length;
    }

    /** The memory for requests of ours. */
    public MemorySegment control() {
        return control;
    }

    /** Where a Terminate is written. */
    public long terminateAt() {
        return TERMINATE_AT;
    }

    /** Whether the last message was chosen. */
    public boolean isTerminated() {
        return terminated;
    }

    /** Whether a Terminate is to be sent and is not yet. */
    public boolean isTerminateDue() {
        return terminateLength > 0 && !terminated;
    }

    /**
     * Whether there may be a message to choose: one that waits for something is counted too. By any thread; what another one posts or
     * receives meanwhile may be missing.
     */
    public boolean isDue() {
        // What the caller has done, a Read's end for instance, may be what a request waits for that another thread posts right now. Each
        // writes, then looks: one of the two sees the other. The poster's fence is in the kick of the stream's driver.
        VarHandle.fullFence();
        // Only the transmitting thread writes what has started and what is ready: who sees them late says yes once too often.
        return endpoint.sendQueue().doorbell() != started || !endpoint.inboundReads().isEmpty() || isTerminateDue() || readyDue;
    }

    /**
     * Chooses the next message.
     *
     * @return {@code false} where there is none now
     */
    public boolean next() {
        if (terminated) {
            return false;
        }
        if (terminateLength > 0) {
            return nextTerminate();
        }
        if (readyDue) {
            return nextReady();
        }
        requestsTurn = !requestsTurn;
        return requestsTurn ? nextRequest() || nextResponse() : nextResponse() || nextRequest();
    }

    /**
     * Chooses the next request where that sends nothing: those need not wait until something may be sent.
     *
     * @return {@code false} where the next one, if any, sends
     */
    public boolean nextLocal() {
        SendQueue requests = endpoint.sendQueue();
        return terminateLength == 0 && started != requests.doorbell()
                && requests.operation(started) == SendQueue.Operation.LOCAL_INVALIDATE && nextRequest();
    }

    private boolean nextTerminate() {
        terminated = true;
        untagged(Kind.TERMINATE, Rdmap.TERMINATE, Rdmap.TERMINATE_QUEUE, 0);
        source.clear();
        source.add(control, TERMINATE_AT, terminateLength);
        return true;
    }

    private boolean nextReady() {
        readyDue = false;
        source.clear();
        tagged(Kind.READY, Rdmap.WRITE, NO_STAG, 0);
        return true;
    }

    private boolean nextResponse() {
        InboundReads reads = endpoint.inboundReads();
        if (reads.isEmpty()) {
            return false;
        }
        source.clear();
        if (reads.length() > 0) {
            source.add(reads.source(), reads.sourceOffset(), reads.length());
        }
        tagged(Kind.READ_RESPONSE, Rdmap.READ_RESPONSE, reads.sinkStag(), reads.sinkOffset());
        // Its memory is kept by the parts from here on.
        reads.remove();
        return true;
    }

    private boolean nextRequest() {
        SendQueue requests = endpoint.sendQueue();
        if (started == requests.doorbell()) {
            return false;
        }
        long sequence = started;
        if (requests.has(sequence, QueuePair.FENCE) && !endpoint.outboundReads().isEmpty()) {
            return false;
        }
        switch (requests.operation(sequence)) {
            case READ -> {
                if (endpoint.outboundReads().isFull()) {
                    return false;
                }
                readRequest(requests, sequence);
            }
            case WRITE -> {
                requests.source(sequence, source);
                boolean empty = requests.total(sequence) == 0;
                tagged(Kind.REQUEST, Rdmap.WRITE, empty ? NO_STAG : requests.remoteKey(sequence), requests.remoteAddress(sequence));
            }
            case SEND -> send(requests, sequence);
            case LOCAL_INVALIDATE -> {
                // What was posted before it may use the memory still; the completion of the last of that has us look again.
                if (!requests.isOldest(sequence)) {
                    return false;
                }
                kind = Kind.LOCAL_INVALIDATE;
            }
        }
        request = sequence;
        started = sequence + 1;
        return true;
    }

    private void send(SendQueue requests, long sequence) {
        requests.source(sequence, source);
        boolean invalidates = requests.has(sequence, SendQueue.INVALIDATE);
        int send = Rdmap.sendOpcode(requests.has(sequence, QueuePair.SOLICITED), invalidates);
        untagged(Kind.REQUEST, send, Rdmap.SEND_QUEUE, invalidates ? requests.remoteKey(sequence) : 0);
    }

    /**
     * Does what a {@link Kind#LOCAL_INVALIDATE} asks for.
     *
     * @return {@code false} where no memory of the stream's domain has that key
     */
    public boolean invalidate() {
        RegisteredMemory memory = endpoint.table().find(endpoint.sendQueue().remoteKey(request));
        return memory != null && memory.isOf(endpoint.domain()) && endpoint.table().remove(memory);
    }

    private void readRequest(SendQueue requests, long sequence) {
        RegisteredMemory sink = requests.sink(sequence);
        int length = (int) requests.total(sequence);
        boolean empty = length == 0;
        ReadRequest.put(control, 0, empty ? NO_STAG : sink.stag(), empty ? 0 : sink.base() + requests.sinkOffset(sequence), length,
                empty ? NO_STAG : requests.remoteKey(sequence), requests.remoteAddress(sequence));
        source.clear();
        source.add(control, 0, ReadRequest.SIZE);
        endpoint.outboundReads().add(sequence);
        untagged(Kind.READ_REQUEST, Rdmap.READ_REQUEST, Rdmap.READ_REQUEST_QUEUE, 0);
    }

    private void tagged(Kind message, int code, int key, long offset) {
        kind = message;
        opcode = code;
        queue = -1;
        stag = key;
        taggedOffset = offset;
    }

    private void untagged(Kind message, int code, int number, int ulpWord) {
        kind = message;
        opcode = code;
        queue = number;
        word = ulpWord;
        sequences[number]++;
    }

    /** Where it comes from. */
    public Kind kind() {
        return kind;
    }

    /** The request's sequence number, for messages from the send queue. */
    public long request() {
        return request;
    }

    /** Whether it is for a tagged buffer. */
    public boolean isTagged() {
        return queue < 0;
    }

    /** RDMAP's control field. */
    public int ulp() {
        return Rdmap.control(opcode);
    }

    /** The STag; tagged. */
    public int stag() {
        return stag;
    }

    /** The Tagged Offset of the message's first byte; tagged. */
    public long taggedOffset() {
        return taggedOffset;
    }

    /** The queue number; untagged. */
    public int queue() {
        return queue;
    }

    /** The message's number; untagged. */
    public int messageSequence() {
        return sequences[queue];
    }

    /** The layer's 32 bits; untagged. */
    public int word() {
        return word;
    }

    /** The payload, and how far it has been sent. */
    public SgeCursor source() {
        return source;
    }
}
