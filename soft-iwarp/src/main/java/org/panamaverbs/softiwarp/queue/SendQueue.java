package org.panamaverbs.softiwarp.queue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.panamaverbs.CompletionOpcode;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.softiwarp.memory.Fields;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;
import org.panamaverbs.softiwarp.memory.SgeCursor;
import org.panamaverbs.softiwarp.memory.Window;
import org.panamaverbs.spi.SendWorkRequest;

/**
 * Send requests. Many threads post them, and the transmitting thread starts them in order. They are done in any order, since the receiving
 * thread finishes the Reads, and they complete in order.
 */
public final class SendQueue extends WorkQueue {
    /** The operation of a request. */
    public enum Operation {
        /** A Send, of any of the four kinds. */
        SEND(CompletionOpcode.SEND, true),
        /** An RDMA Write. */
        WRITE(CompletionOpcode.WRITE, true),
        /** An RDMA Write, followed by an Immediate Data message; completes as a Write. */
        WRITE_IMMEDIATE(CompletionOpcode.WRITE, true),
        /** An Immediate Data message; completes as a Send. */
        IMMEDIATE(CompletionOpcode.SEND, true),
        /** An RDMA Read. */
        READ(CompletionOpcode.READ, false),
        /** An Atomic Request of CmpSwap. */
        COMPARE_AND_SWAP(CompletionOpcode.COMPARE_AND_SWAP, false),
        /** An Atomic Request of FetchAdd. */
        FETCH_AND_ADD(CompletionOpcode.FETCH_AND_ADD, false),
        /** Invalidates an STag of our own; nothing is sent. */
        LOCAL_INVALIDATE(CompletionOpcode.LOCAL_INVALIDATE, false),
        /** Binds a memory window; nothing is sent. */
        BIND(CompletionOpcode.BIND_MEMORY_WINDOW, false);

        private final int opcode;
        private final boolean completedBySending;

        Operation(CompletionOpcode opcode, boolean completedBySending) {
            this.opcode = opcode.value();
            this.completedBySending = completedBySending;
        }

        /** Whether it completes when its last byte is sent; if not, by an answer or on this side. */
        public boolean isCompletedBySending() {
            return completedBySending;
        }

        /** Whether the peer's answer completes it. */
        public boolean isAnswered() {
            return this == READ || isAtomic();
        }

        /** Whether it is one of the two atomics. */
        public boolean isAtomic() {
            return this == COMPARE_AND_SWAP || this == FETCH_AND_ADD;
        }

        /** Whether it sends nothing. */
        public boolean isLocal() {
            return this == LOCAL_INVALIDATE || this == BIND;
        }

        /** The opcode of its completion, as {@link CompletionOpcode#value()}. */
        public int opcode() {
            return opcode;
        }
    }

    /** Gets each request that completes, to time it. */
    public interface RetireListener {
        /**
         * A request has completed, visibly or not. Called under a lock of the queue; must not block.
         *
         * @param length of the request in bytes
         */
        void onRetired(long sequence, Operation operation, long length);
    }

    /** A flag besides those of the API: a Send with Invalidate. */
    public static final int INVALIDATE = 1 << 17;

    /** The most operands of a request: those of an atomic. */
    private static final int OPERANDS = 4;

    /** The size of a request in {@code long}s. */
    private static final int WORDS = 4;
    /** In word 0: the length, then 8 bits for the ordinal of the operation, then the flags. */
    private static final int OPERATION_SHIFT = 24;
    private static final int REMOTE_KEY_AT = 1;
    private static final int REMOTE_ADDRESS_AT = 2;
    /**
     * While the request has no outcome, a negative number that only this request has; then the value of its status in the lower 8 bits, and
     * the vendor error in the 16 bits above. So a late outcome of a request cannot be taken for that of the next request in the slot. A
     * request that sending completes has an outcome only if it fails.
     */
    private static final int OUTCOME_AT = 3;
    private static final Operation[] OPERATIONS = Operation.values();
    private static final int STATUS_BITS = 8;
    private static final VarHandle OUTCOME = MethodHandles.arrayElementVarHandle(long[].class);
    /** Written by the transmitting thread with release: the memory of those requests is no longer in use. Read with acquire. */
    private static final VarHandle SENT = Fields.of(MethodHandles.lookup(), "sent", long.class);
    /** Read with acquire and written with release. A thread that rings then kicks the stream's driver, which is a full fence. */
    private static final VarHandle DOORBELL = Fields.of(MethodHandles.lookup(), "doorbell", long.class);

