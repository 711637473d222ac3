package org.panamaverbs.softiwarp.queue;

import java.lang.invoke.VarHandle;
import org.panamaverbs.CompletionOpcode;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.Completions;
import org.panamaverbs.softiwarp.memory.SgeCursor;
import org.panamaverbs.softiwarp.memory.SgeList;

/**
 * Receives that several streams share: posted by many, taken by many. A receive leaves the queue when its message begins, and belongs to
 * that stream from then on.
 */
public final class SharedReceiveRing extends WorkQueue {
    private final SpinLock takers = new SpinLock();
    private final int elements;
    private final Runnable onLimit;
    /** Fewer receives than this are to be told of, once; 0 for none. */
    private volatile int limit;

    /**
     * Makes an empty one.
     *
     * @param onLimit called once after each {@link #armLimit}, by whoever takes the receive that makes it too few
     */
    public SharedReceiveRing(int depth, int elements, Runnable onLimit) {
        super(depth, elements);
        this.elements = elements;
        this.onLimit = onLimit;
    }

    /** Asks to be told when fewer receives than this are left; at once, where that is so already. */
    public void armLimit(int receives) {
        limit = receives;
        tellOfLimit();
    }

    private void tellOfLimit() {
        // Who took one looks at the limit after it, who sets the limit at what is left after that: one of the two sees both.
        VarHandle.fullFence();
        if (limit == 0) {
            return;
        }
        takers.lock();
        boolean low = limit > 0 && posted() - retired() < limit;
        if (low) {
            limit = 0;
        }
        takers.unlock();
        if (low) {
            onLimit.run();
        }
    }

    /** What one stream takes; its receives complete in {@code completions} with the number of its queue pair. */
    public Receives forStream(CompletionRing completions, int queuePair) {
        return new Share(completions, queuePair);
    }

    /** What one stream has taken: one receive at a time. */
    private final class Share implements Receives {
        private final CompletionRing completions;
        private final int queuePair;
        /** The memory of the receive that was taken: its slot is given up at once. */
        private final SgeList list = new SgeList(elements);
        private long id;
        private boolean taken;

        Share(CompletionRing completions, int queuePair) {
            this.completions = completions;
            this.queuePair = queuePair;
        }

        @Override
        public boolean take(SgeCursor into) {
            takers.lock();
            try {
                long sequence = retired();
                if (sequence == posted()) {
                    return false;
                }
                id = id(sequence);
                into.wrap(list, 0, copyParts(sequence, list));
                forget(sequence);
                retire(sequence + 1);
            } finally {
                takers.unlock();
            }
            taken = true;
            tellOfLimit();
            return true;
        }

        @Override
        public boolean complete(CompletionStatus status, int vendorError, long length, boolean solicited, boolean invalidated, int key) {
            taken = false;
            return completions.add(id, status.value(), CompletionOpcode.RECEIVE.value(), vendorError, (int) length, key,
                    invalidated ? Completions.WITH_INVALIDATE : 0, queuePair, solicited);
        }

        @Override
        public boolean isShared() {
            return true;
        }

        @Override
        public void flush() {
            if (taken) {
                complete(CompletionStatus.FLUSHED, 0, 0, false, false, 0);
            }
        }
    }
}
