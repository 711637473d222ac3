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
import org.panamaverbs.spi.support.Waits;

/**
 * What has come to a listener, and waits until a thread of the program takes it. Nothing that came is refused: a {@link ListeningPort}
 * accepts no further peer while the queue has no room, so those wait in the system's queue. Any thread may call each method.
 */
public final class AcceptQueue<T> {
    private final String what;
    private final int most;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition arrived = lock.newCondition();
    private final ArrayDeque<T> waiting = new ArrayDeque<>();
    private boolean closed;
    /** Runs when the queue has room again. */
    private volatile Runnable roomListener = () -> {
        // No port waits for room yet.
    };

    /**
     * Makes an empty queue.
     *
     * @param what one of what comes, for messages
     * @param most the number from which on the queue has no room; peers that were accepted before may still exceed it
     */
    public AcceptQueue(String what, int most) {
        this.what = what;
        this.most = most;
    }

    /** Adds one; {@code false} if the queue is closed. */
    public boolean add(T one) {
        lock.lock();
        try {
            if (!closed) {
                waiting.add(one);
                arrived.signal();
            }
            return !closed;
        } finally {
            lock.unlock();
        }
    }

    /** Whether a further peer may be accepted. */
    boolean hasRoom() {
        lock.lock();
        try {
            return waiting.size() < most;
        } finally {
            lock.unlock();
        }
    }

    /** Sets the task that runs under the lock, in the thread that takes, each time the queue gets room again. It must not wait. */
    void onRoom(Runnable task) {
        roomListener = task;
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
            return pollAndReport();
        } finally {
            lock.unlock();
        }
    }

    private T pollAndReport() {
        T oldest = waiting.poll();
        if (waiting.size() == most - 1) {
            boolean reported = false;
            try {
                roomListener.run();
                reported = true;
            } finally {
                if (!reported) {
                    // For lack of memory: the next thread that takes reports it.
                    waiting.addFirst(oldest);
                }
            }
        }
        return oldest;
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