    private final CompletionRing completions;
    private final Origin origin;
    private final boolean signalAll;
    private final SpinLock retiring = new SpinLock();
    /** The requests, without their numbers and parts: {@link #WORDS} each, so that one takes half of a cache line. */
    private long[] words;
    /** The lower halves of the stream offsets at which described requests end. Only the transmitting thread uses it. */
    private int[] ends;
    /** Of atomics and immediate data, {@link #OPERANDS} for each slot; {@code null} until the first such request. */
    private long[] operands;
    /** The windows that are bound; {@code null} until the first such request. */
    private Window[] windows;
    private final SegmentAllocator memory;
    private final int inlineLength;
    /** The bytes of inline requests, a fixed range for each slot; {@code null} until the first inline request. */
    private MemorySegment inline;
    /** Nothing is sent any more: the bytes of further inline requests are not kept. */
    private boolean ended;
    /** Requests before this sequence number may start. */
    @SuppressWarnings("UnusedVariable") // DOORBELL reads it.
    private long doorbell;
    /** Requests before this sequence number are sent: those that sending completes are done without an outcome. */
    private long sent;
    /** The sequence number behind the last described request. Only the transmitting thread uses it. */
    private long described;
    /** {@code null} if no recording times requests. */
    private RetireListener listener;
    /** How many requests have failed. Under {@link #retiring}. */
    private long failed;

    /** Makes an empty queue; the first inline request makes {@code memory} allocate {@code inlineLength} bytes for each slot. */
    public SendQueue(int depth, int elements, int inlineLength, SegmentAllocator memory, boolean signalAll, CompletionRing completions,
            Origin origin) {
        super(depth, elements);
        this.inlineLength = inlineLength;
        this.memory = memory;
        this.signalAll = signalAll;
        this.completions = completions;
        this.origin = origin;
    }

    @Override
    void makeSlots(int count) {
        words = new long[count * WORDS];
        ends = new int[count];
        super.makeSlots(count);
    }

    @Override
    void make(Part part) {
        switch (part) {
            case INLINE -> inline = memory.allocate((long) slots() * inlineLength, 8);
            case OPERANDS -> operands = new long[slots() * OPERANDS];
            case WINDOWS -> windows = new Window[slots()];
            case SLOTS -> super.make(part);
        }
    }

    private int at(long sequence) {
        return slot(sequence) * WORDS;
    }

    /** Fills in a claimed slot; the length is less than 2^32, and the flags take up to 24 bits. */
    public void describe(long sequence, Operation operation, long total, long remoteAddress, int remoteKey, int flags) {
        int at = at(sequence);
        words[at] = total << Integer.SIZE | operation.ordinal() << OPERATION_SHIFT | flags;
        words[at + REMOTE_KEY_AT] = remoteKey;
        words[at + REMOTE_ADDRESS_AT] = remoteAddress;
        words[at + OUTCOME_AT] = outstanding(sequence);
    }

    /**
     * Makes a claimed slot the binding of a window to a part of a region, and gives the window the binding's STag.
     *
     * @param length 0 to bind it to nothing
     * @throws IllegalStateException if the window is closed: the slot is given back
     */
    public void bind(long sequence, Window window, RegisteredMemory region, long offset, long length, int access, int flags) {
        if (windows == null) {
            makeFirst(Part.WINDOWS);
        }
        try {
            describe(sequence, Operation.BIND, 0, access, window.next(), flags);
        } catch (IllegalStateException e) {
            // After this exception the caller does not publish the slot.
            abandon();
            throw e;
        }
        windows[slot(sequence)] = window;
        element(sequence, region, offset, length);
    }

    private static long outstanding(long sequence) {
        return -1 - sequence;
    }

