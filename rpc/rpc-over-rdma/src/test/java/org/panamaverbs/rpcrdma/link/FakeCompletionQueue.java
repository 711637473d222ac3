package org.panamaverbs.rpcrdma.link;

import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.panamaverbs.ClosedException;
import org.panamaverbs.Completion;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.Completions;
import org.panamaverbs.Device;
import org.panamaverbs.WaitInterruptedException;
import org.panamaverbs.spi.CompletionBuffer;
import org.panamaverbs.spi.Described;

/** A queue in which nothing completes but what a test says. */
final class FakeCompletionQueue implements CompletionQueue {
    private final Semaphore wakeups = new Semaphore(0);
    private final Device device;
    private volatile boolean closed;
    private final Queue<Object> receivers = new ConcurrentLinkedQueue<>();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();

    FakeCompletionQueue(Device device) {
        this.device = device;
    }

    /** A message of 28 zeros came for a queue pair with this attachment, into its first receive. */
    void receive(Object attachment) {
        receivers.add(attachment);
        wakeups.release();
    }

    /** The next wait throws. */
    void fail(Throwable thrown) {
        failure.set(thrown);
        wakeups.release();
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
            switch (failure.getAndSet(null)) {
                case null -> {
                    // It goes well.
                }
                case Error error -> throw error;
                case Throwable exception -> throw (RuntimeException) exception;
            }
            CompletionBuffer buffer = Described.of(into);
            Object receiver = receivers.poll();
            if (receiver == null) {
                buffer.filled(0);
                return 0;
            }
            buffer.memory().fill((byte) 0);
            buffer.memory().set(ValueLayout.JAVA_LONG_UNALIGNED, CompletionBuffer.ID, 1L << 32);
            buffer.memory().set(ValueLayout.JAVA_INT_UNALIGNED, CompletionBuffer.OPCODE, CompletionBuffer.RECEIVED);
            buffer.memory().set(ValueLayout.JAVA_INT_UNALIGNED, CompletionBuffer.BYTE_LENGTH, 28);
            buffer.attach(0, receiver);
            buffer.filled(1);
            if (!receivers.isEmpty()) {
                wakeups.release();
            }
            return 1;
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
