package org.panamaverbs.softiwarp;

import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.panamaverbs.AsynchronousEvents;
import org.panamaverbs.Capability;
import org.panamaverbs.CompletionChannel;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.CompletionQueueAttributes;
import org.panamaverbs.Device;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.device.DeviceAttributes;
import org.panamaverbs.device.PortAttributes;
import org.panamaverbs.posix.OwnedMemory;
import org.panamaverbs.softiwarp.memory.BufferPool;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;
import org.panamaverbs.softiwarp.memory.StagTable;
import org.panamaverbs.softiwarp.mpa.FpduWriter;
import org.panamaverbs.softiwarp.progress.EventLoop;
import org.panamaverbs.softiwarp.transport.Multiplexer;
import org.panamaverbs.softiwarp.transport.ReadinessDescriptor;
import org.panamaverbs.softiwarp.transport.capture.CaptureFile;
import org.panamaverbs.softiwarp.transport.capture.CapturingMultiplexer;
import org.panamaverbs.softiwarp.transport.kind.Transports;
import org.panamaverbs.spi.AsynchronousEventHub;
import org.panamaverbs.spi.DeviceCounters;
import org.panamaverbs.spi.ObjectChecks;
import org.panamaverbs.spi.Registrable;
import org.panamaverbs.spi.support.Children;
import org.panamaverbs.spi.support.Rollback;
import org.panamaverbs.statistics.ConnectionStatistics;
import org.panamaverbs.statistics.DeviceStatistics;
import org.panamaverbs.statistics.PinnedMemory;

/** The one device of a session: its event loops and its table of registered memory. */
// Tested by DeviceContract, WaitContract.
final class SoftDevice implements Device, AutoCloseable {
    static final int MAXIMUM_READS = 128;
    /** The limit that the device reports for objects that only memory limits. */
    static final int MAXIMUM_OBJECTS = 1 << 20;
    static final int MAXIMUM_WORK_REQUESTS = 1 << 16;
    static final int MAXIMUM_ELEMENTS = 16;
    static final int MAXIMUM_COMPLETIONS = 1 << 22;
    static final int MAXIMUM_REGIONS = 1 << 20;
    static final int MAXIMUM_PRIVATE_DATA = 508;
    /** Any thread may wait for any queue, so that there is nothing to choose. */
    static final int COMPLETION_VECTORS = 1;
    static final long MAXIMUM_MESSAGE = (1L << 32) - 1;
    /** The MTU that the port reports, in bytes: the longest FPDU, rounded up. TCP cuts FPDUs into segments. */
    static final int MTU = 1 << 16;
    /** The most streams that may send from large buffers at the same time; the other streams need more write calls. */
    private static final int LARGE_BUFFERS = 64;
    static final String NAME = "soft-iwarp0";

    private static final DeviceAttributes ATTRIBUTES = new SoftAttributes();

    private static final Set<Capability> CAPABILITIES = EnumSet.of(Capability.RELIABLE_CONNECTION, Capability.SEND_WITH_INVALIDATE,
            Capability.INVALIDATE_REGION, Capability.INVALIDATION_RIGHT, Capability.REGION_ADDRESS, Capability.REGION_KEY,
            Capability.REGION_SCOPE, Capability.MEMORY_WINDOW_TYPE_1, Capability.MEMORY_WINDOW_TYPE_2, Capability.LOCAL_INVALIDATE,
            Capability.SHARED_RECEIVE_QUEUE, Capability.READ_WITHOUT_REMOTE_WRITE, Capability.PEER_FAILURE,
            Capability.RESIZE_COMPLETION_QUEUE);
    /**
     * The capabilities of RFC 7306, which has Immediate Data behind a Write, and none with a Send. Atomics are instructions of the
     * processor, except on mapped files: see {@code AtomicUnit}.
     */
    private static final Set<Capability> EXTENSIONS = EnumSet.of(Capability.WRITE_WITH_IMMEDIATE, Capability.IMMEDIATE_MESSAGE,
            Capability.ATOMIC, Capability.MASKED_ATOMIC, Capability.GLOBAL_ATOMIC);

    private final Settings settings;
    private final DeviceCounters counters = new DeviceCounters(true);
    private final List<EventLoop> loops = new ArrayList<>();
    private final AtomicInteger nextLoop = new AtomicInteger();
    private final AtomicInteger nextQueuePair = new AtomicInteger(1);
    private final AtomicInteger nextDomain = new AtomicInteger(1);
    private final StagTable<RegisteredMemory> table;
    private final OwnedMemory memory = new OwnedMemory();
    private final BufferPool buffers = new BufferPool(memory, FpduWriter.LARGE_BUFFER, LARGE_BUFFERS);
    private final Children children = new Children("device " + NAME);
    private final AsynchronousEventHub events = new AsynchronousEventHub(NAME);
    private final SoftConnectionManager connectionManager = new SoftConnectionManager(this);

