package org.panamaverbs.softiwarp.transport.memory;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.panamaverbs.ClosedException;
import org.panamaverbs.cm.Route;
import org.panamaverbs.posix.Errno;
import org.panamaverbs.softiwarp.transport.Acceptor;
import org.panamaverbs.softiwarp.transport.Channel;
import org.panamaverbs.softiwarp.transport.EventStack;
import org.panamaverbs.softiwarp.transport.Failures;
import org.panamaverbs.softiwarp.transport.Multiplexer;
import org.panamaverbs.softiwarp.transport.Registration;
import org.panamaverbs.spi.Waits;

/**
 * Streams inside one process, without sockets, for tests: each multiplexer of this kind can connect to the listeners of all others in the
 * JVM. The caller chooses addresses freely, and only ports count. There are no packets that a type of service could mark.
 * {@link #select} returns at once on an interrupted thread.
 */
public final class MemoryMultiplexer implements Multiplexer {
    /** Bytes that each direction of a stream holds. */
    static final long CAPACITY = 256 << 10;
    /** Ports for callers that do not choose one: the default range of net.ipv4.ip_local_port_range. */
    private static final int FIRST_FREE_PORT = 32768;
    private static final int LAST_FREE_PORT = 60999;
    private static final AtomicInteger PORTS = new AtomicInteger();

    private final long capacity;
    private final EventStack ready = new EventStack();
    /** The thread that is about to wait. Another thread first publishes its event and then reads this field. */
    private volatile Thread waiting;
    private volatile boolean woken;
    private volatile boolean closed;

    /** Makes a multiplexer whose streams hold {@value #CAPACITY} bytes in each direction. */
    public MemoryMultiplexer() {
        this(CAPACITY);
    }

    /** Makes a multiplexer whose streams hold {@code capacity} bytes in each direction. */
    MemoryMultiplexer(long capacity) {
        if (capacity < 1) {
            throw new IllegalArgumentException("the capacity must be 1 byte or more, not " + capacity);
        }
        this.capacity = capacity;
    }

    @Override
    public Channel connect(Route route) {
        InetSocketAddress remote = route.remote();
        InetSocketAddress local = route.local().orElseGet(() -> new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        InetSocketAddress source = local.getPort() == 0 ? new InetSocketAddress(local.getAddress(), nextPort()) : local;
        MemoryAcceptor acceptor = MemoryAcceptor.find(remote.getPort());
        MemoryChannel[] ends = MemoryChannel.pair(source, remote, capacity);
        if (acceptor == null || !acceptor.offer(ends[1])) {
            throw Waits.refused(remote, null);
        }
        return ends[0];
    }

    @Override
    public Acceptor<Channel> listen(InetSocketAddress local, int backlog, int typeOfService) {
        Failures.requireResolved(local);
        if (local.getPort() != 0) {
            MemoryAcceptor acceptor = new MemoryAcceptor(local);
            if (!acceptor.open()) {
                throw Failures.of("listen on " + Route.text(local), "bind", Errno.EADDRINUSE, "Address already in use");
            }
            return acceptor;
        }
        for (int tries = FIRST_FREE_PORT; tries <= LAST_FREE_PORT; tries++) {
            MemoryAcceptor acceptor = new MemoryAcceptor(new InetSocketAddress(local.getAddress(), nextPort()));
            if (acceptor.open()) {
                return acceptor;
            }
        }
        throw Failures.of("listen on " + Route.text(local), "bind", Errno.EADDRINUSE, "Address already in use");
    }

    private static int nextPort() {
        return FIRST_FREE_PORT + Integer.remainderUnsigned(PORTS.getAndIncrement(), LAST_FREE_PORT - FIRST_FREE_PORT + 1);
    }

    @Override
    public Registration add(Channel channel, Handler handler) {
        return ((MemoryChannel) channel).watch().register(this, handler, READABLE | WRITABLE);
    }

    @Override
    public void remove(Channel channel) {
        ((MemoryChannel) channel).watch().unregister();
    }

    @Override
    public void add(Acceptor<Channel> acceptor, Handler handler) {
        ((MemoryAcceptor) acceptor).watch().register(this, handler, READABLE);
    }

    void report(Registration registration, int events) {
        ready.push(registration, events);
        LockSupport.unpark(waiting);
    }

    @Override
    public int select(long timeoutNanos) {
        if (closed) {
            throw new ClosedException("the multiplexer is closed");
        }
        if (timeoutNanos != 0) {
            await(timeoutNanos);
        }
        woken = false;
        return ready.dispatchAll();
    }

    private void await(long timeoutNanos) {
        Thread self = Thread.currentThread();
        long deadline = System.nanoTime() + timeoutNanos;
        waiting = self;
        // From here on an event unparks this thread; the loop sees events from before.
        while (ready.isEmpty() && !woken && !closed && !self.isInterrupted()) {
            if (timeoutNanos < 0) {
                LockSupport.park(this);
                continue;
            }
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                break;
            }
            LockSupport.parkNanos(this, left);
        }
        waiting = null;
    }

    @Override
    public void wakeUp() {
        woken = true;
        LockSupport.unpark(waiting);
    }

    @Override
    public void close() {
        closed = true;
        wakeUp();
    }
}
