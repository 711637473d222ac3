package org.panamaverbs.rdmacore.cm;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.panamaverbs.ClosedException;
import org.panamaverbs.SystemException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.VerbsTimeoutException;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.bindings.rdma.Rdma;
import org.panamaverbs.bindings.rdma.rdma_addr;
import org.panamaverbs.bindings.rdma.rdma_cm_id;
import org.panamaverbs.bindings.rdma.rdma_route;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.Route;
import org.panamaverbs.posix.SocketAddresses;
import org.panamaverbs.rdmacore.event.CmEvent;
import org.panamaverbs.rdmacore.event.EventReader;
import org.panamaverbs.rdmacore.event.WatchedIdentifier;
import org.panamaverbs.rdmacore.ffi.Calls;
import org.panamaverbs.rdmacore.lifecycle.Closing;
import org.panamaverbs.spi.support.Waits;

/** A {@code rdma_cm_id}, and its events. Those of connecting wait here until they are taken, the end goes to the queue pair. */
// Tested by ConnectionOptionsFaultsTest, EventReaderFaultsTest.
@SuppressWarnings("restricted") // pointers that native code hands out have no size
public final class CmIdentifier implements WatchedIdentifier {
    private static final long SOURCE = rdma_cm_id.route$offset() + rdma_route.addr$offset() + rdma_addr.src_storage$offset();
    private static final long DESTINATION = rdma_cm_id.route$offset() + rdma_route.addr$offset() + rdma_addr.dst_storage$offset();
    private static final long ADDRESS_SIZE = rdma_addr.src_storage$layout().byteSize();

    private final EventReader reader;
    private final MemorySegment address;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final ArrayDeque<CmEvent> events = new ArrayDeque<>();
    /** Held during native calls on the identifier and its queue pair, so that neither is destroyed under them. */
    private final ReentrantLock guard = new ReentrantLock();
    private final Closing closing = new Closing();
    private boolean destroyed;
    private Consumer<CmEvent> requests;
    private Supplier<VerbsException> ended;
    private Consumer<CmEvent> others;
    private boolean established;
    private ConnectedQueuePair queuePair;
    /** Makes the connection of the event that says that it is there. */
    private Function<CmEvent, Connection> connecting;
    private boolean initiator;

    private CmIdentifier(EventReader reader, MemorySegment address) {
        this.reader = reader;
        this.address = address.reinterpret(rdma_cm_id.sizeof());
        reader.add(this);
    }

