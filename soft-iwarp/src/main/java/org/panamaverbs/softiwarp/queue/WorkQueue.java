package org.panamaverbs.softiwarp.queue;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.panamaverbs.softiwarp.memory.Fields;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;
import org.panamaverbs.softiwarp.memory.SgeCursor;
import org.panamaverbs.softiwarp.memory.SgeList;

/**
 * The common base of send queues and receive queues: a ring of requests, each with a number and a list of parts. A poster holds the lock
 * from {@link #claim} to {@link #publish} and writes straight into the slot.
 *
 * <p>Sequence numbers name the slots and only grow. Slots outside {@code [retired, posted)} are free. The first claim allocates the slots,
 * since many queues are never used. Publishing a slot publishes the arrays, too.
 */
// Tested by SendQueueTest, SharedReceiveRingTest.
public abstract class WorkQueue {
    /**
     * Read with acquire and written with release: a full fence for each access would cost more than the rest. A thread that waits for a
     * change is notified after the change, and then reads the field.
     */
    private static final VarHandle POSTED = Fields.of(MethodHandles.lookup(), "posted", long.class);
    private static final VarHandle RETIRED = Fields.of(MethodHandles.lookup(), "retired", long.class);

    private final SpinLock posters = new SpinLock();
    private final int depth;
    private final int mask;
    private final int elements;
    /** {@code null} until the first claim. */
    private long[] ids;
    /** The number of parts of each slot: at most 16. */
    private byte[] counts;
    /** The parts of all slots, a fixed range for each slot. */
    private SgeList lists;
    /** The next slot to post; a release of this field publishes the slots before it. */
    private long posted;
    /** The oldest slot that is not done; a release of this field frees the slots before it. */
    @SuppressWarnings("UnusedVariable") // RETIRED reads it.
    private long retired;

    WorkQueue(int depth, int elements) {
        this.depth = depth;
        this.mask = Integer.highestOneBit(Math.max(1, depth - 1)) * 2 - 1;
        this.elements = elements;
    }

    /** Makes the arrays. Called under the lock. */
    void makeSlots(int slots) {
        counts = new byte[slots];
        lists = new SgeList(slots * elements);
        // The last one: if memory runs out before, the next claim tries again.
        ids = new long[slots];
    }

    /** Memory that the first request of a kind makes, under the lock. */
    enum Part {
        SLOTS, INLINE, OPERANDS, WINDOWS
    }

    /** Makes a part. If memory runs out, the poster does not publish the slot: it gives the lock back, and the next request tries again. */
    final void makeFirst(Part part) {
        try {
            make(part);
        } catch (OutOfMemoryError e) {
            abandon();
            throw e;
        }
    }

    void make(Part part) {
        makeSlots(slots());
    }

    /** The number of slots: a power of two, not less than the depth. */
    final int slots() {
        return mask + 1;
    }

    final int slot(long sequence) {
        return (int) sequence & mask;
    }

    /**
     * Takes the lock and the next slot.
     *
     * @return the sequence number of the slot, or -1 if the queue is full; then the lock is not held
     */
    public final long claim(long id) {
        posters.lock();
        if (ids == null) {
            makeFirst(Part.SLOTS);
        }
        long sequence = posted;
        if (sequence - retired() >= depth) {
            posters.unlock();
            return -1;
        }
        ids[slot(sequence)] = id;
        counts[slot(sequence)] = 0;
        return sequence;
    }

    /** Appends a part to a claimed slot, unless its length is 0. */
    public final void element(long sequence, RegisteredMemory owner, long offset, long length) {
        if (length > 0) {
            int slot = slot(sequence);
            lists.set(slot * elements + counts[slot]++, owner, offset, length);
        }
    }

    /** Publishes the claimed slot and releases the lock. */
    public final void publish(long sequence) {
        POSTED.setRelease(this, sequence + 1);
        onPublished(sequence + 1);
        posters.unlock();
    }

    /** Releases the lock without publishing the claimed slot. */
    public final void abandon() {
        posters.unlock();
    }

    /** Called under the lock, after the slots before {@code end} were published. */
    void onPublished(long end) {
        // Only the send queue has a doorbell.
    }

    final void lock() {
        posters.lock();
    }

    final void unlock() {
        posters.unlock();
    }

    /** The sequence number of the next slot to post. */
    public final long posted() {
        return (long) POSTED.getAcquire(this);
    }

    /** How many slots are free. */
    public final int room() {
        long done = retired();
        // Other threads may post meanwhile: then this is less than the truth.
        return (int) Math.max(0, depth - ((long) POSTED.getAcquire(this) - done));
    }

    /** The sequence number of the oldest slot that is not done. */
    public final long retired() {
        return (long) RETIRED.getAcquire(this);
    }

    /** Frees all slots before a sequence number. One thread at a time calls it. */
    final void retire(long sequence) {
        RETIRED.setRelease(this, sequence);
    }

    /** The number of a request, which its completion repeats. */
    public final long id(long sequence) {
        return ids[slot(sequence)];
    }

    /** Makes a cursor wrap a request's parts, which stay the same until the request is completed. */
    final void parts(long sequence, SgeCursor into) {
        int slot = slot(sequence);
        into.wrap(lists, slot * elements, counts[slot]);
    }

    /** Copies a request's parts; returns how many there are. */
    final int copyParts(long sequence, SgeList into) {
        int slot = slot(sequence);
        into.copy(lists, slot * elements, counts[slot]);
        return counts[slot];
    }

    /** How many parts a request has. */
    final int count(long sequence) {
        return counts[slot(sequence)];
    }

    /** The memory of the first part, or {@code null} if there is none. */
    public final RegisteredMemory firstOwner(long sequence) {
        int slot = slot(sequence);
        return counts[slot] == 0 ? null : lists.owner(slot * elements);
    }

    /** The offset of the first part in its memory. */
    public final long firstOffset(long sequence) {
        return lists.offset(slot(sequence) * elements);
    }

    final long firstLength(long sequence) {
        return lists.length(slot(sequence) * elements);
    }

    /** Drops a slot's memory, so that it may be collected. */
    final void forget(long sequence) {
        int slot = slot(sequence);
        lists.forget(slot * elements, counts[slot]);
    }
}