    SoftDevice(Settings settings) {
        StaticInitializers.run();
        this.settings = settings;
        this.table = new StagTable<>(new SecureRandom()::nextInt, MAXIMUM_REGIONS);
        // Descriptors, memory or threads may run out in any of these steps.
        try (Rollback undo = new Rollback()) {
            for (int i = 0; i < settings.progressThreads(); i++) {
                EventLoop loop = loop(i);
                undo.add(loop::close);
                loops.add(loop);
            }
            undo.commit();
        }
    }

    private EventLoop loop(int number) {
        try (Rollback undo = new Rollback()) {
            EventLoop loop = new EventLoop(multiplexer(undo), NAME + "-progress-" + number, settings.busyPollNanos());
            undo.commit();
            return loop;
        }
    }

    private Multiplexer multiplexer(Rollback undo) {
        if (settings.capture().isEmpty()) {
            Multiplexer multiplexer = Transports.open(settings.transport(), settings.tcp());
            undo.add(multiplexer::close);
            return multiplexer;
        }
        // The file first: if it cannot be written, nothing else is open yet.
        CaptureFile file = CaptureFile.open(settings.capture(), settings.captureSnaplen(), settings.captureMebibytes() * 1L << 20);
        undo.add(file::close);
        Multiplexer multiplexer = Transports.open(settings.transport(), settings.tcp());
        undo.add(multiplexer::close);
        return new CapturingMultiplexer(multiplexer, file);
    }

    DeviceCounters counters() {
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

    /** The system pins nothing: a region is memory like any other. */
    @Override
    public PinnedMemory pinnedMemory() {
        List<AutoCloseable> regions = new ArrayList<>();
        for (AutoCloseable child : children.open()) {
            if (child instanceof SoftProtectionDomain domain) {
                regions.addAll(domain.regions().open());
            }
        }
        return new Held(Registrable.holders(regions, _ -> 0));
    }

    private record Held(List<Holder> holders) implements PinnedMemory {
        @Override
        public String toString() {
            return describe();
        }
    }

    Settings settings() {
        return settings;
    }

    StagTable<RegisteredMemory> table() {
        return table;
    }

    BufferPool buffers() {
        return buffers;
    }

    Children children() {
        return children;
    }

    /**
     * The loop of a new queue pair: that of the queues in which it completes. So a thread that polls or waits for a queue drives one loop
     * alone. A queue gets its loop with its first queue pair, and keeps it.
     */
    synchronized EventLoop loopOf(SoftCompletionQueue receives, SoftCompletionQueue sends) {
        EventLoop loop = receives.loop();
        if (loop == null) {
            loop = sends.loop() == null ? nextLoop() : sends.loop();
        }
        receives.use(loop);
        sends.use(loop);
        return loop;
    }

    /** The loop for the next listener, or for queue pairs whose queues have none yet; the loops take turns. */
    EventLoop nextLoop() {
        children.check();
        return loops.get(Integer.remainderUnsigned(nextLoop.getAndIncrement(), loops.size()));
    }

    int nextDomainNumber() {
        return nextDomain.getAndIncrement();
    }

    int nextQueuePairNumber() {
        return nextQueuePair.getAndIncrement();
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String provider() {
        return SoftIwarpProvider.NAME;
    }

    @Override
    public DeviceAttributes attributes() {
        return ATTRIBUTES;
    }

    @Override
    public boolean supports(Capability capability) {
        return CAPABILITIES.contains(capability) || settings.extensions() && EXTENSIONS.contains(capability)
                || capability == Capability.CHANNEL_DESCRIPTOR && ReadinessDescriptor.isAvailable();
    }

    @Override
    public ProtectionDomain allocateProtectionDomain() {
        SoftProtectionDomain domain = new SoftProtectionDomain(this);
        children.add(domain);
        return domain;
    }

    @Override
    public CompletionChannel createCompletionChannel() {
        SoftCompletionChannel channel = new SoftCompletionChannel(this);
        children.add(channel);
        return channel;
    }

    @Override
    public CompletionQueue createCompletionQueue(CompletionQueueAttributes wanted) {
        ObjectChecks.completionQueue(this, wanted);
        SoftCompletionChannel channel = (SoftCompletionChannel) wanted.channel();
        SoftCompletionQueue queue = new SoftCompletionQueue(this, wanted);
        (channel == null ? children : channel.children()).add(queue);
        return queue;
    }

    @Override
    public List<PortAttributes> ports() {
        children.check();
        return List.of(new SoftPort());
    }

    @Override
    public AsynchronousEvents asynchronousEvents() {
        return events.listen();
    }

    AsynchronousEventHub events() {
        return events;
    }

    @Override
    public <T> Optional<T> extension(Class<T> type) {
        return type == ConnectionManager.class ? Optional.of(type.cast(connectionManager)) : Optional.empty();
    }

    @Override
    public void close() {
        boolean first = true;
        try {
            first = children.close();
        } finally {
            if (first) {
                // Also if one of them could not be closed: nothing moves bytes any more then.
                events.close();
                loops.forEach(EventLoop::close);
                buffers.close(memory::close);
            }
        }
    }

    @Override
    public String toString() {
        return "device " + name();
    }
}
