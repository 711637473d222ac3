package org.panamaverbs.softiwarp;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.panamaverbs.ClosedException;
import org.panamaverbs.VerbsTimeoutException;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.cm.Listener;
import org.panamaverbs.softiwarp.cm.ListeningPort;
import org.panamaverbs.softiwarp.cm.PassiveOpen;
import org.panamaverbs.softiwarp.lifecycle.Complaints;
import org.panamaverbs.softiwarp.progress.EventLoop;
import org.panamaverbs.spi.Waits;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A listener: keeps connection requests until the program takes them. */
final class SoftListener implements Listener {
    private static final Logger LOG = LoggerFactory.getLogger(SoftListener.class);

    private final SoftDevice device;
    private final EventLoop loop;
    private final int backlog;
    private final ListeningPort port;
    private final Complaints complaints = new Complaints(LOG);
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition arrived = lock.newCondition();
    private final ArrayDeque<PassiveOpen<SoftConnection>> waiting = new ArrayDeque<>();
    private boolean closed;

    SoftListener(SoftDevice device, InetSocketAddress local, int backlog, int typeOfService) {
        this.device = device;
        this.backlog = backlog;
        this.loop = device.nextLoop();
        long timeout = TimeUnit.MILLISECONDS.toNanos(device.settings().requestTimeoutMillis());
        this.port = ListeningPort.open(loop, local, backlog, typeOfService, timeout, device.settings().limits(), this::onRequest,
                device.counters()::onRefused);
    }

    private void onRequest(PassiveOpen<SoftConnection> open) {
        boolean taken;
        boolean late;
        lock.lock();
        try {
            late = closed;
            taken = !late && waiting.size() < backlog;
            if (taken) {
                waiting.add(open);
                arrived.signal();
            }
        } finally {
            lock.unlock();
        }
        if (!taken) {
            device.counters().onRefused();
            complaints.warn("refused {}: {}", open.remoteAddress(),
                    late ? "the listener is closed"
                            : "the program does not take the requests that wait, " + backlog
                                    + " at most: accept requests sooner, or listen with a longer backlog");
            open.abort();
        }
    }

    @Override
    public InetSocketAddress address() {
        return port.address();
    }

    @Override
    public ConnectionRequest awaitRequest(Duration timeout) {
        long left = Waits.nanos(timeout);
        PassiveOpen<SoftConnection> open;
        lock.lock();
        try {
            while (waiting.isEmpty() && !closed && left > 0) {
                left = Waits.await(arrived, left);
            }
            if (closed) {
                throw new ClosedException("the listener at " + address() + " is closed");
            }
            open = waiting.poll();
        } finally {
            lock.unlock();
        }
        if (open == null) {
            throw new VerbsTimeoutException("no connection request came to " + address() + " within " + Waits.describe(timeout));
        }
        SoftConnectionRequest request = new SoftConnectionRequest(device, loop, open);
        device.children().add(request);
        return request;
    }

    @Override
    public void close() {
        List<PassiveOpen<SoftConnection>> dropped;
        lock.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            dropped = new ArrayList<>(waiting);
            waiting.clear();
            arrived.signalAll();
        } finally {
            lock.unlock();
        }
        port.close();
        dropped.forEach(PassiveOpen::abort);
        device.children().remove(this);
    }
}
