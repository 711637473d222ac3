package org.panamaverbs.spi;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.panamaverbs.AsynchronousEvent;
import org.panamaverbs.AsynchronousEvents;
import org.panamaverbs.ClosedException;
import org.panamaverbs.spi.support.Waits;

/** Hands the asynchronous events of one device to all listeners; the same on every provider. Publishing never waits for a listener. */
public final class AsynchronousEventHub implements AutoCloseable {
    private final String device;
    private final List<Listener> listeners = new CopyOnWriteArrayList<>();
    private boolean closed;

    /**
     * Makes one that nobody listens to.
     *
     * @param device the device's name
     */
    public AsynchronousEventHub(String device) {
        this.device = device;
    }

    /**
     * Notifies all listeners.
     *
     * @param event the event
     */
    public void publish(AsynchronousEvent event) {
        for (Listener listener : listeners) {
            listener.add(event);
        }
    }

    /**
     * Listens from now on.
     *
     * @return closed by the caller, or with this
     * @throws ClosedException if this is closed
     */
    public synchronized AsynchronousEvents listen() {
        if (closed) {
            throw new ClosedException("device " + device + " is closed");
        }
        Listener listener = new Listener();
        listeners.add(listener);
        return listener;
    }

    /** Ends all listening: with the device. */
    @Override
    public void close() {
        List<Listener> all;
        synchronized (this) {
            closed = true;
            all = new ArrayList<>(listeners);
        }
        all.forEach(Listener::close);
    }

    private final class Listener implements AsynchronousEvents {
        private final ReentrantLock lock = new ReentrantLock();
        private final Condition changed = lock.newCondition();
        private final ArrayDeque<AsynchronousEvent> waiting = new ArrayDeque<>();
        private long lost;
        private boolean ended;

        private void add(AsynchronousEvent event) {
            lock.lock();
            try {
                if (ended) {
                    return;
                }
                if (waiting.size() == CAPACITY) {
                    waiting.removeFirst();
                    lost++;
                }
                waiting.addLast(event);
                changed.signal();
            } finally {
                lock.unlock();
            }
        }

        @Override
        public AsynchronousEvent await(Duration timeout) {
            long left = Waits.nanos(timeout);
            lock.lock();
            try {
                while (waiting.isEmpty() && !ended && left > 0) {
                    left = Waits.await(changed, left);
                }
                if (ended) {
                    throw new ClosedException("the events of device " + device + " are closed");
                }
                AsynchronousEvent event = waiting.pollFirst();
                if (event == null) {
                    throw Waits.timedOut("no asynchronous event of device " + device + " came", timeout);
                }
                return event;
            } finally {
                lock.unlock();
            }
        }

        @Override
        public long lost() {
            lock.lock();
            try {
                return lost;
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void close() {
            listeners.remove(this);
            lock.lock();
            try {
                ended = true;
                waiting.clear();
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }
}
