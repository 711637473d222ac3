package org.panamaverbs.rdmacore;

import org.panamaverbs.CompletionQueueAttributes;
import org.panamaverbs.rdmacore.event.EventChannel;
import org.panamaverbs.spi.AbstractCompletionQueue;
import org.panamaverbs.spi.BusyPoll;
import org.panamaverbs.spi.CompletionBuffer;

/** A completion queue, as a thread that waits sees it: the thread busy-polls, and then sleeps until the device or another thread raises an event. */
// Tested by EventChannelFaultsTest, CoreCompletionQueueNotificationFaultsTest.
abstract class AwaitedQueue extends AbstractCompletionQueue {
    private final EventChannel events;
    private final BusyPoll busyPoll;

    /**
     * @param events the channel on which the device reports its completions
     */
    AwaitedQueue(CompletionQueueAttributes attributes, EventChannel events, BusyPoll busyPoll) {
        super(attributes);
        this.events = events;
        this.busyPoll = busyPoll;
    }

    /** The device raises an event of the next completion. */
    abstract void arm();

    final EventChannel events() {
        return events;
    }

    @Override
    protected final int awaitAvailable(CompletionBuffer into, long limit, boolean wakeable) {
        long start = System.nanoTime();
        int count = takeAvailable(into);
        if (count == 0) {
            count = busyPoll(into, start, limit, wakeable);
        }
        while (count == 0) {
            long seen = events.signals();
            arm();
            count = takeAvailable(into);
            long left = limit - (System.nanoTime() - start);
            if (count > 0 || left <= 0 || wakeable && consumeWakeup()) {
                return count;
            }
            // Not under the lock, which others want for moments.
            events.await(seen, left);
            count = takeAvailable(into);
        }
        return count;
    }

    private int busyPoll(CompletionBuffer into, long start, long limit, boolean wakeable) {
        long nanos = Thread.currentThread().isVirtual() ? 0 : busyPoll.nanos(limit);
        while (System.nanoTime() - start < nanos && !(wakeable && isWoken())) {
            int count = takeAvailable(into);
            if (count > 0) {
                busyPoll.onFound();
                return count;
            }
            Thread.onSpinWait();
        }
        if (nanos > 0) {
            busyPoll.onEmpty();
        }
        return 0;
    }

    @Override
    protected final void signalWaiters() {
        events.signal();
    }
}
