package org.panamaverbs.softiwarp.queue;

import java.lang.foreign.MemorySegment;
import java.util.function.IntConsumer;
import org.panamaverbs.CompletionOpcode;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.softiwarp.memory.SgeCursor;
import org.panamaverbs.softiwarp.memory.SgeList;
import org.panamaverbs.spi.CompletionBuffer;

/**
 * Receives that several streams share. Many threads post them and many take them. When a message begins, its stream takes a receive out of
 * the ring; the receive belongs to that stream from then on.
 *
 * <p>A ring may limit the receives that one stream holds (RFC 5042, 6.4.3.1). A stream holds a receive from the moment it takes that
 * receive until the program replaces it. A posted receive does not name the receive that it replaces: it replaces the oldest held one. So
 * the receive with sequence number {@code s} is replaced once as many receives were posted after it as the ring has held at most.
 *
 * <p>That maximum never falls. If it fell, a peer that keeps the ring empty could lower it, and the peer's receives would count as replaced
 * while the program still uses them. So a program must go on to keep as many receives posted as it once did. If it keeps fewer, receives
 * count as held for longer than they are, and an honest peer may exceed its share.
 */
public final class SharedReceiveRing extends WorkQueue {
    /** The most bytes that a thread copies under {@link #takers}: other threads busy-wait meanwhile. */
    private static final int MOST_COPIED = 512;

    private final SpinLock takers = new SpinLock();
    private final int elements;
    private final Runnable onLimit;
    /** If fewer receives than this are left, {@link #onLimit} runs, once; 0 if it is not armed. Under {@link #takers}. */
    private int limit;
    /** The most receives that a stream holds. */
    private final int share;
    private final IntConsumer onExcess;
    /** The stream that holds each receive, by slot; {@code null} if any stream may hold all receives. Under {@link #takers}. */
    private final Holding[] holders;
    /** The oldest receive that a stream holds. Under {@link #takers}. */
    private long returned;
    /** The most receives that the ring has held when one was taken. Under {@link #takers}. */
    private long fullest;

    /** The number of receives that a stream holds. An object of its own, so that the ring does not keep closed streams. */
    private static final class Holding {
        /** Under {@link #takers}. */
        private int receives;
    }

    /**
     * Makes an empty ring, of which any stream may hold all receives.
     *
     * @param onLimit called once after each {@link #armLimit}, by a thread that takes a receive or by the thread that arms
     */
    public SharedReceiveRing(int depth, int elements, Runnable onLimit) {
        this(depth, elements, depth, onLimit, queuePair -> {
        });
    }

    /**
     * Makes an empty ring.
     *
     * @param share    the most receives that one stream holds, 1 or more
     * @param onLimit  called once after each {@link #armLimit}, by a thread that takes a receive or by the thread that arms
     * @param onExcess called with the number of a queue pair whose stream gets no receive because it holds its share, by the thread that
     *                 wanted the receive
     */
    public SharedReceiveRing(int depth, int elements, int share, Runnable onLimit, IntConsumer onExcess) {
        super(depth, elements);
        this.elements = elements;
        this.onLimit = onLimit;
        this.share = share;
        this.onExcess = onExcess;
        this.holders = share < depth ? new Holding[slots()] : null;
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

    /** Counts receives that the program has replaced as no longer held. The caller holds {@link #takers}. */
    private void giveBack() {
        long posted = posted();
        fullest = Math.max(fullest, posted - retired());
        for (; returned < posted - fullest; returned++) {
            holders[slot(returned)].receives--;
            holders[slot(returned)] = null;
        }
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
        private final Holding holding = new Holding();
        private long id;
        private boolean taken;
        /** Written by the receiving thread, as is the next. */
        private long completed;
        private long failed;

        Share(CompletionRing completions, Origin origin) {
            this.completions = completions;
            this.origin = origin;
        }

        @Override
        public boolean take(SgeCursor into) {
            boolean refused;
            boolean low;
            takers.lock();
            try {
                long sequence = retired();
                if (sequence == posted()) {
                    return false;
                }
                refused = !mayHold(sequence);
                if (refused) {
                    low = false;
                } else {
                    into.wrap(list, 0, copyParts(sequence, list));
                    low = takeOldest(sequence);
                }
            } finally {
                takers.unlock();
            }
            if (refused) {
                onExcess.accept(origin.queuePair());
            } else if (low) {
                onLimit.run();
            }
            return !refused;
        }

        @Override
        public boolean put(MemorySegment source, long at, int length) {
            if (length > MOST_COPIED) {
                return false;
            }
            boolean low;
            takers.lock();
            try {
                long sequence = retired();
                if (holders != null || sequence == posted()
                        || !ReceiveRing.putFirst(SharedReceiveRing.this, sequence, source, at, length)) {
                    return false;
                }
                low = takeOldest(sequence);
            } finally {
                takers.unlock();
            }
            if (low) {
                onLimit.run();
            }
            return true;
        }

        /** Takes the oldest receive out of the ring; returns {@link #takeLimit}. The caller holds {@link #takers}. */
        private boolean takeOldest(long sequence) {
            id = id(sequence);
            forget(sequence);
            retire(sequence + 1);
            taken = true;
            return takeLimit();
        }

        /** Makes this stream the holder of a receive, unless it already holds its share. The caller holds {@link #takers}. */
        private boolean mayHold(long sequence) {
            if (holders == null) {
                return true;
            }
            giveBack();
            if (holding.receives == share) {
                return false;
            }
            holding.receives++;
            holders[slot(sequence)] = holding;
            return true;
        }

        @Override
        public boolean complete(CompletionStatus status, int vendorError, long length, boolean solicited, boolean invalidated, int key) {
            taken = false;
            completed++;
            if (status != CompletionStatus.SUCCESS) {
                failed++;
            }
            return completions.add(id, status.value(), CompletionOpcode.RECEIVE.value(), vendorError, (int) length, key,
                    invalidated ? CompletionBuffer.WITH_INVALIDATE : 0, origin, solicited);
        }

        @Override
        public boolean completeImmediate(boolean written, long length, boolean solicited, long immediate) {
            taken = false;
            completed++;
            return completions.addImmediate(id, written, (int) length, immediate, origin, solicited);
        }

        @Override
        public boolean isShared() {
            return true;
        }

        @Override
        public long completed() {
            return completed;
        }

        @Override
        public long failed() {
            return failed;
        }

        @Override
        public void flush() {
            if (taken) {
                complete(CompletionStatus.FLUSHED, 0, 0, false, false, 0);
            }
        }
    }
}
