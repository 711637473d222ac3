package org.panamaverbs.softiwarp.queue;

import org.panamaverbs.CompletionOpcode;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.softiwarp.memory.SgeCursor;
import org.panamaverbs.softiwarp.memory.SgeList;
import org.panamaverbs.spi.CompletionBuffer;

/**
 * Receives that several streams share. Many threads post them and many take them. When a message begins, its stream takes a receive out of
 * the ring; the receive belongs to that stream from then on.
 */
public final class SharedReceiveRing extends WorkQueue {
    private final SpinLock takers = new SpinLock();
    private final int elements;
    private final Runnable onLimit;
    /** If fewer receives than this are left, {@link #onLimit} runs, once; 0 if it is not armed. Under {@link #takers}. */
    private int limit;

    /**
     * Makes an empty ring.
     *
     * @param onLimit called once after each {@link #armLimit}, by a thread that takes a receive or by the thread that arms
     */
    public SharedReceiveRing(int depth, int elements, Runnable onLimit) {
        super(depth, elements);
        this.elements = elements;
        this.onLimit = onLimit;
    }

    /** Asks for one call of {@code onLimit} when fewer receives than this are left: at once if that is so already. */
    public void armLimit(int receives) {
        takers.lock();
        limit = receives;
        boolean low = takeLimit();
        takers.unlock();
        if (low) {
            onLimit.run();
        }
    }

    /** Whether fewer receives are left than the limit says, which it then no longer does. The caller holds {@link #takers}. */
    private boolean takeLimit() {
        boolean low = posted() - retired() < limit;
        if (low) {
            limit = 0;
        }
        return low;
    }

    /** The receives of one stream; they complete in {@code completions} with the number and the attachment of its queue pair. */
    public Receives forStream(CompletionRing completions, Origin origin) {
        return new Share(completions, origin);
    }

    /** The receive that one stream has taken; at most one at a time. */
    private final class Share implements Receives {
        private final CompletionRing completions;
        private final Origin origin;
        /** The parts of the receive that was taken. They are copied, because its slot is freed at once. */
        private final SgeList list = new SgeList(elements);
        private long id;
        private boolean taken;

        Share(CompletionRing completions, Origin origin) {
            this.completions = completions;
            this.origin = origin;
        }

        @Override
        public boolean take(SgeCursor into) {
            boolean low;
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
                low = takeLimit();
            } finally {
                takers.unlock();
            }
            taken = true;
            if (low) {
                onLimit.run();
            }
            return true;
        }

        @Override
        public boolean complete(CompletionStatus status, int vendorError, long length, boolean solicited, boolean invalidated, int key) {
            taken = false;
            return completions.add(id, status.value(), CompletionOpcode.RECEIVE.value(), vendorError, (int) length, key,
                    invalidated ? CompletionBuffer.WITH_INVALIDATE : 0, origin, solicited);
        }

        @Override
        public boolean completeImmediate(boolean written, long length, boolean solicited, long immediate) {
            taken = false;
            return completions.addImmediate(id, written, (int) length, immediate, origin, solicited);
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
