package org.panamaverbs.softiwarp.queue;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.panamaverbs.softiwarp.memory.Fields;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;
import org.panamaverbs.softiwarp.memory.SgeCursor;
import org.panamaverbs.softiwarp.memory.SgeList;

/**
 * What the send queue and the receive queue have in common: a ring of requests, each with a number and a list of parts. Posters hold the
 * lock from {@link #claim} to {@link #publish} and write straight into the slot.
 *
 * <p>Slots are named by ever-growing sequence numbers. Free is what lies outside {@code [retired, posted)}. The first claim makes them:
 * many a queue is never used. Publishing a slot publishes the arrays, too.
 */
public abstract class WorkQueue {
    /** Released and acquired: a full fence for each would cost more than the rest. Who waits for a change is told of it, and looks then. */
    private static final VarHandle POSTED = Fields.of(MethodHandles.lookup(), "posted", long.class);
    private static final VarHandle RETIRED = Fields.of(MethodHandles.lookup(), "retired", long.class);

    private final SpinLock posters = new SpinLock();
    private final int depth;
    private final int mask;
    private final int elements;
    /** {@code null} until the first claim. */
    private long[] ids;
    /** Bytes: a list has 16 elements at most. */
    private byte[] counts;
    /** The list of each slot, a fixed stretch a slot. */
    private SgeList lists;
    /** Next to be posted; its release publishes the slots before it. */
    private long posted;
    /** Oldest that is not done; its release frees the slots before it. */
    private long retired;

    WorkQueue(int depth, int elements) {
        this.depth = depth;
        this.mask = Integer.highestOneBit(Math.max(1, depth - 1)) * 2 - 1;
        this.elements = elements;
    }

    /** Makes the arrays; under the lock. */
    void makeSlots(int slots) {
        counts = new byte[slots];
        lists = new SgeList(slots * elements);
        // Last: where memory ran out before, the next claim tries again.
        ids = new long[slots];
    }

    private void makeFirstSlots() {
        try {
            makeSlots(slots());
        } catch (OutOfMemoryError e) {
            posters.unlock();
            throw e;
        }
    }

    /** How many slots there are: a power of two, the depth or more. */
    final int slots() {
        return mask + 1;
    }

    final int slot(long sequence) {
        return (int) sequence & mask;
    }

    /**
     * Takes the lock and the next slot.
     *
     * @return its sequence number, or -1 where the queue is full (then the lock is not held)
     */
    public final long claim(long id) {
        posters.lock();
        if (ids == null) {
            makeFirstSlots();
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

    /** Appends a part to a claimed slot; nothing of length 0 is appended. */
    public final void element(long sequence, RegisteredMemory owner, long offset, long length) {
        if (length > 0) {
            int slot = slot(sequence);
            lists.set(slot * elements + counts[slot]++, owner, offset, length);
        }
    }

    /** Publishes the claimed slot and gives the lock back. */
    public final void publish(long sequence) {
        POSTED.setRelease(this, sequence + 1);
        onPublished(sequence + 1);
        posters.unlock();
    }

    /** Gives the lock back without publishing the claimed slot. */
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

    /** Next to be posted. */
    public final long posted() {
        return (long) POSTED.getAcquire(this);
    }

    /** Oldest that is not done. */
    public final long retired() {
        return (long) RETIRED.getAcquire(this);
    }

    /** Frees all slots before a sequence number; by one thread at a time. */
    final void retire(long sequence) {
        RETIRED.setRelease(this, sequence);
    }

    /** The number that the completion repeats. */
    public final long id(long sequence) {
        return ids[slot(sequence)];
    }

    /** Has a cursor wrap a request's parts, which stay as they are until the request is completed. */
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

    /** The first part's memory, or {@code null} where there is none. */
    final RegisteredMemory firstOwner(long sequence) {
        int slot = slot(sequence);
        return counts[slot] == 0 ? null : lists.owner(slot * elements);
    }

    final long firstOffset(long sequence) {
        return lists.offset(slot(sequence) * elements);
    }

    /** Drops a slot's memory, so that it may be collected. */
    final void forget(long sequence) {
        int slot = slot(sequence);
        lists.forget(slot * elements, counts[slot]);
    }
}
