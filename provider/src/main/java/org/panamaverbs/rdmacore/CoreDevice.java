package org.panamaverbs.rdmacore;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;
import org.panamaverbs.AsynchronousEvent;
import org.panamaverbs.AsynchronousEvents;
import org.panamaverbs.Capability;
import org.panamaverbs.CompletionChannel;
import org.panamaverbs.CompletionClock;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.CompletionQueueAttributes;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.bindings.rdma.ibv_context;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.device.DeviceAttributes;
import org.panamaverbs.device.PortAddress;
import org.panamaverbs.device.PortAttributes;
import org.panamaverbs.rdmacore.cm.CmIdentifier;
import org.panamaverbs.rdmacore.cm.ConnectedQueuePair;
import org.panamaverbs.rdmacore.cm.ConnectingDevice;
import org.panamaverbs.rdmacore.cm.ConnectionScope;
import org.panamaverbs.rdmacore.cm.CoreConnectionManager;
import org.panamaverbs.rdmacore.event.EventChannel;
import org.panamaverbs.rdmacore.event.EventReader;
import org.panamaverbs.rdmacore.event.LiveObjects;
import org.panamaverbs.rdmacore.event.WatchedDevice;
import org.panamaverbs.rdmacore.ffi.Calls;
import org.panamaverbs.rdmacore.ffi.DataPointers;
import org.panamaverbs.rdmacore.ffi.WindowCalls;
import org.panamaverbs.rdmacore.lifecycle.DeviceFailure;
import org.panamaverbs.rdmacore.lifecycle.DeviceFailureListener;
import org.panamaverbs.rdmacore.memory.LockedMemory;
import org.panamaverbs.rdmacore.memory.Regions;
import org.panamaverbs.rdmacore.post.PostingDevice;
import org.panamaverbs.rdmacore.probe.Contexts;
import org.panamaverbs.rdmacore.probe.CoreAttributes;
import org.panamaverbs.rdmacore.probe.DeviceQuery;
import org.panamaverbs.rdmacore.probe.PortTables;
import org.panamaverbs.rdmacore.probe.Ports;
import org.panamaverbs.rdmacore.probe.SharedContext;
import org.panamaverbs.rdmacore.queue.ExtendedQueue;
import org.panamaverbs.rdmacore.queue.PlainQueue;
import org.panamaverbs.rdmacore.queue.PolledQueue;
import org.panamaverbs.rdmacore.queue.WrIdTable;
import org.panamaverbs.spi.AsynchronousEventHub;
import org.panamaverbs.spi.BusyPoll;
import org.panamaverbs.spi.DeviceCounters;
import org.panamaverbs.spi.ObjectChecks;
import org.panamaverbs.spi.support.Children;
import org.panamaverbs.spi.support.Rollback;
import org.panamaverbs.statistics.DeviceStatistics;
import org.panamaverbs.statistics.PinnedMemory;

/** A device: the context that librdmacm has opened, and what is made on it. */
// Tested by CoreAddressedQueuePairFaultsTest, LeakFaultsTest, DeviceContract.
@SuppressWarnings("restricted") // pointers that native code hands out have no size
final class CoreDevice implements ConnectingDevice, ConnectionScope, WatchedDevice {
    private final Contexts.Context context;
    private final EventReader reader;
    private final DataPointers ops;
    private final long busyPollNanos;
    private final int portCount;
    private volatile CoreAttributes attributes;
    private final AsynchronousEventHub events;
    /** {@code null} unless the device failed, or is gone. */
    private volatile DeviceFailure failure;
    /** Whether all that waits for the device has been notified of its failure. */
    private boolean isOver;
    private final SharedContext shared;
    private final Set<Capability> capabilities;
    private final WindowCalls windowCalls;
    private final WrIdTable wrIds = new WrIdTable();
    private final Regions regions = new Regions();
    private final PostingDevice posting;
    private final Children children;
    /** rdma_cm does not say whether a peer ended the connection or is gone. */
    private final DeviceCounters counters = new DeviceCounters(false);
    private final AtomicInteger nextDomain = new AtomicInteger(1);
    /** Shared by threads that make objects of others, exclusive to a thread that destroys one of those others. */
    private final ReentrantReadWriteLock lifetimes = new ReentrantReadWriteLock();
    private final CoreConnectionManager connectionManager = new CoreConnectionManager(this);

