package org.panamaverbs.rdmacore.queue;

import java.lang.foreign.Arena;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The requests of one work queue that are posted and not done, with memory for what the device is told of each.
 *
 * <pre>
 * retired, submitted (to the device), posted: none is greater than the next
 * </pre>
 *
 * These count up; a request's sequence is the lower 32 bits, which wrap around. A thread that posts holds the work queue's lock; a thread that
 * retires holds the completion queue's. What a count lets the other see is written before it, and released by it: a full fence for each would
 * cost more than the rest.
 *
 * <p>A request has a number and a byte in a table. The device reports requests in the order posted, but siw reports what was sent at once, and
 * a Read before it when its answer has come: such a completion is held until those before it are done.
 */
public final class WorkRing {
    private static final VarHandle SUBMITTED = counter("submitted", int.class);
    private static final VarHandle POSTED = counter("posted", long.class);
    private static final VarHandle RETIRED = counter("retired", long.class);

    /** The byte of a request: how many requests directly before it the device reports only if they fail; if there are more, as many as fit. */
    private static final int SILENT_BEFORE = (1 << 5) - 1;
    /** Whether the program wants to see its success. */
    private static final int VISIBLE = 1 << 5;
    /** Whether the device reports its success. */
    private static final int REPORTED = 1 << 6;
    /** Whether the device has reported it, and its completion is held. */
    private static final int DONE = 1 << 7;
    /** In place of a byte: the request is not outstanding. */
    private static final int NONE = -1;

    private final int depth;
    private final int mask;
    private final RequestSlots memory;
    private final long[] ids;
    private final byte[] states;
    /** {@code null} until the device first reports a request too early. */
    private KeptCompletion[] held;
    private int heldCount;
    /** How many of the last requests posted the device reports only if they fail. By the thread that posts, as are the next two. */
    private int silent;
    @SuppressWarnings("UnusedVariable") // SUBMITTED reads it.
    private int submitted;
    private long posted;
    /** Written by the thread that polls, as is the next. */
    private long retired;
    /** How many of those that are retired failed or were flushed. */
    private long failed;
    /** How many requests were posted before the last probe; -1 if there was none. By the thread that posts, before it publishes the probe. */
    private long probe = -1;

    /**
     * @param depth    the most requests of the program
     * @param forProbe 1 if it keeps room for a probe besides, or 0
     */
    public WorkRing(Arena arena, int depth, int forProbe, int elements, long requestSize) {
        this.depth = depth;
        int most = depth + forProbe;
        int slots = most == 1 ? 1 : Integer.highestOneBit(most - 1) * 2;
        this.mask = slots - 1;
        this.ids = new long[slots];
        this.states = new byte[slots];
        this.memory = new RequestSlots(arena, slots, elements, requestSize);
    }

