package org.panamaverbs.rdmacore;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;
import org.panamaverbs.AsynchronousEvents;
import org.panamaverbs.Capability;
import org.panamaverbs.CompletionChannel;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.CompletionQueueAttributes;
import org.panamaverbs.Device;
import org.panamaverbs.DeviceAttributes;
import org.panamaverbs.DeviceIdentity;
import org.panamaverbs.ObjectLimits;
import org.panamaverbs.PortAttributes;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.bindings.rdma.Rdma;
import org.panamaverbs.bindings.rdma.ibv_comp_channel;
import org.panamaverbs.bindings.rdma.ibv_context;
import org.panamaverbs.bindings.rdma.ibv_context_ops;
import org.panamaverbs.bindings.rdma.ibv_device_attr;
import org.panamaverbs.cm.ConnectionManager;

/** A device: the context that librdmacm has opened, and what is made on it. */
@SuppressWarnings("restricted") // pointers that native code hands out have no size
final class CoreDevice implements Device {
    /** rdma_conn_param has 8 bits for depths of Reads, of which all ones mean something else. */
    private static final int MOST_READS = 254;
    /** What siw's 8 bits of length leave beside its own 4 bytes, in whole words. */
    private static final int IWARP_PRIVATE_DATA = 248;
    /** A CM Request has 92 bytes, of which librdmacm's header takes 36. */
    private static final int IB_PRIVATE_DATA = 56;

    private final Contexts.Context context;
    private final EventReader reader;
    private final Ops ops;
    private final MemorySegment channel;
    private final DeviceAttributes attributes;
    private final boolean extended;
    private final Set<Capability> capabilities;
    private final WindowCalls windowCalls;
    private final Requesters requesters = new Requesters();
    private final Regions regions = new Regions();
    private final Children children;
    /** Shared by who makes objects of others, exclusive to who destroys those others. */
    private final ReentrantReadWriteLock lifetimes = new ReentrantReadWriteLock();
    private final CoreConnectionManager connectionManager = new CoreConnectionManager(this);

    /** The data calls, which have no symbols: function pointers of the context. */
    record Ops(MemorySegment pollCq, MemorySegment requestNotification, MemorySegment postSend, MemorySegment postReceive) {
    }