    /**
     * @param busyPollNanos how long a thread busy-polls before it waits
     */
    CoreDevice(Contexts.Context context, EventReader reader, long busyPollNanos) {
        this.context = context;
        this.busyPollNanos = busyPollNanos;
        this.reader = reader;
        this.children = new Children("device " + context.name());
        this.events = new AsynchronousEventHub(context.name());
        this.ops = DataPointers.of(context.address());
        this.windowCalls = new WindowCalls(context.address());
        try (Rollback undo = new Rollback(); Arena arena = Arena.ofConfined()) {
            Calls.doNotBlock(ibv_context.async_fd(context.address()));
            DeviceQuery query = new DeviceQuery(context, arena);
            this.portCount = query.portCount();
            this.posting = new PostingDevice(ops, windowCalls.bind(), regions, isIwarp(), query.quirks());
            this.shared = SharedContext.hold(context, query);
            undo.add(shared::release);
            this.capabilities = shared.capabilities();
            this.attributes = query.describe();
            LiveObjects.add(this);
            undo.commit();
        }
    }

    @Override
    public Optional<CompletionClock> completionClock() {
        return shared.clock();
    }

    @Override
    public boolean isIwarp() {
        return context.isIwarp();
    }

    @Override
    public MemorySegment context() {
        return context.address();
    }

    DataPointers ops() {
        return ops;
    }

    WindowCalls windowCalls() {
        return windowCalls;
    }

    /** As its work queues see it. */
    PostingDevice posting() {
        return posting;
    }

    @Override
    public EventReader reader() {
        return reader;
    }

    WrIdTable wrIds() {
        return wrIds;
    }

    Regions regions() {
        return regions;
    }

    @Override
    public Children children() {
        return children;
    }

    @Override
    public DeviceCounters counters() {
        return counters;
    }

    @Override
    public DeviceStatistics statistics() {
        return counters.snapshot();
    }

    int nextDomainNumber() {
        return nextDomain.getAndIncrement();
    }

    @Override
    public PinnedMemory pinnedMemory() {
        List<AutoCloseable> open = new ArrayList<>();
        for (AutoCloseable child : children.open()) {
            if (child instanceof CoreProtectionDomain domain) {
                open.addAll(domain.regions());
            }
        }
        return LockedMemory.of(open);
    }

    @Override
    public String name() {
        return context.name();
    }

    @Override
    public String provider() {
        return RdmaCoreProvider.NAME;
    }

    @Override
    public DeviceAttributes attributes() {
        return attributes;
    }

    @Override
    public boolean supports(Capability capability) {
        return capabilities.contains(capability);
    }

    /** Throws if it lacks something. */
    void require(Capability capability) {
        if (!supports(capability)) {
            throw capability.missingOn(this);
        }
    }

    @Override
    public ProtectionDomain allocateProtectionDomain() {
        children.check();
        CoreProtectionDomain domain = new CoreProtectionDomain(this);
        return children.adopt(domain);
    }

    @Override
    public ConnectedQueuePair createQueuePair(ProtectionDomain domain, QueuePairAttributes wanted, CmIdentifier identifier) {
        Objects.requireNonNull(domain);
        Objects.requireNonNull(wanted);
        if (!(domain instanceof CoreProtectionDomain own) || own.device() != this) {
            throw new IllegalArgumentException("the protection domain is not one of device " + name());
        }
        return CoreQueuePair.create(own, wanted, identifier);
    }

    @Override
    public CompletionChannel createCompletionChannel() {
        children.check();
        return children.adopt(new CoreCompletionChannel(this));
    }

    EventChannel openEventChannel() {
        return new EventChannel(context.address(), name(), reader);
    }

    /** How long a thread busy-polls before it waits. */
    BusyPoll busyPoll() {
        return new BusyPoll(busyPollNanos);
    }

    @Override
    public CompletionQueue createCompletionQueue(CompletionQueueAttributes wanted) {
        ObjectChecks.completionQueue(this, wanted);
        return createQueue(wanted, (CoreCompletionChannel) wanted.channel());
    }

