package org.panamaverbs.softiwarp;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.panamaverbs.ClosedException;
import org.panamaverbs.CompletionChannel;
import org.panamaverbs.CompletionQueue;

/** A completion channel: the queues that have something to poll. */
final class SoftCompletionChannel implements CompletionChannel {
    private final SoftDevice device;
    private final Children children = new Children("the completion channel");
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final ArrayDeque<CompletionQueue> events = new ArrayDeque<>();
    private boolean closed;

    SoftCompletionChannel(SoftDevice device) {
        this.device = device;
    }

    SoftDevice device() {
        return device;
    }

    Children children() {
        return children;
    }

    void add(CompletionQueue queue) {
        lock.lock();
        try {
            events.add(queue);
            changed.signal();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public CompletionQueue await(Duration timeout) {
        long left = Waits.nanos(timeout);
        lock.lock();
        try {
            while (events.isEmpty() && !closed && left > 0) {
                left = Waits.await(changed, left);
            }
            if (closed) {
                throw new ClosedException("the completion channel is closed");
            }
            return events.poll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        if (!children.close()) {
            return;
        }
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        device.children().remove(this);
    }
}
