package org.panamaverbs.rdmacore.queue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.IntPredicate;

/**
 * The requests of one work queue that are posted and not done, with memory for what the device is told of each.
 *
 * <pre>
 * retired, submitted (to the device), posted: none is greater than the next
 * </pre>
 *
 * These count up; a request's sequence is the lower 32 bits, which wrap around. A thread that posts holds the work queue's lock; a thread that retires holds the completion queue's. What a count lets the
 * other see is written before it, and released by it: a full fence for each would cost more than the rest.
 */
public final class WorkRing {
    private static final VarHandle SUBMITTED = counter("submitted", int.class);
    private static final VarHandle POSTED = counter("posted", long.class);
    private static final VarHandle RETIRED = counter("retired", long.class);

    private final int depth;
    private final int mask;
    private final RequestSlots memory;
    private final long[] ids;
    private final boolean[] visible;
    private final boolean[] reported;
    private final boolean[] done;
    private final KeptCompletion[] held;
    private int heldCount;
    private int submitted;
    /** Written by the thread that posts. */
    private long posted;
    /** Written by the thread that polls, as is the next. */
    private long retired;
    /** How many of those that are retired failed or were flushed. */
    private long failed;

    public WorkRing(Arena arena, int depth, int elements, long requestSize) {
        this.depth = depth;
        int slots = depth == 1 ? 1 : Integer.highestOneBit(depth - 1) * 2;
        this.mask = slots - 1;
        this.ids = new long[slots];
        this.visible = new boolean[slots];
        this.reported = new boolean[slots];
        this.done = new boolean[slots];
        this.held = new KeptCompletion[slots];
        this.memory = new RequestSlots(arena, slots, elements, requestSize);
    }

    private static VarHandle counter(String name, Class<?> type) {
        try {
            return MethodHandles.lookup().findVarHandle(WorkRing.class, name, type);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    public boolean hasRoom() {
        return room() > 0;
    }

    public int room() {
        return depth - outstanding();
    }

    public boolean isEmpty() {
        return posted() == retired();
    }

    int outstanding() {
        return posted() - retired();
    }

    int depth() {
        return depth;
    }

    public int slots() {
        return mask + 1;
    }

    public int slot(int sequence) {
        return sequence & mask;
    }

    public int posted() {
        return (int) postedCount();
    }

    public int submitted() {
        return (int) SUBMITTED.getAcquire(this);
    }

    public int retired() {
        return (int) retiredCount();
    }

    /** How many requests were ever posted. */
    public long postedCount() {
        return (long) POSTED.getAcquire(this);
    }

    /** How many requests are done. */
    public long retiredCount() {
        return (long) RETIRED.getAcquire(this);
    }

    /** How many of those failed or were flushed. */
    public long failedCount() {
        return failed;
    }

    /** A request failed, or is flushed. By the thread that polls. */
    public void onFailed() {
        failed++;
    }

    /**
     * Starts the next request; no other thread sees it before {@link #publish}.
     *
     * @param isVisible  whether the program wants to see its success
     * @param isReported whether the device reports its success
     */
    public int begin(long id, boolean isVisible, boolean isReported) {
        int sequence = posted();
        ids[sequence & mask] = id;
        visible[sequence & mask] = isVisible;
        reported[sequence & mask] = isReported;
        done[sequence & mask] = false;
        return sequence;
    }

    /** Memory of the requests, by their slots. */
    public RequestSlots memory() {
        return memory;
    }

    /** The struct of a request. */
    public MemorySegment request(int sequence) {
        return memory.request(sequence & mask);
    }

    /** The address of the struct of a request. */
    public long address(int sequence) {
        return memory.address(sequence & mask);
    }

    /** The address at which the elements of a request start, for the device. */
    public long elementsAddress(int sequence) {
        return memory.elementsAddress(sequence & mask);
    }

    /** Writes an element of a request. */
    public void element(int sequence, int index, long address, long length, int key) {
        memory.element(sequence & mask, index, address, length, key);
    }

    public void publish(int sequence, int elementCount) {
        memory.elements(sequence & mask, elementCount);
        publish(sequence);
    }

    public void publish(int sequence) {
        POSTED.setRelease(this, posted + (sequence + 1 - (int) posted));
    }

    /** As {@link RequestSlots#hasLiveRegions}. */
    public boolean hasLiveRegions(int sequence, IntPredicate isLocalKey) {
        return memory.hasLiveRegions(sequence & mask, isLocalKey);
    }

    /** Takes the newest request back; it was not submitted. */
    public void abandon() {
        POSTED.setRelease(this, posted - 1);
    }

    public void submittedThrough(int next) {
        SUBMITTED.setRelease(this, next);
    }

    /** The sequence of a request at an address, at or after another. */
    public int sequenceAt(long address, int from) {
        return from + (memory.slotAt(address) - from & mask);
    }

    public boolean isOutstanding(int sequence) {
        return sequence - retired() >= 0 && sequence - posted() < 0 && !done[sequence & mask];
    }

    public long id(int sequence) {
        return ids[sequence & mask];
    }

    public boolean isVisible(int sequence) {
        return visible[sequence & mask];
    }

    /** Whether it was submitted and the device reports only its failure: once the device has reported all there was, it is done. */
    public boolean isSilentlyDone(int sequence) {
        return sequence - submitted() < 0 && !reported[sequence & mask];
    }

    /** Whether the device is still to report one that was submitted. */
    public boolean awaitsReport() {
        int end = submitted();
        for (int sequence = retired(); sequence - end < 0; sequence++) {
            if (reported[sequence & mask] && !done[sequence & mask]) {
                return true;
            }
        }
        return false;
    }

    /** It is done; {@code true} if the device has reported all that it reports of those before. */
    public boolean isDoneInOrder(int sequence) {
        done[sequence & mask] = true;
        for (int before = retired(); before != sequence; before++) {
            if (reported[before & mask] && !done[before & mask]) {
                return false;
            }
        }
        return true;
    }

    /** Keeps the completion of one that is done too early, or {@code null} if the program does not want it. */
    public void hold(int sequence, KeptCompletion completion) {
        held[sequence & mask] = completion;
        heldCount++;
    }

    public boolean holds() {
        return heldCount > 0;
    }

    /** Whether a request is done whose completion is kept. */
    public boolean isDone(int sequence) {
        return done[sequence & mask];
    }

    /** Gives the completion that was kept of a request, or {@code null}. */
    public KeptCompletion release(int sequence) {
        KeptCompletion completion = held[sequence & mask];
        held[sequence & mask] = null;
        heldCount--;
        return completion;
    }

    /**
     * The first request that is kept, and can go now that those before it are done; {@code end} if there is none.
     *
     * @param end {@link #posted()}, read once: other threads post meanwhile
     */
    public int nextReleasable(int end) {
        for (int sequence = retired(); sequence != end; sequence++) {
            if (done[sequence & mask]) {
                return sequence;
            } else if (reported[sequence & mask]) {
                return end;
            }
        }
        return end;
    }

    /** This one and all before it are done: their places are free. */
    public void retireThrough(int sequence) {
        RETIRED.setRelease(this, retired + (sequence + 1 - (int) retired));
    }
}