    /** Names the listener for the claimed slot and those after it; publishing the slot publishes the listener. */
    public void listen(RetireListener to) {
        listener = to;
    }

    /** The number of slots; the slot of a request is the remainder of its sequence number. */
    public int slotCount() {
        return slots();
    }

    /** Copies bytes into the inline memory of a claimed slot; {@code at} counts from the start of the message. */
    public void copyInline(long sequence, MemorySegment source, long from, long at, long length) {
        if (length == 0 || ended) {
            return;
        }
        if (inline == null) {
            makeFirst(Part.INLINE);
        }
        MemorySegment.copy(source, from, inline, inlineOffset(sequence) + at, length);
    }

    /**
     * Nothing is sent any more.
     *
     * @param release gives the inline memory back: no thread sends from it any more
     */
    public void end(Runnable release) {
        // A poster copies its bytes under the lock.
        lock();
        try {
            ended = true;
            release.run();
        } finally {
            unlock();
        }
    }

    /** Sets the immediate data of a claimed slot. */
    public void immediate(long sequence, long immediate) {
        operands(sequence, immediate, 0, 0, 0);
    }

    /** Sets the operands of an atomic in a claimed slot (RFC 7306, 5.2.1). */
    public void operands(long sequence, long data, long mask, long compareData, long compareMask) {
        if (operands == null) {
            makeFirst(Part.OPERANDS);
        }
        int at = slot(sequence) * OPERANDS;
        operands[at] = data;
        operands[at + 1] = mask;
        operands[at + 2] = compareData;
        operands[at + 3] = compareMask;
    }

    @Override
    void onPublished(long end) {
        if (!has(end - 1, SendWorkRequest.MORE)) {
            DOORBELL.setRelease(this, end);
        }
    }

    /** Lets all posted requests start. */
    public void ringDoorbell() {
        // Under the posters' lock, because the doorbell must never go back.
        lock();
        DOORBELL.setRelease(this, posted());
        unlock();
    }

    /** Requests before this sequence number may start. */
    public long doorbell() {
        return (long) DOORBELL.getAcquire(this);
    }

    /** The operation of a request. */
    public Operation operation(long sequence) {
        return OPERATIONS[(int) words[at(sequence)] >>> OPERATION_SHIFT];
    }

    /** Whether a request has all of these flags. */
    public boolean has(long sequence, int wanted) {
        return ((int) words[at(sequence)] & wanted) == wanted;
    }

    /** The length of a request in bytes. */
    public long total(long sequence) {
        return words[at(sequence)] >>> Integer.SIZE;
    }

    /** The address in the peer's memory that a request names. */
    public long remoteAddress(long sequence) {
        return words[at(sequence) + REMOTE_ADDRESS_AT];
    }

    /** The peer's STag that a request names. */
    public int remoteKey(long sequence) {
        return (int) words[at(sequence) + REMOTE_KEY_AT];
    }

    /** An operand of an atomic, by its index in {@link #operands}; operand 0 of another request is its immediate data. */
    public long operand(long sequence, int number) {
        return operands[slot(sequence) * OPERANDS + number];
    }

    /** The memory that a Read or an atomic places data into, or {@code null} if its length is 0. */
    public RegisteredMemory sink(long sequence) {
        return firstOwner(sequence);
    }

    /** The offset of the data in that memory. */
    public long sinkOffset(long sequence) {
        return firstOffset(sequence);
    }

    /** Carries out the binding of a window; {@code false} if it failed. */
    public boolean bind(long sequence, Object queuePair) {
        RegisteredMemory region = firstOwner(sequence);
        return windows[slot(sequence)].bind(remoteKey(sequence), region, region == null ? 0 : firstOffset(sequence),
                region == null ? 0 : firstLength(sequence), (int) remoteAddress(sequence), queuePair);
    }

    /** Whether the payload of a request is in one piece: inline, or a single part. */
    public boolean isInOnePiece(long sequence) {
        return has(sequence, SendWorkRequest.INLINE) || count(sequence) == 1;
    }

    /** The inline memory; that of a request begins at {@link #inlineOffset}. */
    public MemorySegment inline() {
        return inline;
    }

