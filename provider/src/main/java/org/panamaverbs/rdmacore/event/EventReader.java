package org.panamaverbs.rdmacore.event;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.bindings.libc.pollfd;
import org.panamaverbs.bindings.rdma.ibv_context;
import org.panamaverbs.bindings.rdma.rdma_cm_event;
import org.panamaverbs.bindings.rdma.rdma_event_channel;
import org.panamaverbs.posix.EventDescriptor;
import org.panamaverbs.rdmacore.ffi.Calls;
import org.panamaverbs.rdmacore.ffi.EpollSet;
import org.panamaverbs.rdmacore.lifecycle.Draining;
import org.panamaverbs.spi.support.Rollback;
import org.panamaverbs.spi.support.Waits;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread of a session that reads its events: of connections, and asynchronous ones of its devices. It notifies the object and
 * acknowledges at once; so destroying an object, which waits for its events to be acknowledged, waits for no program.
 *
 * <p>A thread that waits for completions reads their events itself ({@link EventChannel}); this thread does so for virtual threads alone. It
 * also drains queue pairs whose connection has ended: see {@link Draining}.
 *
 * <p>If one of these steps fails, for lack of memory or of a class, the whole session fails: all waits end with the failure, and all
 * connections end. The thread goes on, since closing needs it.
 */
@SuppressWarnings("restricted") // pointers that native code hands out have no size
public final class EventReader {
    private static final Logger LOG = LoggerFactory.getLogger(EventReader.class);
    /** The time between two attempts to drain a queue pair that ends. */
    private static final int TICK_MILLIS = 2;
    /** How many descriptors it watches besides those of the devices. */
    private static final int FIXED = 3;
    /** How long the thread rests after a failure: the next turn may bring another. */
    private static final long PAUSE_NANOS = 1_000_000;

    private final Arena arena = Arena.ofShared();
    /** The time between two probes of idle connections; 0 for none. */
    private final int probeMillis;
    private long nextProbe;
    /** {@code NULL} if no device has connections. */
    private final MemorySegment channel;
    private final EventDescriptor wakeUps;
    private final ChannelWatch channels;
    private final ConcurrentMap<Long, WatchedIdentifier> identifiers = new ConcurrentHashMap<>();
    /** The queue pairs that end, or are about to. Guarded by itself. */
    private final ArrayDeque<Draining> ending = new ArrayDeque<>();
    private final List<WatchedDevice> devices = new ArrayList<>();
    private final MemorySegment pointer = arena.allocate(ValueLayout.ADDRESS);
    private final AsynchronousReader asynchronous = new AsynchronousReader(arena);
    private MemorySegment descriptors;
    /** Fails the session. */
    private Consumer<String> session;
    private Thread thread;
    private volatile boolean stopped;

    /**
     * @param hasConnections whether there are events of connections
     * @param probeMillis    the time between two probes of idle connections; 0 for none
     */
    public EventReader(boolean hasConnections, int probeMillis) {
        this.probeMillis = probeMillis;
        try (Rollback undo = new Rollback()) {
            undo.add(arena::close);
            channel = hasConnections
                    ? Calls.CREATE_EVENT_CHANNEL.object("open a channel for connection events").reinterpret(rdma_event_channel.sizeof())
                    : MemorySegment.NULL;
            undo.add(this::closeChannel);
            if (hasConnections) {
                Calls.doNotBlock(rdma_event_channel.fd(channel));
            }
            wakeUps = EventDescriptor.open(error -> EpollSet.failure("eventfd", error));
            undo.add(wakeUps::close);
            channels = new ChannelWatch();
            undo.commit();
        }
    }

    /**
     * Starts the thread.
     *
     * @param failing fails the whole session; the text says how that came. May be called again if it throws.
     */
    public void start(List<? extends WatchedDevice> all, Consumer<String> failing) {
        session = failing;
        devices.addAll(all);
        descriptors = pollfd.allocateArray(FIXED + (long) all.size(), arena);
        watch(0, wakeUps.number());
        // poll(2) passes over a descriptor of -1.
        watch(1, hasConnections() ? rdma_event_channel.fd(channel) : -1);
        watch(2, channels.descriptor());
        for (int i = 0; i < all.size(); i++) {
            watch(FIXED + i, ibv_context.async_fd(all.get(i).context()));
        }
        nextProbe = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(probeMillis);
        thread = Thread.ofPlatform().daemon().name("rdma-core-events").start(this::run);
    }

    private void watch(int index, int fd) {
        MemorySegment entry = pollfd.asSlice(descriptors, index);
        pollfd.fd(entry, fd);
        pollfd.events(entry, (short) Libc.POLLIN());
    }

    private boolean hasConnections() {
        return channel.address() != 0;
    }

    private void closeChannel() {
        if (hasConnections()) {
            Calls.DESTROY_EVENT_CHANNEL.run(channel);
        }
    }

    /** The native channel of connection events; {@code NULL} if no device has connections. */
    public MemorySegment channel() {
        return channel;
    }

    public void add(WatchedIdentifier identifier) {
        identifiers.put(identifier.address().address(), identifier);
    }

