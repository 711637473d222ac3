package org.panamaverbs.softiwarp.queue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.panamaverbs.CompletionOpcode;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.QueuePair;
import org.panamaverbs.softiwarp.memory.Fields;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;
import org.panamaverbs.softiwarp.memory.SgeCursor;

/**
 * Send requests: posted by many, started in order by the one thread that transmits, done in any order (a Read by the thread that
 * receives), completed in order.
 */
public final class SendQueue extends WorkQueue {
    /** What a request does. */
    public enum Operation {
        /** A Send, of any of the four kinds. */
        SEND(CompletionOpcode.SEND),
        /** An RDMA Write. */
        WRITE(CompletionOpcode.WRITE),
        /** An RDMA Read. */
        READ(CompletionOpcode.READ),
        /** A key of our own ends: nothing is sent. */
        LOCAL_INVALIDATE(CompletionOpcode.LOCAL_INVALIDATE);

        private final int opcode;

        Operation(CompletionOpcode opcode) {
            this.opcode = opcode.value();
        }
    }

    /** Flag, beside those of the API: a Send that invalidates. */
    public static final int INVALIDATE = 1 << 17;

    private static final int STATUS_BITS = 8;
    private static final VarHandle OUTCOME = MethodHandles.arrayElementVarHandle(long[].class);
    /** Released and acquired, as the places of the ring are: who rings then kicks the stream's driver, which is a fence. */
    private static final VarHandle DOORBELL = Fields.of(MethodHandles.lookup(), "doorbell", long.class);

    private final CompletionRing completions;
    private final int queuePair;
    private final boolean signalAll;
    private final SpinLock retiring = new SpinLock();
    private Operation[] operations;
    private int[] flags;
    private long[] totals;
    private long[] remoteAddresses;
    private int[] remoteKeys;
    /**
     * While a request is outstanding, a negative number that only this request has; then the status value with which it is done, and above
     * its 8 bits the vendor's error of 16. So a slot that serves its next request cannot be taken for the last one's.
     */
    private long[] outcomes;
    private final SegmentAllocator memory;
    private final int inlineLength;
    /** Bytes of requests posted with INLINE, a fixed stretch a slot; {@code null} until there are some. */
    private MemorySegment inline;
    /** Requests before it may start. */
    private long doorbell;

    /** Makes an empty one; {@code memory} gives the native memory for up to {@code inlineLength} bytes a slot, to the first that needs it. */
    public SendQueue(int depth, int elements, int inlineLength, SegmentAllocator memory, boolean signalAll, CompletionRing completions,
            int queuePair) {
        super(depth, elements);
        this.inlineLength = inlineLength;
        this.memory = memory;
        this.signalAll = signalAll;
        this.completions = completions;
        this.queuePair = queuePair;
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

    /** How many slots a queue of this depth has. */
    public static int slotsFor(int depth) {
        return Integer.highestOneBit(Math.max(1, depth - 1)) * 2;
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

    private static long outstanding(long sequence) {
        return -1 - sequence;
    }

    /** Copies bytes into a claimed slot's own memory; {@code at} counts from the message's start. */
    public void copyInline(long sequence, MemorySegment source, long from, long at, long length) {
        if (length == 0) {
            return;
        }
        if (inline == null) {
            makeInline();
        }
        MemorySegment.copy(source, from, inline, (long) slot(sequence) * inlineLength + at, length);
    }

    private void makeInline() {
        try {
            inline = memory.allocate((long) slots() * inlineLength, 8);
        } catch (OutOfMemoryError e) {
            // The caller never comes to publish the slot.
            abandon();
            throw e;
        }
    }

    @Override
    void onPublished(long end) {
        if ((flags[slot(end - 1)] & QueuePair.MORE) == 0) {
            DOORBELL.setRelease(this, end);
        }
    }

    /** Lets all requests start that are posted. */
    public void ringDoorbell() {
        // Under the posters' lock: the doorbell must never go back.
        lock();
        DOORBELL.setRelease(this, posted());
        unlock();
    }

    /** Requests before it may start. */
    public long doorbell() {
        return (long) DOORBELL.getAcquire(this);
    }

    /** What a request does. */
    public Operation operation(long sequence) {
        return operations[slot(sequence)];
    }

    /** Whether it has all of these flags. */
    public boolean has(long sequence, int wanted) {
        return (flags[slot(sequence)] & wanted) == wanted;
    }

    /** Its length in bytes. */
    public long total(long sequence) {
        return totals[slot(sequence)];
    }

    /** The peer's address that it names. */
    public long remoteAddress(long sequence) {
        return remoteAddresses[slot(sequence)];
    }

    /** The peer's key that it names. */
    public int remoteKey(long sequence) {
        return remoteKeys[slot(sequence)];
    }

    /** The memory that a Read's bytes land in, or {@code null} where it has no length. */
    public RegisteredMemory sink(long sequence) {
        return firstOwner(sequence);
    }

    /** Where in that memory they land. */
    public long sinkOffset(long sequence) {
        return firstOffset(sequence);
    }

    /** Has a cursor wrap what a request sends, which stays as it is until the request is completed. */
    public void source(long sequence, SgeCursor into) {
        if (has(sequence, QueuePair.INLINE)) {
            into.wrap(inline, (long) slot(sequence) * inlineLength, total(sequence));
        } else {
            parts(sequence, into);
        }
    }

    /** Whether all requests before this one are done, and completed. */
    public boolean isOldest(long sequence) {
        return retired() == sequence;
    }

    /**
     * Says that a request is done; the first outcome counts, and a request that is completed stays so. Completions appear at
     * {@link #retireDone()}.
     */
    public void done(long sequence, CompletionStatus status, int vendorError) {
        int slot = slot(sequence);
        long before = outstanding(sequence);
        if ((long) OUTCOME.getAcquire(outcomes, slot) == before) {
            OUTCOME.compareAndSet(outcomes, slot, before, (long) (vendorError << STATUS_BITS | status.value()));
        }
    }

    /**
     * Completes, in order, the requests that are done.
     *
     * @return {@code false} where the completion queue overran
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

    private boolean complete(long sequence, int slot, int outcome) {
        long id = id(sequence);
        int status = outcome & (1 << STATUS_BITS) - 1;
        boolean visible = status != 0 || signalAll || (flags[slot] & QueuePair.SIGNALED) != 0;
        int opcode = operations[slot].opcode;
        int length = (int) totals[slot];
        int vendorError = outcome >>> STATUS_BITS;
        forget(sequence);
        retire(sequence + 1);
        return !visible || completions.add(id, status, opcode, vendorError, length, 0, 0, queuePair, false);
    }
}
