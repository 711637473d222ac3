package org.panamaverbs.rdmacore.event;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.panamaverbs.Rollback;
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
 * The thread of a session that reads its events: of connections, of completion queues, and asynchronous ones of its devices. It notifies the
 * object and acknowledges at once; so destroying an object, which waits for its events to be acknowledged, waits for no program.
 *
 * <p>It also drains queue pairs whose connection has ended: see {@link Draining}.
 *
 * <p>If one of these steps fails, for lack of memory or of a class, the whole session fails: all waits end with the failure, and all
 * connections end. The thread goes on, since closing needs it.
 */
@SuppressWarnings("restricted") // pointers that native code hands out have no size
public final class EventReader {
    private static final Logger LOG = LoggerFactory.getLogger(EventReader.class);
    /** The time between two attempts to drain a queue pair that ends. */
    private static final int TICK_MILLIS = 2;
    /** How long the thread rests after a failure: the next turn may bring another. */
    private static final long PAUSE_NANOS = 1_000_000;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment channel;
    private final int wakeUp;
    private final ConcurrentMap<Long, WatchedIdentifier> identifiers = new ConcurrentHashMap<>();
    /** The queue pairs that end. Guarded by itself. */
    private final ArrayDeque<Draining> ending = new ArrayDeque<>();
    private final List<WatchedDevice> devices = new ArrayList<>();
    private final MemorySegment pointer = arena.allocate(ValueLayout.ADDRESS);
    private final MemorySegment ignored = arena.allocate(ValueLayout.ADDRESS);
    private final AsynchronousReader asynchronous = new AsynchronousReader(arena);
    private MemorySegment descriptors;
    /** Fails the session. */
    private Consumer<String> session;
    private Thread thread;
    private volatile boolean stopped;

    public EventReader() {
        try (Rollback undo = new Rollback()) {
            undo.add(arena::close);
            channel = Calls.CREATE_EVENT_CHANNEL.object("open a channel for connection events").reinterpret(rdma_event_channel.sizeof());
            undo.add(() -> Calls.DESTROY_EVENT_CHANNEL.run(channel));
            Calls.doNotBlock(rdma_event_channel.fd(channel));
            wakeUp = Calls.EVENTFD.number(0, Libc.EFD_CLOEXEC() | Libc.EFD_NONBLOCK());
            if (wakeUp < 0) {
                throw Calls.EVENTFD.failure("open an eventfd", -wakeUp);
            }
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

    /** The connection of a queue pair ends: the device flushes within a moment, and this thread does the rest. */
    public void drainLater(Draining queuePair) {
        synchronized (ending) {
            ending.add(queuePair);
        }
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
                turn(counter);
            } catch (Throwable e) {
                failure = failure == null ? e : failure;
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    /** Waits for events, and handles those there are. */
    private void turn(MemorySegment counter) {
        int ready = Libc.poll(descriptors, descriptors.byteSize() / pollfd.sizeof(), ending() == 0 ? -1 : TICK_MILLIS);
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
        drain();
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
        while (Calls.GET_CM_EVENT.number(channel, pointer) == 0) {
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
     * A device that was unplugged raises no more events: its descriptors report that at each poll, so the thread stops watching them. Errors
     * are the only bits besides those that were asked for.
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

    /** Stops the thread. The program's identifiers are closed. */
    public void stop() {
        stopped = true;
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
        // Of connection requests that no thread took, and that came while all else was closed.
        identifiers.values().forEach(WatchedIdentifier::destroy);
    }

    /** Gives the channel back; the thread does not run. */
    public void close() {
        Calls.DESTROY_EVENT_CHANNEL.run(channel);
        Calls.CLOSE.attempt(wakeUp);
        arena.close();
    }
}
