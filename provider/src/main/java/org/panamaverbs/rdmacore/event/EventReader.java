package org.panamaverbs.rdmacore.event;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.locks.LockSupport;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.bindings.libc.pollfd;
import org.panamaverbs.bindings.rdma.ibv_comp_channel;
import org.panamaverbs.bindings.rdma.ibv_context;
import org.panamaverbs.bindings.rdma.rdma_cm_event;
import org.panamaverbs.bindings.rdma.rdma_event_channel;
import org.panamaverbs.rdmacore.ffi.Calls;
import org.panamaverbs.rdmacore.lifecycle.Draining;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread of a session that reads its events: of connections, of completion queues, and asynchronous ones of its devices. It tells the
 * object and acknowledges at once; so destroying an object, which waits for its events to be acknowledged, waits for no program.
 *
 * <p>It also drains queue pairs whose connection has ended: see {@link Draining}.
 */
@SuppressWarnings("restricted") // pointers that native code hands out have no size
public final class EventReader {
    private static final Logger LOG = LoggerFactory.getLogger(EventReader.class);
    /** How often ending queue pairs are looked at. */
    private static final int TICK_MILLIS = 2;
    /** How long the thread rests after an error, of which the next turn may bring another. */
    private static final long PAUSE_NANOS = 1_000_000;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment channel;
    private final int wakeUp;
    private final ConcurrentMap<Long, WatchedIdentifier> identifiers = new ConcurrentHashMap<>();
    private final ConcurrentLinkedQueue<Draining> ending = new ConcurrentLinkedQueue<>();
    private final List<WatchedDevice> devices = new ArrayList<>();
    private final MemorySegment pointer = arena.allocate(ValueLayout.ADDRESS);
    private final MemorySegment ignored = arena.allocate(ValueLayout.ADDRESS);
    private final AsynchronousReader asynchronous = new AsynchronousReader(arena);
    private MemorySegment descriptors;
    private Thread thread;
    private volatile boolean stopped;

    public EventReader() {
        channel = Calls.CREATE_EVENT_CHANNEL.object("open a channel for connection events").reinterpret(rdma_event_channel.sizeof());
        try {
            Calls.doNotBlock(rdma_event_channel.fd(channel));
            wakeUp = Calls.EVENTFD.number(0, Libc.EFD_CLOEXEC() | Libc.EFD_NONBLOCK());
            if (wakeUp < 0) {
                throw Calls.EVENTFD.failure("open an eventfd", -wakeUp);
            }
        } catch (RuntimeException | Error e) {
            Calls.DESTROY_EVENT_CHANNEL.run(channel);
            arena.close();
            throw e;
        }
    }

    public void start(List<? extends WatchedDevice> all) {
        devices.addAll(all);
        descriptors = pollfd.allocateArray(2 + 2L * all.size(), arena);
        watch(0, wakeUp);
        watch(1, rdma_event_channel.fd(channel));
        for (int i = 0; i < all.size(); i++) {
            watch(2 + 2 * i, ibv_comp_channel.fd(all.get(i).channel()));
            watch(3 + 2 * i, ibv_context.async_fd(all.get(i).context()));
        }
        thread = Thread.ofPlatform().daemon().name("rdma-core-events").start(this::run);
    }

    private void watch(int index, int fd) {
        MemorySegment entry = pollfd.asSlice(descriptors, index);
        pollfd.fd(entry, fd);
        pollfd.events(entry, (short) Libc.POLLIN());
    }

    /** The native channel of connection events. */
    public MemorySegment channel() {
        return channel;
    }

    public void add(WatchedIdentifier identifier) {
        identifiers.put(identifier.address().address(), identifier);
    }

    public void remove(WatchedIdentifier identifier) {
        identifiers.remove(identifier.address().address(), identifier);
    }

    /** The connection of a queue pair ends: the device flushes within a moment, and this thread sees to the rest. */
    public void drainLater(Draining queuePair) {
        ending.add(queuePair);
        wake();
    }

