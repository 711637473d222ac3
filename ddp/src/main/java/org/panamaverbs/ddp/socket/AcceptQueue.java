package org.panamaverbs.ddp.socket;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.panamaverbs.ClosedException;
import org.panamaverbs.ddp.DdpListener;
import org.panamaverbs.ddp.DdpSocket;
import org.panamaverbs.softiwarp.cm.ListeningPort;
import org.panamaverbs.spi.Waits;

/** A listener, as the program sees it: established streams that wait until a thread accepts them. The port is the transport's. */
final class AcceptQueue implements DdpListener {
    /** The most streams that wait. A peer beyond that is closed. */
    static final int BACKLOG = 128;

    private final SoftDdpGroup group;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition arrived = lock.newCondition();
    private final ArrayDeque<AbstractSocket> waiting = new ArrayDeque<>();
    private Port port;
    private boolean closed;

    /** The port of a transport that listens. */
    interface Port {
        InetSocketAddress address();

        void close();
    }

    /** A TCP port. */
    static Port portOf(ListeningPort listening) {
        return new Port() {
            @Override
            public InetSocketAddress address() {
                return listening.address();
            }

            @Override
            public void close() {
                listening.close();
            }
        };
    }

    AcceptQueue(SoftDdpGroup group) {
        this.group = group;
    }

    /** Called once, before the program has the listener. */
    AcceptQueue listensAt(Port opened) {
        port = opened;
        return this;
    }

    /** A stream is established. Any thread calls it, without locks. Returns the socket, which is closed if there is no room for it. */
    <T extends AbstractSocket> T add(T socket) {
        boolean taken;
        lock.lock();
        try {
            taken = !closed && waiting.size() < BACKLOG;
            if (taken) {
                waiting.add(socket);
                arrived.signal();
            }
        } finally {
            lock.unlock();
        }
        if (!taken) {
            socket.close();
        }
        return socket;
    }

    @Override
    public InetSocketAddress address() {
        return port.address();
    }

    @Override
    public DdpSocket accept(Duration timeout) {
        long left = Waits.nanos(timeout);
        lock.lock();
        try {
            while (waiting.isEmpty() && !closed && left > 0) {
                left = Waits.await(arrived, left);
            }
            if (closed) {
                throw new ClosedException("the listener at " + address() + " is closed");
            }
            if (waiting.isEmpty()) {
                throw Waits.timedOut("no stream came to " + address(), timeout);
            }
            return waiting.poll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        List<AbstractSocket> dropped;
        lock.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            dropped = List.copyOf(waiting);
            waiting.clear();
            arrived.signalAll();
        } finally {
            lock.unlock();
        }
        port.close();
        dropped.forEach(AbstractSocket::close);
        group.children().remove(this);
    }
}