    /** A queue that reports to no channel has an event channel of its own, for threads that wait for its completions. */
    private CompletionQueue createQueue(CompletionQueueAttributes wanted, CoreCompletionChannel reportsTo) {
        Children parent = reportsTo == null ? children : reportsTo.children();
        parent.check();
        try (Rollback undo = new Rollback()) {
            EventChannel events = reportsTo == null ? openEventChannel() : reportsTo.events();
            if (reportsTo == null) {
                undo.add(events::close);
            }
            PolledQueue queue = polledQueue(wanted, events.address());
            undo.add(() -> Calls.DESTROY_CQ.attempt(queue.address()));
            CoreCompletionQueue completionQueue = new CoreCompletionQueue(this, wanted, queue, events);
            undo.commit();
            return parent.adopt(completionQueue);
        }
    }

    private PolledQueue polledQueue(CompletionQueueAttributes wanted, MemorySegment events) {
        return wanted.timestamps() ? new ExtendedQueue(context.address(), events, name(), wanted.entries(), wanted.vector())
                : new PlainQueue(context.address(), events, ops.pollCq(), name(), wanted.entries(), wanted.vector());
    }

    /** Makes an object of others, which are not destroyed meanwhile. Whether they are closed is to be asked inside. */
    <T> T creating(Supplier<T> maker) {
        lifetimes.readLock().lock();
        try {
            return maker.get();
        } finally {
            lifetimes.readLock().unlock();
        }
    }

    /** Destroys an object; no thread makes another object of it meanwhile. */
    void destroying(Runnable action) {
        lifetimes.writeLock().lock();
        try {
            action.run();
        } finally {
            lifetimes.writeLock().unlock();
        }
    }

    @Override
    public List<PortAttributes> ports() {
        children.check();
        return Ports.of(context.address(), name(), portCount);
    }

    @Override
    public List<PortAddress> addresses(int port) {
        children.check();
        checkPort(port);
        return PortTables.addresses(context.address(), name(), port, isIwarp());
    }

    @Override
    public List<Integer> partitionKeys(int port) {
        children.check();
        checkPort(port);
        return PortTables.partitionKeys(context.address(), name(), port);
    }

    @Override
    public AsynchronousEvents asynchronousEvents() {
        return events.listen();
    }

    /** Throws if there is no such port. */
    void checkPort(int port) {
        if (port < 1 || port > portCount) {
            throw new IllegalArgumentException("device " + name() + " has ports 1 to " + portCount + ", not " + port);
        }
    }

    @Override
    public void publish(AsynchronousEvent event) {
        events.publish(event);
    }

    @Override
    public void onPort(AsynchronousEvent.Type type, int port) {
        boolean active = failure == null && Ports.isAnyActive(context.address(), portCount);
        attributes = attributes.withActive(active);
        publish(new AsynchronousEvent(type, this, port));
    }

    /** Whether it failed, or is gone. */
    boolean hasFailed() {
        return failure != null;
    }

    /** If this fails half-way, for lack of memory, it may be called again. */
    @Override
    public synchronized void fail(String how) {
        if (isOver) {
            return;
        }
        if (failure == null) {
            failure = new DeviceFailure("device " + name(), how);
        }
        attributes = attributes.withActive(false);
        children.open().forEach(child -> {
            if (child instanceof DeviceFailureListener waitedFor) {
                waitedFor.onDeviceFailure(failure);
            }
        });
        publish(new AsynchronousEvent(AsynchronousEvent.Type.DEVICE_FATAL, this, 0));
        isOver = true;
    }

    @Override
    public CoreDevice find(long address) {
        return context().address() == address ? this : null;
    }

    @Override
    public String describe() {
        return name();
    }

    @Override
    public <T> Optional<T> extension(Class<T> type) {
        return type == ConnectionManager.class ? Optional.of(type.cast(connectionManager)) : Optional.empty();
    }

    /** Closes all that was made on it; the event reader must still run. */
    void closeChildren() {
        try {
            children.close();
        } finally {
            events.close();
        }
    }

    /** The event reader must have stopped. */
    void close() {
        LiveObjects.remove(this);
        shared.release();
    }

    @Override
    public String toString() {
        return "device " + name();
    }
}