    public void remove(WatchedIdentifier identifier) {
        identifiers.remove(identifier.address().address(), identifier);
    }

    /** The connection of a queue pair ends: the device flushes within a moment, and this thread does the rest. */
    public void drainLater(Draining queuePair) {
        synchronized (ending) {
            ending.add(queuePair);
        }
        wakeUps.raise();
    }

    /** Virtual threads wait for an event of a channel: this thread reads it. */
    void watch(EventChannel waitedFor) {
        channels.add(waitedFor);
    }

    /** The channel closes. */
    void unwatch(EventChannel waitedFor) {
        channels.remove(waitedFor);
    }

    private void run() {
        Throwable failure = null;
        boolean logged = false;
        while (!stopped) {
            try {
                if (failure != null) {
                    // This may fail as well, for the same reason: then the next turn tries it again.
                    session.accept("an event could not be handled: " + failure);
                    Throwable cause = failure;
                    failure = null;
                    if (!logged) {
                        logged = true;
                        LOG.error("an event of an RDMA device could not be handled: all devices of the session have failed", cause);
                    }
                }
                turn();
            } catch (Throwable e) {
                failure = failure == null ? e : failure;
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    /** Waits for events, and handles those there are. */
    private void turn() {
        int ready = Libc.poll(descriptors, descriptors.byteSize() / pollfd.sizeof(), ending() == 0 ? millisToProbe() : TICK_MILLIS);
        if (ready > 0) {
            wakeUps.clear();
            // Asynchronous events say why a connection ends: they come before its end.
            devices.forEach(asynchronous::read);
            readConnections();
            channels.read();
            for (int i = 0; i < devices.size(); i++) {
                dropDead(FIXED + i, devices.get(i));
            }
        }
        drain();
        if (probeMillis > 0 && System.nanoTime() - nextProbe >= 0) {
            nextProbe = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(probeMillis);
            devices.forEach(WatchedDevice::probe);
        }
    }

    /** {@return how long the thread may wait for events; -1 for no limit} */
    private int millisToProbe() {
        return probeMillis == 0 ? -1 : Math.clamp(TimeUnit.NANOSECONDS.toMillis(nextProbe - System.nanoTime()) + 1, 0, probeMillis);
    }

    private int ending() {
        synchronized (ending) {
            return ending.size();
        }
    }

    /** Each queue pair that ends takes a step. It goes to the end of the queue first, so the others follow if its step fails. */
    private void drain() {
        for (int left = ending(); left > 0; left--) {
            Draining queuePair;
            synchronized (ending) {
                queuePair = ending.poll();
                ending.add(queuePair);
            }
            if (queuePair.tryDrain()) {
                synchronized (ending) {
                    ending.removeLastOccurrence(queuePair);
                }
            }
        }
    }

    private void readConnections() {
        while (hasConnections() && Calls.GET_CM_EVENT.number(channel, pointer) == 0) {
            MemorySegment nativeEvent = pointer.get(ValueLayout.ADDRESS, 0).reinterpret(rdma_cm_event.sizeof());
            MemorySegment orphan = MemorySegment.NULL;
            try {
                orphan = dispatch(CmEvent.of(nativeEvent));
            } finally {
                Calls.ACK_CM_EVENT.attempt(nativeEvent);
            }
            if (orphan.address() != 0) {
                Calls.DESTROY_ID.attempt(orphan);
            }
        }
    }

    /** Notifies the identifier. Returns the one of a request whose listener is gone, which no other thread destroys. */
    private MemorySegment dispatch(CmEvent event) {
        WatchedIdentifier identifier = identifiers.get((event.isRequest() ? event.listener() : event.identifier()).address());
        devices.forEach(asynchronous::read);
        if (identifier == null) {
            return event.isRequest() ? event.identifier() : MemorySegment.NULL;
        }
        if (event.isRemoval()) {
            // Before the connection ends, since it says why.
            devices.stream().filter(device -> device.context().address() == identifier.context())
                    .forEach(device -> device.fail(event.name()));
        }
        identifier.on(event);
        return MemorySegment.NULL;
    }

    /**
     * A device that was unplugged raises no more events: its descriptor reports that at each poll, so the thread stops watching it. Errors are
     * the only bits besides those that were asked for.
     */
    private void dropDead(int index, WatchedDevice device) {
        MemorySegment entry = pollfd.asSlice(descriptors, index);
        if ((pollfd.revents(entry) & ~Libc.POLLIN()) != 0 && (pollfd.revents(entry) & Libc.POLLIN()) == 0) {
            pollfd.fd(entry, -1);
            device.fail("its event descriptor is closed");
        }
    }

    /** Stops the thread. The program's identifiers are closed. */
    public void stop() {
        stopped = true;
        wakeUps.raise();
        Waits.join(thread);
        // Of connection requests that no thread took, and that came while all else was closed.
        identifiers.values().forEach(WatchedIdentifier::destroy);
    }

    /** Gives the channel back; the thread does not run. */
    public void close() {
        closeChannel();
        channels.close();
        wakeUps.close();
        arena.close();
    }
}