    /** Makes one. */
    public static CmIdentifier create(EventReader reader) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment pointer = arena.allocate(ValueLayout.ADDRESS);
            Calls.CREATE_ID.succeed("open an identifier for a connection", reader.channel(), pointer, MemorySegment.NULL,
                    Rdma.RDMA_PS_TCP());
            return new CmIdentifier(reader, pointer.get(ValueLayout.ADDRESS, 0));
        }
    }

    /** The one that came with a connection request; by the event reader, so that no event of it is missed. */
    static CmIdentifier of(EventReader reader, CmEvent request) {
        return new CmIdentifier(reader, request.identifier());
    }

    @Override
    public MemorySegment address() {
        return address;
    }

    @Override
    public long context() {
        return rdma_cm_id.verbs(address).address();
    }

    /** Sets the type of service, before the route is resolved or a listener listens; {@code action} completes "cannot ...". */
    void typeOfService(int service, String action) {
        if (service != Route.USUAL_SERVICE) {
            setOption(Rdma.RDMA_OPTION_ID_TOS(), service, action + " with type of service " + service);
        }
    }

    /** Sets the acknowledgement time-out of this side, before connecting or accepting; {@code action} completes "cannot ...". */
    void acknowledgementTimeout(Duration timeout, String action) {
        try {
            setOption(Rdma.RDMA_OPTION_ID_ACK_TIMEOUT(), TimerCodes.ofTimeout(timeout),
                    action + " with an acknowledgement time-out of " + timeout);
        } catch (SystemException e) {
            throw e.errorNumber() == Libc.ENOSYS()
                    ? new SystemException(e.getMessage() + "; the kernel has none: Linux 5.1 and later do", e.errorNumber()) : e;
        }
    }

    /** A wildcard address of IPv6 leaves those of IPv4 to another identifier; before it is bound. {@code action} completes "cannot ...". */
    void onlyItsFamily(String action) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment on = arena.allocateFrom(ValueLayout.JAVA_INT, 1);
            Calls.SET_OPTION.succeed(action, address, Rdma.RDMA_OPTION_ID(), Rdma.RDMA_OPTION_ID_AFONLY(), on, on.byteSize());
        }
    }

    /** Options of one byte. */
    private void setOption(int option, int value, String action) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocateFrom(ValueLayout.JAVA_BYTE, (byte) value);
            Calls.SET_OPTION.succeed(action, address, Rdma.RDMA_OPTION_ID(), option, memory, memory.byteSize());
        }
    }

    InetSocketAddress source() {
        return SocketAddresses.decode(address.asSlice(SOURCE, ADDRESS_SIZE));
    }

    InetSocketAddress destination() {
        return SocketAddresses.decode(address.asSlice(DESTINATION, ADDRESS_SIZE));
    }

    /** It listens: one consumer takes connection requests, the other all other events. */
    public void onRequests(Consumer<CmEvent> taker, Consumer<CmEvent> remainder) {
        lock.lock();
        try {
            requests = taker;
            others = remainder;
        } finally {
            lock.unlock();
        }
    }

    /** Sets the queue pair that this identifier connects. */
    public void connects(ConnectedQueuePair queuePair) {
        lock.lock();
        try {
            this.queuePair = queuePair;
        } finally {
            lock.unlock();
        }
    }

    /** Sets what makes the connection, before this side connects ({@code asInitiator}) or accepts. */
    void establishes(boolean asInitiator, Function<CmEvent, Connection> maker) {
        lock.lock();
        try {
            initiator = asInitiator;
            connecting = maker;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void on(CmEvent event) {
        if (event.isNoise()) {
            return;
        } else if (event.isMove()) {
            onMove(event);
            return;
        }
        Consumer<CmEvent> taker;
        ConnectedQueuePair over = null;
        lock.lock();
        try {
            taker = event.isRequest() ? requests : others;
            if (event.isEstablished() && connecting != null) {
                established = true;
                queuePair.onEstablished(connecting.apply(event), initiator);
            } else if (established && event.isEnd()) {
                over = queuePair;
            }
            if (over == null && taker == null && !event.isRequest()) {
                events.add(event);
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
        if (over != null) {
            over.onDisconnected(event.status());
        } else if (taker != null) {
            taker.accept(event);
        }
    }

    /** Ends a connection that is there. One in the making ends by its time limit. */
    private void onMove(CmEvent event) {
        ConnectedQueuePair over;
        lock.lock();
        try {
            over = established ? queuePair : null;
        } finally {
            lock.unlock();
        }
        if (over != null) {
            over.fail(CmFailures.moved(event, source()));
        }
    }

    /** Waits for the next event of connecting; {@code what} completes "cannot ...". */
    CmEvent await(long deadline, Duration timeout, String what) {
        lock.lock();
        try {
            long left = deadline - System.nanoTime();
            while (events.isEmpty() && ended == null && left > 0) {
                left = Waits.await(changed, left);
            }
            if (ended != null) {
                throw ended.get();
            }
            if (events.isEmpty()) {
                throw new VerbsTimeoutException("could not " + what + " within " + Waits.describe(timeout));
            }
            return events.poll();
        } finally {
            lock.unlock();
        }
    }

    /** Whether an event came that no thread has taken. */
    public boolean hasEvents() {
        lock.lock();
        try {
            return !events.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /** Threads that wait are to stop. */
    public void wake(String why) {
        fail(() -> new ClosedException(why));
    }

    /** As {@link #wake}, each with an exception of its own. */
    void fail(Supplier<VerbsException> why) {
        lock.lock();
        try {
            if (ended == null) {
                ended = why;
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Makes native calls on it, or none if it is destroyed. */
    public boolean whileAlive(Runnable calls) {
        guard.lock();
        try {
            if (!destroyed) {
                calls.run();
            }
            return !destroyed;
        } finally {
            guard.unlock();
        }
    }

    /** As {@link #whileAlive}, unless another thread does just that. */
    public void whileAliveAndIdle(Runnable calls) {
        if (guard.tryLock()) {
            try {
                if (!destroyed) {
                    calls.run();
                }
            } finally {
                guard.unlock();
            }
        }
    }

    /** The queue pair is destroyed already. This waits until the last event is acknowledged: hold no lock. */
    @Override
    public void destroy() {
        closing.once(() -> {
            guard.lock();
            try {
                destroyed = true;
            } finally {
                guard.unlock();
            }
            wake("closed");
            // Its address may be another's as soon as it is destroyed.
            reader.remove(this);
        }, () -> Calls.DESTROY_ID.attempt(address));
    }
}
