package org.panamaverbs.softiwarp.cm;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.panamaverbs.ClosedException;
import org.panamaverbs.cm.Route;
import org.panamaverbs.spi.Waits;

/** What has come to a listener, and waits until a thread of the program takes it. Any thread may call each method. */
public final class AcceptQueue<T> {
    private final String what;
    private final int most;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition arrived = lock.newCondition();
    private final ArrayDeque<T> waiting = new ArrayDeque<>();
    private boolean closed;

    /**
     * Makes an empty queue.
     *
     * @param what one of what comes, for messages
     * @param most the most that wait
     */
    public AcceptQueue(String what, int most) {
        this.what = what;
        this.most = most;
    }

    /** Adds one; {@code false} if the queue is full or closed. */
    public boolean add(T one) {
        lock.lock();
        try {
            boolean taken = !closed && waiting.size() < most;
            if (taken) {
                waiting.add(one);
                arrived.signal();
            }
            return taken;
        } finally {
            lock.unlock();
        }
    }

    /** Whether nothing will be taken any more. */
    public boolean isClosed() {
        lock.lock();
        try {
            return closed;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Takes the oldest.
     *
     * @param address of the listener, for messages
     * @throws ClosedException                         if the listener is closed
     * @throws org.panamaverbs.VerbsTimeoutException    if none came in time
     * @throws org.panamaverbs.WaitInterruptedException if the thread is interrupted
     */
    public T take(InetSocketAddress address, Duration timeout) {
        long left = Waits.nanos(timeout);
        lock.lock();
        try {
            while (waiting.isEmpty() && !closed && left > 0) {
                left = Waits.await(arrived, left);
            }
            if (closed) {
                throw new ClosedException("the listener at " + Route.text(address) + " is closed");
            }
            if (waiting.isEmpty()) {
                throw Waits.timedOut("no " + what + " came to " + Route.text(address), timeout);
            }
            return waiting.poll();
        } finally {
            lock.unlock();
        }
    }

    /** Closes it, and wakes the threads that wait; returns what nobody has taken, or nothing if it was closed before. */
    public Optional<List<T>> close() {
        lock.lock();
        try {
            if (closed) {
                return Optional.empty();
            }
            closed = true;
            List<T> left = List.copyOf(waiting);
            waiting.clear();
            arrived.signalAll();
            return Optional.of(left);
        } finally {
            lock.unlock();
        }
    }
}
