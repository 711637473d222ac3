package org.panamaverbs.softiwarp;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.panamaverbs.ClosedException;
import org.panamaverbs.CompletionChannel;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.softiwarp.progress.EventLoop;
import org.panamaverbs.softiwarp.progress.WaitPoint;
import org.panamaverbs.spi.Children;
import org.panamaverbs.spi.Waits;

/** A completion channel: the queues that have notified it and wait to be polled. */
final class SoftCompletionChannel implements CompletionChannel {
    private final SoftDevice device;
    private final Children children = new Children("the completion channel");
    private static final EventLoop[] NO_LOOPS = {};

    private final WaitPoint waiters = new WaitPoint();
    private final BooleanSupplier hasEvent = this::hasEvent;
    /** Guarded by itself. */
    private final ArrayDeque<CompletionQueue> events = new ArrayDeque<>();
    /** The loops of all queue pairs that complete in queues of this channel. */
    private volatile EventLoop[] loops = NO_LOOPS;
    private volatile boolean closed;

    SoftCompletionChannel(SoftDevice device) {
        this.device = device;
    }

    @Override
    public SoftDevice device() {
        return device;
    }

    Children children() {
        return children;
    }

    /** Adds the loop of a queue pair that completes in a queue of this channel. */
    synchronized void attach(EventLoop loop) {
        if (List.of(loops).contains(loop)) {
            return;
        }
        List<EventLoop> all = new ArrayList<>(List.of(loops));
        all.add(loop);
        loops = all.toArray(NO_LOOPS);
    }

    void add(CompletionQueue queue) {
        synchronized (events) {
            events.add(queue);
        }
        waiters.signal();
    }

    @Override
    public CompletionQueue await(Duration timeout) {
        long limit = Waits.nanos(timeout);
        long start = System.nanoTime();
        while (true) {
            boolean inTime = waiters.await(loops, hasEvent, Math.max(0, limit - (System.nanoTime() - start)));
            if (closed) {
                throw new ClosedException("the completion channel is closed");
            }
            CompletionQueue queue;
            synchronized (events) {
                queue = events.poll();
            }
            // Signalled but empty: another thread has taken the queue, so this one waits again.
            if (queue != null) {
                return queue;
            }
            if (!inTime) {
                throw Waits.timedOut("no completion queue of a completion channel has raised an event", timeout);
            }
        }
    }

    private boolean hasEvent() {
        synchronized (events) {
            return closed || !events.isEmpty();
        }
    }

    @Override
    public void close() {
        if (!children.close()) {
            return;
        }
        closed = true;
        waiters.signal();
        device.children().remove(this);
    }
}