    private void wake() {
        try (Arena confined = Arena.ofConfined()) {
            MemorySegment one = confined.allocate(ValueLayout.JAVA_LONG);
            one.set(ValueLayout.JAVA_LONG, 0, 1);
            long ignoredCount = Libc.write(wakeUp, one, Long.BYTES);
        }
    }

    private void run() {
        MemorySegment counter = arena.allocate(ValueLayout.JAVA_LONG);
        while (!stopped) {
            try {
                turn(counter);
            } catch (Throwable e) {
                // Any failure is caught: without this thread, all that waits for an event of the session would wait for ever.
                LOG.error("an event of an RDMA device could not be handled", e);
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    /** Waits for events, and handles those there are. */
    private void turn(MemorySegment counter) {
        int ready = Libc.poll(descriptors, descriptors.byteSize() / pollfd.sizeof(), ending.isEmpty() ? -1 : TICK_MILLIS);
        if (ready > 0) {
            long ignoredCount = Libc.read(wakeUp, counter, Long.BYTES);
            // Asynchronous events say why a connection ends: they come before its end.
            devices.forEach(asynchronous::read);
            readConnections();
            devices.forEach(this::readCompletions);
            for (int i = 0; i < devices.size(); i++) {
                dropDead(2 + 2 * i, devices.get(i));
            }
        }
        ending.removeIf(this::tryDrain);
    }

    /** One queue pair whose end fails does not keep others from ending. */
    private boolean tryDrain(Draining queuePair) {
        try {
            return queuePair.tryDrain();
        } catch (Throwable e) {
            LOG.error("the end of a queue pair failed, and is tried again", e);
            return false;
        }
    }

    private void readConnections() {
        while (Calls.GET_CM_EVENT.number(channel, pointer) == 0) {
            MemorySegment nativeEvent = pointer.get(ValueLayout.ADDRESS, 0).reinterpret(rdma_cm_event.sizeof());
            MemorySegment orphan = MemorySegment.NULL;
            try {
                orphan = dispatch(CmEvent.of(nativeEvent));
            } catch (Throwable e) {
                LOG.error("a connection event could not be handled", e);
            } finally {
                Calls.ACK_CM_EVENT.attempt(nativeEvent);
            }
            if (orphan.address() != 0) {
                Calls.DESTROY_ID.attempt(orphan);
            }
        }
    }

    /** Tells the identifier; gives the one of a request whose listener is gone, which no other thread destroys. */
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

    private void readCompletions(WatchedDevice device) {
        while (Calls.GET_CQ_EVENT.number(device.channel(), pointer, ignored) == 0) {
            MemorySegment queue = pointer.get(ValueLayout.ADDRESS, 0);
            EventSource found = LiveObjects.find(queue.address());
            try {
                if (found instanceof WatchedQueue completionQueue) {
                    completionQueue.onEvent();
                }
            } finally {
                Calls.ACK_CQ_EVENTS.run(queue, 1);
            }
        }
    }

    /**
     * A device that was unplugged raises no more events: its descriptors say so for ever, and are to be watched no more. Errors are the
     * only bits besides those that were asked for.
     */
    private void dropDead(int index, WatchedDevice device) {
        for (int place = index; place < index + 2; place++) {
            MemorySegment entry = pollfd.asSlice(descriptors, place);
            if ((pollfd.revents(entry) & ~Libc.POLLIN()) != 0 && (pollfd.revents(entry) & Libc.POLLIN()) == 0) {
                pollfd.fd(entry, -1);
                device.fail("its event descriptors are closed");
            }
        }
    }

    /** Stops the thread and gives the channel back; there must be no identifier any more. */
    public void close() {
        stopped = true;
        if (thread != null) {
            wake();
            boolean interrupted = false;
            while (thread.isAlive()) {
                try {
                    thread.join();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
        // Of connection requests that no thread took, and that came while all else was closed.
        identifiers.values().forEach(WatchedIdentifier::destroy);
        Calls.DESTROY_EVENT_CHANNEL.run(channel);
        Calls.CLOSE.attempt(wakeUp);
        arena.close();
    }
}
