package org.panamaverbs.rpcrdma.link;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.panamaverbs.ClosedException;
import org.panamaverbs.Completion;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.Completions;
import org.panamaverbs.Device;
import org.panamaverbs.WaitInterruptedException;

/** A queue in which nothing ever completes. */
final class FakeCompletionQueue implements CompletionQueue {
    private final Semaphore wakeups = new Semaphore(0);
    private final Device device;
    private volatile boolean closed;

    FakeCompletionQueue(Device device) {
        this.device = device;
    }

    @Override
    public Device device() {
        return device;
    }

    @Override
    public int capacity() {
        return 1000;
    }

    @Override
    public int poll(Completions into) {
        return 0;
    }

    @Override
    public int await(Completions into, Duration timeout) {
        try {
            if (wakeups.tryAcquire(timeout.toNanos(), TimeUnit.NANOSECONDS)) {
                wakeups.drainPermits();
            }
            if (closed) {
                throw new ClosedException("the queue is closed");
            }
            return 0;
        } catch (InterruptedException e) {
            throw new WaitInterruptedException(e);
        }
    }

    @Override
    public Completion take(Duration timeout) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void wakeup() {
        wakeups.release();
    }

    @Override
    public void requestNotification(boolean solicitedOnly) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() {
        closed = true;
        wakeups.release();
    }
}
