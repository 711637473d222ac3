package org.panamaverbs.rdmacore;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.panamaverbs.ClosedException;
import org.panamaverbs.CompletionChannel;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.rdmacore.lifecycle.DeviceFailure;
import org.panamaverbs.rdmacore.lifecycle.DeviceFailureListener;
import org.panamaverbs.spi.Children;
import org.panamaverbs.spi.Waits;

/**
 * A completion channel: the queues that have something to poll. The device has one native channel for all of them, which the event
 * reader reads.
 */
final class CoreCompletionChannel implements CompletionChannel, DeviceFailureListener {
    private final CoreDevice device;
    private final Children children = new Children("the completion channel");
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final ArrayDeque<CompletionQueue> events = new ArrayDeque<>();
    private DeviceFailure failure;
    private boolean closed;

    CoreCompletionChannel(CoreDevice device) {
        this.device = device;
    }

    @Override
    public CoreDevice device() {
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
    public void onDeviceFailure(DeviceFailure reason) {
        children.open().forEach(queue -> ((CoreCompletionQueue) queue).onDeviceFailure(reason));
        lock.lock();
        try {
            failure = reason;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public CompletionQueue await(Duration timeout) {
        long left = Waits.nanos(timeout);
        lock.lock();
        try {
            while (events.isEmpty() && !closed && failure == null && left > 0) {
                left = Waits.await(changed, left);
            }
            if (closed) {
                throw new ClosedException("the completion channel is closed");
            }
            if (events.isEmpty() && failure != null) {
                throw failure.exception();
            }
            CompletionQueue queue = events.poll();
            if (queue == null) {
                throw Waits.timedOut("no completion queue of a completion channel has raised an event", timeout);
            }
            return queue;
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
