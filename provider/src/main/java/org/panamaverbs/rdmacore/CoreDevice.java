package org.panamaverbs.rdmacore;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.panamaverbs.AsynchronousEvent;
import org.panamaverbs.AsynchronousEvents;
import org.panamaverbs.Capability;
import org.panamaverbs.CompletionChannel;
import org.panamaverbs.CompletionClock;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.CompletionQueueAttributes;
import org.panamaverbs.NativeHandles;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.VerbsException;
import org.panamaverbs.bindings.rdma.Rdma;
import org.panamaverbs.bindings.rdma.ibv_context;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.device.DeviceAttributes;
import org.panamaverbs.device.HardwareCounters;
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
import org.panamaverbs.rdmacore.lifecycle.KeepAlive;
import org.panamaverbs.rdmacore.lifecycle.Lifetime;
import org.panamaverbs.rdmacore.memory.LockedMemory;
import org.panamaverbs.rdmacore.memory.Regions;
import org.panamaverbs.rdmacore.post.PostingDevice;
import org.panamaverbs.rdmacore.probe.Contexts;
import org.panamaverbs.rdmacore.probe.CoreAttributes;
import org.panamaverbs.rdmacore.probe.DeviceQuery;
import org.panamaverbs.rdmacore.probe.PortCounters;
import org.panamaverbs.rdmacore.probe.PortTables;
import org.panamaverbs.rdmacore.probe.Ports;
import org.panamaverbs.rdmacore.probe.Quirk;
import org.panamaverbs.rdmacore.probe.RateLimits;
import org.panamaverbs.rdmacore.probe.SharedContext;
import org.panamaverbs.rdmacore.queue.WrIdTable;
import org.panamaverbs.spi.AsynchronousEventHub;
import org.panamaverbs.spi.BusyPoll;
import org.panamaverbs.spi.DeviceCounters;
import org.panamaverbs.spi.ObjectChecks;
import org.panamaverbs.spi.support.Children;
import org.panamaverbs.spi.support.Rollback;
import org.panamaverbs.statistics.ConnectionStatistics;
import org.panamaverbs.statistics.DeviceStatistics;
import org.panamaverbs.statistics.PinnedMemory;

/** A device: the context that librdmacm has opened, and what is made on it. */
// Tested by CoreAddressedQueuePairFaultsTest, LeakFaultsTest, DeviceContract.
@SuppressWarnings("restricted") // pointers that native code hands out have no size
final class CoreDevice implements ConnectingDevice, ConnectionScope, WatchedDevice {
    private static final Path DEVICES = Path.of("/sys/class/infiniband");

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
    private final DeviceCounters counters;
    private final AtomicInteger nextDomain = new AtomicInteger(1);
    private final Lifetime lifetime = new Lifetime();
    private final CoreConnectionManager connectionManager = new CoreConnectionManager(this);

    /**
     * @param busyPollNanos how long a thread busy-polls before it waits
     * @param keepsAlive    whether idle connections are probed
     */
    CoreDevice(Contexts.Context context, EventReader reader, long busyPollNanos, boolean keepsAlive) {
        this.context = context;
        this.busyPollNanos = busyPollNanos;
        this.reader = reader;
        this.children = new Children("device " + context.name());
        this.events = new AsynchronousEventHub(context.name());
        this.ops = DataPointers.of(context.address());
        this.windowCalls = new WindowCalls(context.address());
        // On iWARP neither rdma_cm nor a completion says whether a peer ended the connection or is gone.
        this.counters = new DeviceCounters(!context.isIwarp());
        try (Rollback undo = new Rollback(); Arena arena = Arena.ofConfined()) {
            Calls.doNotBlock(ibv_context.async_fd(context.address()));
            DeviceQuery query = new DeviceQuery(context, arena);
            this.portCount = query.portCount();
            this.posting = new PostingDevice(ops, windowCalls.bind(), regions, isIwarp(), query.quirks(), new KeepAlive(keepsAlive));
            this.shared = SharedContext.hold(context, query);
            undo.add(shared::release);
            this.capabilities = shared.capabilities();
            this.attributes = query.describe();
            LiveObjects.add(this);
            undo.commit();
        }
    }

    @Override
    public void probe() {
        posting.keepAlive().probe();
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

    @Override
    public boolean namesOwnReads() {
        // librdmacm does on InfiniBand and RoCE. Most drivers of iWARP name the depths as of the peer.
        return !isIwarp() || posting.has(Quirk.SWAPS_READ_DEPTHS);
    }

    @Override
    public boolean hidesReads() {
        return posting.has(Quirk.HIDES_READ_DEPTHS);
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

    @Override
    public List<ConnectionStatistics> connections() {
        return counters.connections();
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
    public boolean refuses(ProtectionDomain domain, QueuePairAttributes attributes) {
        try {
            lifetime.creating(() -> {
                QueuePairInitAttributes.checkOpen((CoreProtectionDomain) domain, attributes);
                return OwnQueuePair.create((CoreProtectionDomain) domain, attributes, "a queue pair", Rdma.IBV_QPT_RC());
            }).destroy();
            return false;
        } catch (VerbsException refused) {
            return true;
        }
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
        return CompletionQueueFactory.create(this, wanted);
    }

    /** That of the objects that queue pairs are made of. Whatever has a domain alone is under {@link CoreProtectionDomain#lifetime}. */
    Lifetime lifetime() {
        return lifetime;
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

    /** Throws if it has no flow labels, and one is asked for. */
    void checkFlowLabel(int label) {
        if (label != 0) {
            require(Capability.FLOW_LABEL);
        }
    }

    /** The rates that connections can have; empty without {@link Capability#RATE_LIMIT}. */
    Optional<RateLimits> rateLimits() {
        return shared.rateLimits();
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
    public void requireConnections() {
        require(Capability.RELIABLE_CONNECTION);
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
        Object extension = type == ConnectionManager.class ? connectionManager : type == NativeHandles.class ? new CoreNativeHandles(this)
                : type == HardwareCounters.class ? new PortCounters(DEVICES, name(), this::checkPort) : null;
        return Optional.ofNullable(type.cast(extension));
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
