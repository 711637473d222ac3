package org.panamaverbs.softiwarp.transport.shared;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.panamaverbs.ResourceException;
import org.panamaverbs.SystemException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.cm.Route;
import org.panamaverbs.posix.Errno;
import org.panamaverbs.softiwarp.transport.Acceptor;
import org.panamaverbs.softiwarp.transport.Channel;
import org.panamaverbs.softiwarp.transport.DatagramBinding;
import org.panamaverbs.softiwarp.transport.DatagramPort;
import org.panamaverbs.softiwarp.transport.EventStack;
import org.panamaverbs.softiwarp.transport.Failures;
import org.panamaverbs.softiwarp.transport.Multiplexer;
import org.panamaverbs.softiwarp.transport.Registration;
import org.panamaverbs.softiwarp.transport.epoll.Descriptor;
import org.panamaverbs.softiwarp.transport.epoll.EpollMultiplexer;
import org.panamaverbs.spi.support.Rollback;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shared memory between processes of one user on one machine, and TCP for all others. A listener serves both: its port offers shared
 * memory beside TCP.
 *
 * <p>A peer does not wake this side while this side is awake. So a thread that selects looks into the rings of the channels that were
 * active of late. Before it sleeps, or after some looks that find nothing, it asks those peers to wake it, and the epoll set then reports
 * their wake-ups. An idle channel costs nothing.
 */
// Tested by SharedMultiplexerTest.
public final class SharedMultiplexer implements Multiplexer {
    private static final Logger LOG = LoggerFactory.getLogger(SharedMultiplexer.class);
    /** A channel is no longer looked at after so many looks that found nothing: some milliseconds of a thread that busy-polls. */
    private static final int MOST_IDLE_LOOKS = 20_000;
    /** One selection in this many asks the epoll set, too, though a channel is looked at. */
    private static final int TURNS_PER_EPOLL = 8;

    private final EpollMultiplexer epoll;
    private final boolean alone;
    private final int capacity;
    private final EventStack own = new EventStack();
    /** Channels that were added, or have their rings only now, and are not looked at yet. */
    private final Queue<Watch> added = new ConcurrentLinkedQueue<>();

    // Only the selecting thread uses these.
    private final List<Watch> active = new ArrayList<>();
    private int turns;

    /** Found once, because sandboxes do not change. */
    private static final class Obstacle {
        static final String FOUND = find();

        private static String find() {
            String prefix = "no shared memory";
            try {
                Offer.probe(prefix);
                Libc.close(RingMemory.create(prefix, RingMemory.LEAST_CAPACITY));
                return null;
            } catch (ResourceException e) {
                // A shortage ends.
                return null;
            } catch (VerbsException e) {
                return e.getMessage();
            }
        }
    }

    /** Why the system does not let this process share memory, or {@code null} if it does. */
    public static String unavailable() {
        return Obstacle.FOUND;
    }

    /**
     * Makes one.
     *
     * @param epoll for TCP, and for wake-ups; this multiplexer closes it
     * @param alone whether {@link #connect} must not fall back to TCP
     */
    public SharedMultiplexer(EpollMultiplexer epoll, boolean alone) {
        this(epoll, alone, RingMemory.CAPACITY);
    }

    /** Makes one that connects with rings of this many bytes for each direction. */
    SharedMultiplexer(EpollMultiplexer epoll, boolean alone, int capacity) {
        this.epoll = epoll;
        this.alone = alone;
        this.capacity = capacity;
    }

    @Override
    public Channel connect(Route route) {
        Failures.requireResolved(route.remote());
        try {
            Offer.Connected offered = Offer.connect(route);
            if (offered != null) {
                return SharedChannel.ofConnected(offered, "connect to " + route.describe(), capacity);
            }
        } catch (VerbsException e) {
            if (alone) {
                throw e;
            }
            // The system may have no room for another socket, file or mapping. If too many peers wait for the process already
            // (net.core.somaxconn), this one waits in the queue of TCP.
            LOG.debug("no shared memory, but TCP: {}", e.getMessage());
        }
        if (alone) {
            throw new SystemException("connect to " + route.describe()
                    + ": connection refused: no process of this user offers shared memory"
                    + " there, on this machine and in this network namespace (setting panamaverbs.softiwarp.transport; auto takes TCP then)",
                    Errno.ECONNREFUSED);
        }
        return epoll.connect(route);
    }

