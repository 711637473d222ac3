package org.panamaverbs.softiwarp.queue;

import java.lang.foreign.MemorySegment;
import org.panamaverbs.CompletionOpcode;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;
import org.panamaverbs.softiwarp.memory.SgeCursor;
import org.panamaverbs.spi.CompletionBuffer;

/** Receives of one stream. Many threads post them; the receiving thread takes them in order. */
public final class ReceiveRing extends WorkQueue implements Receives {
    private final CompletionRing completions;
    private final Origin origin;
    /** Written by the receiving thread. */
    private long failed;

    /** Makes an empty queue. */
    public ReceiveRing(int depth, int elements, CompletionRing completions, Origin origin) {
        super(depth, elements);
        this.completions = completions;
        this.origin = origin;
    }

    /** Whether no receive is posted. */
    private boolean isEmpty() {
        return retired() == posted();
    }

    /** The receive stays the oldest until it is completed. */
    @Override
    public boolean take(SgeCursor into) {
        if (isEmpty()) {
            return false;
        }
        parts(retired(), into);
        return true;
    }

    @Override
    public boolean put(MemorySegment source, long at, int length) {
        return !isEmpty() && putFirst(this, retired(), source, at, length);
    }

    /** Copies bytes into the first part of a receive; {@code false} if it has no room for them, or its memory does not take them. */
    static boolean putFirst(WorkQueue queue, long sequence, MemorySegment source, long at, int length) {
        RegisteredMemory owner = queue.firstOwner(sequence);
        return owner != null && length <= queue.firstLength(sequence) && owner.put(queue.firstOffset(sequence), source, at, length);
    }

    @Override
    public boolean complete(CompletionStatus status, int vendorError, long length, boolean solicited, boolean invalidated, int key) {
        long id = remove();
        if (status != CompletionStatus.SUCCESS) {
            failed++;
        }
        return completions.add(id, status.value(), CompletionOpcode.RECEIVE.value(), vendorError, (int) length, key,
                invalidated ? CompletionBuffer.WITH_INVALIDATE : 0, origin, solicited);
    }

    @Override
    public boolean completeImmediate(boolean written, long length, boolean solicited, long immediate) {
        long id = remove();
        return completions.addImmediate(id, written, (int) length, immediate, origin, solicited);
    }

    /** Frees the slot of the oldest receive, and returns its number. */
    private long remove() {
        long sequence = retired();
        long id = id(sequence);
        forget(sequence);
        retire(sequence + 1);
        return id;
    }

    @Override
    public boolean isShared() {
        return false;
    }

    @Override
    public long completed() {
        return retired();
    }

    @Override
    public long failed() {
        return failed;
    }

    @Override
    public void flush() {
        while (!isEmpty()) {
            complete(CompletionStatus.FLUSHED, 0, 0, false, false, 0);
        }
    }
}