    /** The offset of the bytes of an inline request in {@link #inline}. */
    public long inlineOffset(long sequence) {
        return (long) slot(sequence) * inlineLength;
    }

    /** Makes a cursor wrap the payload of a request. The payload stays the same until the request is completed. */
    public void source(long sequence, SgeCursor into) {
        if (has(sequence, SendWorkRequest.INLINE)) {
            into.wrap(inline, inlineOffset(sequence), total(sequence));
        } else {
            parts(sequence, into);
        }
    }

    /** Whether all requests before this one are completed. */
    public boolean isOldest(long sequence) {
        return retired() == sequence;
    }

    /**
     * All bytes of a request are described. Only the transmitting thread calls it.
     *
     * @param end the stream offset behind the last byte
     */
    public void described(long sequence, long end) {
        ends[slot(sequence)] = (int) end;
        if (!operation(sequence).isCompletedBySending()) {
            return;
        }
        if (sent == described) {
            // Nothing between the two waits to be sent: only answers and steps of this side complete those requests.
            SENT.setRelease(this, sequence);
        }
        described = sequence + 1;
    }

    /** Forgets the requests that are described and not sent: a flush completes them. Only the transmitting thread calls it. */
    public void forgetDescribed() {
        described = sent;
    }

    /**
     * The bytes up to a stream offset are sent: completes the requests that end there or before. Only the transmitting thread calls it.
     *
     * @return {@code false} if the completion queue overran
     */
    public boolean sent(long offset) {
        long sequence = sent;
        // Far less than 2^31 bytes are described and not sent.
        while (sequence < described && ends[slot(sequence)] - (int) offset <= 0) {
            sequence++;
        }
        if (sequence == sent) {
            return true;
        }
        SENT.setRelease(this, sequence);
        return retireDone();
    }

    /**
     * Marks a request as done. {@link #sent} does so for requests that sending completes. Only the first outcome of a request counts; a
     * request that is sent or completed does not change. The completion is added by {@link #retireDone()}.
     *
     * @return {@code false} if the request was done before
     */
    public boolean done(long sequence, CompletionStatus status, int vendorError) {
        return !isSent(sequence, (long) SENT.getAcquire(this)) && OUTCOME.compareAndSet(words, at(sequence) + OUTCOME_AT,
                outstanding(sequence), (long) (vendorError << STATUS_BITS | status.value()));
    }

    private boolean isSent(long sequence, long before) {
        return sequence < before && operation(sequence).isCompletedBySending();
    }

    /**
     * Completes the requests that are done, in order.
     *
     * @return {@code false} if the completion queue overran
     */
    public boolean retireDone() {
        boolean room = true;
        retiring.lock();
        try {
            long sequence = retired();
            long end = posted();
            long before = (long) SENT.getAcquire(this);
            for (; sequence < end; sequence++) {
                long outcome = isSent(sequence, before) ? CompletionStatus.SUCCESS.value()
                        : (long) OUTCOME.getAcquire(words, at(sequence) + OUTCOME_AT);
                if (outcome < 0) {
                    break;
                }
                room &= complete(sequence, (int) outcome);
            }
        } finally {
            retiring.unlock();
        }
        return room;
    }

    /** How many of the requests that are done failed or were flushed. */
    public long failed() {
        retiring.lock();
        try {
            return failed;
        } finally {
            retiring.unlock();
        }
    }

    private boolean complete(long sequence, int outcome) {
        long id = id(sequence);
        int status = outcome & (1 << STATUS_BITS) - 1;
        if (status != 0) {
            failed++;
        }
        boolean visible = status != 0 || signalAll || has(sequence, SendWorkRequest.SIGNALED);
        Operation operation = operation(sequence);
        long length = total(sequence);
        if (listener != null) {
            listener.onRetired(sequence, operation, length);
        }
        int vendorError = outcome >>> STATUS_BITS;
        if (operation == Operation.BIND) {
            windows[slot(sequence)].bindingEnded();
            windows[slot(sequence)] = null;
        }
        forget(sequence);
        retire(sequence + 1);
        return !visible || completions.add(id, status, operation.opcode, vendorError, (int) length, 0, 0, origin, false);
    }
}