    private static VarHandle counter(String name, Class<?> type) {
        try {
            return MethodHandles.lookup().findVarHandle(WorkRing.class, name, type);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Whether it has room for one more; by the thread that posts. */
    public boolean hasRoom() {
        return (int) posted - retired() < (probe < 0 ? depth : depthBesideProbe(retiredCount()));
    }

    /** How many requests may be outstanding: a probe takes no place of the program's. */
    private int depthBesideProbe(long done) {
        return probe >= done ? depth + 1 : depth;
    }

    public int room() {
        long done = retiredCount();
        return depthBesideProbe(done) - (int) (postedCount() - done);
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

    // By the thread that posts.

    /**
     * Starts the next request; no other thread sees it before {@link #publish}.
     *
     * @param isVisible  whether the program wants to see its success
     * @param isReported whether the device reports its success
     */
    public int begin(long id, boolean isVisible, boolean isReported) {
        int sequence = (int) posted;
        ids[sequence & mask] = id;
        states[sequence & mask] = (byte) (Math.min(silent, SILENT_BEFORE) | (isVisible ? VISIBLE : 0) | (isReported ? REPORTED : 0));
        return sequence;
    }

    /** The request that was begun is a probe of this side: the program knows nothing of it. There is one at a time. */
    public void markProbe() {
        probe = posted;
    }

    /** Whether an outstanding request is a probe; by the thread that polls. */
    public boolean isProbe(int sequence) {
        return retired + (sequence - (int) retired) == probe;
    }

    /** How many of the last requests posted the device reports only if they fail. */
    public int silent() {
        return silent;
    }

    /** Memory of the requests, by their slots. */
    public RequestSlots memory() {
        return memory;
    }

    /** The address of the struct of a request. */
    public long address(int sequence) {
        return memory.address(sequence & mask);
    }

    /** The address at which the elements of a request start, for the device. */
    long elementsAddress(int sequence) {
        return memory.elementsAddress(sequence & mask);
    }

    /** Writes an element of a request. */
    public void element(int sequence, int index, long address, long length, int key) {
        memory.element(sequence & mask, index, address, length, key);
    }

    /** The request that was begun is whole. */
    public void publish(int sequence) {
        silent = (states[sequence & mask] & REPORTED) != 0 ? 0 : silent + 1;
        POSTED.setRelease(this, posted + (sequence + 1 - (int) posted));
    }

    /** Takes the newest request back; it was not submitted, and the device would have reported it, as it does those before it. */
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

    // By the thread that polls.

    public boolean isOutstanding(int sequence) {
        return stateOf(sequence) != NONE;
    }

    private int stateOf(int sequence) {
        // Its byte and its number are read after the count that shows them.
        boolean isPosted = sequence - posted() < 0 && sequence - (int) retired >= 0;
        int state = states[sequence & mask];
        return isPosted && (state & DONE) == 0 ? state : NONE;
    }

    public long id(int sequence) {
        return ids[sequence & mask];
    }

    public boolean isVisible(int sequence) {
        return (states[sequence & mask] & VISIBLE) != 0;
    }

    /** Whether it was submitted and the device reports only its failure: once the device has reported all there was, it is done. */
    public boolean isSilentlyDone(int sequence) {
        return sequence - submitted() < 0 && !isReported(sequence);
    }

    private boolean isReported(int sequence) {
        return (states[sequence & mask] & REPORTED) != 0;
    }

    /** Whether the device is still to report one that was submitted. */
    public boolean awaitsReport() {
        int end = submitted();
        for (int sequence = retired(); sequence - end < 0; sequence++) {
            if (isReported(sequence) && !isDone(sequence)) {
                return true;
            }
        }
        return false;
    }

    /**
     * An outstanding request is done; {@code true} if the device has reported all that it reports of those before, so that all of them can
     * retire. Otherwise its completion is to be held.
     */
    public boolean isDoneInOrder(int sequence) {
        int first = (int) retired;
        if (sequence - (states[sequence & mask] & SILENT_BEFORE) - first <= 0) {
            return true;
        }
        for (int before = first; before != sequence; before++) {
            if (isReported(before) && !isDone(before)) {
                return false;
            }
        }
        return true;
    }

    /** Keeps the completion of one that is done too early, or {@code null} if the program does not want it. */
    public void hold(int sequence, KeptCompletion completion) {
        if (held == null) {
            held = new KeptCompletion[slots()];
        }
        states[sequence & mask] |= (byte) DONE;
        held[sequence & mask] = completion;
        heldCount++;
    }

    public boolean holds() {
        return heldCount > 0;
    }

    /** Whether a request is done whose completion is held. */
    public boolean isDone(int sequence) {
        return (states[sequence & mask] & DONE) != 0;
    }

    /** Gives the completion that was held of a request, or {@code null}. */
    public KeptCompletion release(int sequence) {
        KeptCompletion completion = held[sequence & mask];
        held[sequence & mask] = null;
        heldCount--;
        return completion;
    }

    /**
     * The first request that is held, and can go since those before it are done; {@code end} if there is none.
     *
     * @param end {@link #posted()}, read once: other threads post meanwhile
     */
    public int nextReleasable(int end) {
        for (int sequence = (int) retired; sequence != end; sequence++) {
            if (isDone(sequence)) {
                return sequence;
            } else if (isReported(sequence)) {
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
