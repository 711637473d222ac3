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
        SEND(CompletionOpcode.SEND),
        /** An RDMA Write. */
        WRITE(CompletionOpcode.WRITE),
        /** An RDMA Write, followed by an Immediate Data message; completes as a Write. */
        WRITE_IMMEDIATE(CompletionOpcode.WRITE),
        /** An Immediate Data message; completes as a Send. */
        IMMEDIATE(CompletionOpcode.SEND),
        /** An RDMA Read. */
        READ(CompletionOpcode.READ),
        /** An Atomic Request of CmpSwap. */
        COMPARE_AND_SWAP(CompletionOpcode.COMPARE_AND_SWAP),
        /** An Atomic Request of FetchAdd. */
        FETCH_AND_ADD(CompletionOpcode.FETCH_AND_ADD),
        /** Invalidates an STag of our own; nothing is sent. */
        LOCAL_INVALIDATE(CompletionOpcode.LOCAL_INVALIDATE),
        /** Binds a memory window; nothing is sent. */
        BIND(CompletionOpcode.BIND_MEMORY_WINDOW);

        private final int opcode;

        Operation(CompletionOpcode opcode) {
            this.opcode = opcode.value();
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

    private static final int STATUS_BITS = 8;
    private static final VarHandle OUTCOME = MethodHandles.arrayElementVarHandle(long[].class);
    /** Read with acquire and written with release. A thread that rings then kicks the stream's driver, which is a full fence. */
    private static final VarHandle DOORBELL = Fields.of(MethodHandles.lookup(), "doorbell", long.class);

    private final CompletionRing completions;
    private final Origin origin;
    private final boolean signalAll;
    private final SpinLock retiring = new SpinLock();
    private Operation[] operations;
    private int[] flags;
    private long[] totals;
    private long[] remoteAddresses;
    private int[] remoteKeys;
    /**
     * While a request is outstanding, a negative number that only this request has; then the value of its status in the lower 8 bits, and
     * the vendor error in the 16 bits above. So a late outcome of a request cannot be taken for that of the next request in the slot.
     */
    private long[] outcomes;
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
    private long doorbell;
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
    void makeSlots(int slots) {
        operations = new Operation[slots];
        flags = new int[slots];
        totals = new long[slots];
        remoteAddresses = new long[slots];
        remoteKeys = new int[slots];
        outcomes = new long[slots];
        super.makeSlots(slots);
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

    /** Fills in a claimed slot. */
    public void describe(long sequence, Operation operation, long total, long remoteAddress, int remoteKey, int requestFlags) {
        int slot = slot(sequence);
        operations[slot] = operation;
        flags[slot] = requestFlags;
        totals[slot] = total;
        remoteAddresses[slot] = remoteAddress;
        remoteKeys[slot] = remoteKey;
        outcomes[slot] = outstanding(sequence);
    }

    /**
     * Makes a claimed slot the binding of a window to a part of a region, and gives the window the binding's STag.
     *
     * @param length 0 to bind it to nothing
     * @throws IllegalStateException if the window is closed: the slot is given back
     */
    public void bind(long sequence, Window window, RegisteredMemory region, long offset, long length, int access, int requestFlags) {
        if (windows == null) {
            makeFirst(Part.WINDOWS);
        }
        try {
            describe(sequence, Operation.BIND, 0, access, window.next(), requestFlags);
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
        MemorySegment.copy(source, from, inline, (long) slot(sequence) * inlineLength + at, length);
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
        if ((flags[slot(end - 1)] & SendWorkRequest.MORE) == 0) {
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
        return operations[slot(sequence)];
    }

    /** Whether a request has all of these flags. */
    public boolean has(long sequence, int wanted) {
        return (flags[slot(sequence)] & wanted) == wanted;
    }

    /** The length of a request in bytes. */
    public long total(long sequence) {
        return totals[slot(sequence)];
    }

    /** The address in the peer's memory that a request names. */
    public long remoteAddress(long sequence) {
        return remoteAddresses[slot(sequence)];
    }

    /** The peer's STag that a request names. */
    public int remoteKey(long sequence) {
        return remoteKeys[slot(sequence)];
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

    /** Makes a cursor wrap the payload of a request. The payload stays the same until the request is completed. */
    public void source(long sequence, SgeCursor into) {
        if (has(sequence, SendWorkRequest.INLINE)) {
            into.wrap(inline, (long) slot(sequence) * inlineLength, total(sequence));
        } else {
            parts(sequence, into);
        }
    }

    /** Whether all requests before this one are completed. */
    public boolean isOldest(long sequence) {
        return retired() == sequence;
    }

    /**
     * Marks a request as done. Only the first outcome of a request counts; a request that is completed does not change. The completion is
     * added by {@link #retireDone()}.
     *
     * @return {@code false} if the request was done before
     */
    public boolean done(long sequence, CompletionStatus status, int vendorError) {
        int slot = slot(sequence);
        long before = outstanding(sequence);
        return (long) OUTCOME.getAcquire(outcomes, slot) == before
                && OUTCOME.compareAndSet(outcomes, slot, before, (long) (vendorError << STATUS_BITS | status.value()));
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
            while (sequence < end) {
                int slot = slot(sequence);
                long outcome = (long) OUTCOME.getAcquire(outcomes, slot);
                if (outcome < 0) {
                    break;
                }
                room &= complete(sequence, slot, (int) outcome);
                sequence++;
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

    private boolean complete(long sequence, int slot, int outcome) {
        long id = id(sequence);
        int status = outcome & (1 << STATUS_BITS) - 1;
        if (status != 0) {
            failed++;
        }
        boolean visible = status != 0 || signalAll || (flags[slot] & SendWorkRequest.SIGNALED) != 0;
        int opcode = operations[slot].opcode;
        int length = (int) totals[slot];
        if (listener != null) {
            listener.onRetired(sequence, operations[slot], totals[slot]);
        }
        int vendorError = outcome >>> STATUS_BITS;
        if (operations[slot] == Operation.BIND) {
            windows[slot].bindingEnded();
            windows[slot] = null;
        }
        forget(sequence);
        retire(sequence + 1);
        return !visible || completions.add(id, status, opcode, vendorError, length, 0, 0, origin, false);
    }
}