    @Override
    public Acceptor<Channel> listen(InetSocketAddress local, int backlog, int typeOfService) {
        Acceptor<Channel> tcp = epoll.listen(local, backlog, typeOfService);
        try (Rollback undo = new Rollback()) {
            undo.add(tcp::close);
            SharedAcceptor acceptor = new SharedAcceptor(tcp, offer(tcp.address()));
            undo.commit();
            return acceptor;
        }
    }

    /** The offer of a port, or {@code null} if there can be none; then its peers take TCP. */
    private Descriptor offer(InetSocketAddress port) {
        try {
            return Offer.listen(port);
        } catch (VerbsException e) {
            if (alone) {
                throw e;
            }
            LOG.warn("port {} does not offer shared memory: {}", Route.text(port), e.getMessage());
            return null;
        }
    }

    @Override
    public DatagramPort bind(DatagramBinding binding) {
        return epoll.bind(binding);
    }

    @Override
    public void add(DatagramPort port, Handler handler) {
        epoll.add(port, handler);
    }

    @Override
    public Registration add(Channel channel, Handler handler) {
        if (!(channel instanceof SharedChannel shared)) {
            return epoll.add(channel, handler);
        }
        Watch watch = new Watch(this, shared, handler);
        shared.watch(watch);
        try (Rollback undo = new Rollback()) {
            undo.add(shared::unwatch);
            shared.register(epoll, watch);
            undo.commit();
        }
        begin(watch);
        return watch.registration();
    }

    @Override
    public void remove(Channel channel) {
        if (channel instanceof SharedChannel shared) {
            shared.unwatch();
        } else {
            epoll.remove(channel);
        }
    }

    @Override
    public void add(Acceptor<Channel> acceptor, Handler handler) {
        ((SharedAcceptor) acceptor).register(epoll, handler);
    }

    @Override
    public void unwatch(Channel channel) {
        if (!(channel instanceof SharedChannel)) {
            epoll.unwatch(channel);
        }
    }

    @Override
    public boolean watch(Channel channel) {
        return channel instanceof SharedChannel || epoll.watch(channel);
    }

    /** Has the selecting thread look into the rings of a channel, and the handler begin to read and write. Any thread may call it. */
    void begin(Watch watch) {
        added.add(watch);
        report(watch.registration(), READABLE | WRITABLE);
    }

    /** Reports events to a handler. */
    void report(Registration registration, int events) {
        own.push(registration, events);
        epoll.wakeUp();
    }

    /** Looks into the rings of a channel from now on. Only the selecting thread calls it. */
    void lookAt(Watch watch) {
        if (!watch.isActive()) {
            active.add(watch);
        }
        watch.setActive(true);
    }

    @Override
    public int select(long timeoutNanos) {
        int called = own.dispatchAll() + look();
        if (called == 0 && timeoutNanos != 0) {
            called = sleep();
        }
        boolean sleeps = called == 0 && timeoutNanos != 0;
        if (!sleeps && !active.isEmpty() && ++turns % TURNS_PER_EPOLL != 0) {
            return called;
        }
        return called + epoll.select(sleeps ? timeoutNanos : 0) + own.dispatchAll();
    }

    /** Calls the handlers of the channels that have events. */
    private int look() {
        for (Watch watch = added.poll(); watch != null; watch = added.poll()) {
            lookAt(watch);
        }
        int called = 0;
        // From the end: the last one takes the place of one that leaves.
        for (int i = active.size() - 1; i >= 0; i--) {
            Watch watch = active.get(i);
            int events = watch.isOver() ? 0 : watch.channel().takeEvents();
            if (events != 0) {
                called += watch.registration().dispatch(events);
            }
            if (watch.isOver() || watch.count(events != 0) > MOST_IDLE_LOOKS && watch.channel().sleep()) {
                leave(i);
            }
        }
        return called;
    }

    /** Asks the peers to wake this side; calls the handlers of those that have written meanwhile. */
    private int sleep() {
        int called = 0;
        for (int i = active.size() - 1; i >= 0; i--) {
            Watch watch = active.get(i);
            if (watch.isOver() || watch.channel().sleep()) {
                leave(i);
            } else {
                called += watch.registration().dispatch(watch.channel().takeEvents());
            }
        }
        return called;
    }

    private void leave(int index) {
        active.get(index).setActive(false);
        Watch last = active.removeLast();
        if (index < active.size()) {
            active.set(index, last);
        }
    }

    @Override
    public boolean isBusyPolled() {
        return epoll.isBusyPolled();
    }

    @Override
    public void wakeUp() {
        epoll.wakeUp();
    }

    @Override
    public void close() {
        epoll.close();
    }
}