    /**
     * @param extended whether to use the extended calls where it has them
     */
    CoreDevice(Contexts.Context context, EventReader reader, boolean extended) {
        this.context = context;
        this.extended = extended;
        this.reader = reader;
        this.children = new Children("device " + context.name());
        MemorySegment pointers = ibv_context.ops(context.address());
        this.ops = new Ops(ibv_context_ops.poll_cq(pointers), ibv_context_ops.req_notify_cq(pointers),
                ibv_context_ops.post_send(pointers), ibv_context_ops.post_recv(pointers));
        this.windowCalls = new WindowCalls(context.address());
        this.channel = Calls.CREATE_COMP_CHANNEL.object("create a completion channel on " + context.name(), context.address())
                .reinterpret(ibv_comp_channel.sizeof());
        Calls.doNotBlock(ibv_comp_channel.fd(channel));
        Calls.doNotBlock(ibv_context.async_fd(context.address()));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment limits = ibv_device_attr.allocate(arena).fill((byte) 0);
            Calls.QUERY_DEVICE.succeed("query device " + context.name(), context.address(), limits);
            this.capabilities = DeviceCapabilities.of(context, limits);
            this.attributes = describe(limits);
        }
    }

    private DeviceAttributes describe(MemorySegment limits) {
        long message = context.port().maximumMessage() == 0 ? (1L << 31) - 1 : context.port().maximumMessage();
        String vendor = String.format("vendor 0x%04x part %d", ibv_device_attr.vendor_id(limits),
                ibv_device_attr.vendor_part_id(limits));
        return new DeviceAttributes(transport(), context.active(), vendor, ibv_device_attr.fw_ver(limits).getString(0),
                new DeviceIdentity(0, 0, 0, 0, 0), ibv_device_attr.max_qp(limits), ibv_device_attr.max_qp_wr(limits),
                ibv_device_attr.max_sge(limits),
                InlineProbe.maximum(context.address()), ibv_device_attr.max_cqe(limits), ibv_device_attr.max_mr(limits),
                unsigned(ibv_device_attr.max_mr_size(limits)), message,
                Math.min(MOST_READS, ibv_device_attr.max_qp_rd_atom(limits)),
                Math.min(MOST_READS, ibv_device_attr.max_qp_init_rd_atom(limits)), isIwarp() ? IWARP_PRIVATE_DATA : IB_PRIVATE_DATA,
                new ObjectLimits(0, 0, 0, 0, 0, 0, 0));
    }

    private static long unsigned(long value) {
        return value < 0 ? Long.MAX_VALUE : value;
    }

    private String transport() {
        if (isIwarp()) {
            return "iWARP";
        }
        return context.port().linkLayer() == Rdma.IBV_LINK_LAYER_ETHERNET() ? "RoCE" : "InfiniBand";
    }

    boolean isIwarp() {
        return context.transport() == Rdma.IBV_TRANSPORT_IWARP();
    }

    MemorySegment context() {
        return context.address();
    }

    /** The channel of all completion queues; the event reader reads it. */
    MemorySegment channel() {
        return channel;
    }

    Ops ops() {
        return ops;
    }

    WindowCalls windowCalls() {
        return windowCalls;
    }

    EventReader reader() {
        return reader;
    }

    Requesters requesters() {
        return requesters;
    }

    Regions regions() {
        return regions;
    }

    Children children() {
        return children;
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

    /** Whether requests are posted by {@code ibv_wr_*}. */
    boolean postsExtended() {
        return extended && supports(Capability.EXTENDED_QUEUE_PAIR);
    }

    /** Throws where it lacks something. */
    void require(Capability capability) {
        if (!supports(capability)) {
            throw capability.missingOn(this);
        }
    }

    @Override
    public ProtectionDomain allocateProtectionDomain() {
        children.check();
        CoreProtectionDomain domain = new CoreProtectionDomain(this);
        return adopt(children, domain);
    }

    @Override
    public CompletionChannel createCompletionChannel() {
        return adopt(children, new CoreCompletionChannel(this));
    }

    @Override
    public CompletionQueue createCompletionQueue(int entries) {
        return createQueue(entries, null, false);
    }

    @Override
    public CompletionQueue createCompletionQueue(int entries, CompletionChannel reportsTo) {
        return createQueue(entries, own(Objects.requireNonNull(reportsTo)), false);
    }

    @Override
    public CompletionQueue createCompletionQueue(CompletionQueueAttributes wanted) {
        if (wanted.timestamps()) {
            require(Capability.COMPLETION_TIMESTAMP);
        }
        return createQueue(wanted.entries(), wanted.channel() == null ? null : own(wanted.channel()), wanted.timestamps());
    }

    private CoreCompletionChannel own(CompletionChannel reportsTo) {
        if (!(reportsTo instanceof CoreCompletionChannel own) || own.device() != this) {
            throw new IllegalArgumentException("the completion channel is not one of device " + name());
        }
        return own;
    }

    private CompletionQueue createQueue(int entries, CoreCompletionChannel reportsTo, boolean timestamps) {
        if (entries < 1 || entries > attributes.maximumCompletionQueueEntries()) {
            throw new IllegalArgumentException(
                    "a completion queue has 1 to " + attributes.maximumCompletionQueueEntries() + " entries, not " + entries);
        }
        Children parent = reportsTo == null ? children : reportsTo.children();
        parent.check();
        PolledQueue queue = timestamps || extended && supports(Capability.EXTENDED_COMPLETION_QUEUE)
                ? new ExtendedQueue(this, entries, timestamps)
                : new PlainQueue(this, entries);
        return adopt(parent, new CoreCompletionQueue(this, queue, reportsTo));
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

    /** Destroys an object of which nobody else makes anything meanwhile. */
    void destroying(Runnable action) {
        lifetimes.writeLock().lock();
        try {
            action.run();
        } finally {
            lifetimes.writeLock().unlock();
        }
    }

    /** Makes an object a child, or closes it where the parent was closed meanwhile. */
    static <T extends AutoCloseable> T adopt(Children parent, T child) {
        try {
            parent.add(child);
            return child;
        } catch (RuntimeException e) {
            try {
                child.close();
            } catch (Exception other) {
                e.addSuppressed(other);
            }
            throw e;
        }
    }

    @Override
    public List<PortAttributes> ports() {
        throw new UnsupportedOperationException("to be built");
    }

    @Override
    public AsynchronousEvents asynchronousEvents() {
        throw new UnsupportedOperationException("to be built");
    }

    @Override
    public <T> Optional<T> extension(Class<T> type) {
        return type == ConnectionManager.class ? Optional.of(type.cast(connectionManager)) : Optional.empty();
    }

    /** Closes all that was made on it; the event reader must still run. */
    void closeChildren() {
        children.close();
    }

    /** Gives back the channel; the event reader must have stopped. */
    void close() {
        Calls.DESTROY_COMP_CHANNEL.run(channel);
    }
}
