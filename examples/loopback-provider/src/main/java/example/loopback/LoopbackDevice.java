package example.loopback;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.panamaverbs.AsynchronousEvent;
import org.panamaverbs.AsynchronousEvents;
import org.panamaverbs.Capability;
import org.panamaverbs.CompletionChannel;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.CompletionQueueAttributes;
import org.panamaverbs.Device;
import org.panamaverbs.device.DeviceAttributes;
import org.panamaverbs.device.Transport;
import org.panamaverbs.device.PortAttributes;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.spi.AsynchronousEventHub;
import org.panamaverbs.spi.support.Children;
import org.panamaverbs.spi.ObjectChecks;
import org.panamaverbs.spi.Registrable;
import org.panamaverbs.statistics.PinnedMemory;

/** The device of a session, with the table of its keys. */
final class LoopbackDevice implements Device {
    private static final String DEVICE_NAME = "loopback0";
    private static final int MOST_REQUESTS = 16_384;
    private static final int MOST_COMPLETIONS = 65_536;
    private static final int MOST_READS = 32;
    private static final int MOST_PRIVATE_DATA = 512;

    private static final DeviceAttributes ATTRIBUTES = new DeviceAttributes() {
        @Override
        public Transport transport() {
            return Transport.OTHER;
        }

        @Override
        public String vendor() {
            return "example of panama-verbs";
        }

        @Override
        public int maximumWorkRequests() {
            return MOST_REQUESTS;
        }

        @Override
        public int maximumScatterGather() {
            return 8;
        }

        @Override
        public int maximumCompletionQueueEntries() {
            return MOST_COMPLETIONS;
        }

        @Override
        public int maximumInboundReads() {
            return MOST_READS;
        }

        @Override
        public int maximumOutboundReads() {
            return MOST_READS;
        }

        @Override
        public int maximumPrivateData() {
            return MOST_PRIVATE_DATA;
        }
    };

    private static final PortAttributes PORT = new PortAttributes() {
        @Override
        public int number() {
            return 1;
        }

        @Override
        public String linkLayer() {
            return "none";
        }

        @Override
        public long maximumMessageSize() {
            return ATTRIBUTES.maximumMessageSize();
        }
    };

    private static final Set<Capability> CAPABILITIES = EnumSet.of(Capability.RELIABLE_CONNECTION, Capability.READ_SCATTER, Capability.READ_WITHOUT_REMOTE_WRITE,
            Capability.PEER_FAILURE);

    private static final int GENERATION_BITS = 8;

    private final AsynchronousEventHub events = new AsynchronousEventHub(DEVICE_NAME);
    private final LoopbackConnectionManager connections = new LoopbackConnectionManager(this);
    /** By the upper bits of the key. */
    private final List<LoopbackRegion> regions = new ArrayList<>();
    private int generation;
    private int lastQueuePair;
    private final AtomicInteger domains = new AtomicInteger(1);

    final Children children = new Children("device " + DEVICE_NAME);

    @Override
    public String name() {
        return DEVICE_NAME;
    }

    @Override
    public String provider() {
        return LoopbackProvider.NAME;
    }

    @Override
    public DeviceAttributes attributes() {
        return ATTRIBUTES;
    }

    @Override
    public boolean supports(Capability capability) {
        return CAPABILITIES.contains(capability);
    }

    @Override
    public ProtectionDomain allocateProtectionDomain() {
        return new LoopbackDomain(this);
    }

    @Override
    public CompletionChannel createCompletionChannel() {
        return new LoopbackCompletionChannel(this);
    }

    @Override
    public CompletionQueue createCompletionQueue(CompletionQueueAttributes wanted) {
        ObjectChecks.completionQueue(this, wanted);
        return new LoopbackCompletionQueue(this, wanted);
    }

    @Override
    public List<PortAttributes> ports() {
        try (var _ = Fabric.enter()) {
            children.check();
            return List.of(PORT);
        }
    }

    /** Nothing is pinned: memory is copied. */
    @Override
    public PinnedMemory pinnedMemory() {
        try (var _ = Fabric.enter()) {
            List<PinnedMemory.Holder> holders = Registrable.holders(regions, _ -> 0);
            return () -> holders;
        }
    }

    @Override
    public AsynchronousEvents asynchronousEvents() {
        return events.listen();
    }

    @Override
    public <T> Optional<T> extension(Class<T> type) {
        return type.isInstance(connections) ? Optional.of(type.cast(connections)) : Optional.empty();
    }

    void close() {
        try (var _ = Fabric.enter()) {
            if (children.close()) {
                events.close();
            }
        }
    }

    void publish(AsynchronousEvent.Type type, AsynchronousEvent.Source source) {
        events.publish(new AsynchronousEvent(type, source, 0));
    }

    int nextDomainNumber() {
        return domains.getAndIncrement();
    }

    int nextQueuePairNumber() {
        return ++lastQueuePair;
    }

    /** A key for the next region that is added: its place in the table, and a number that tells it from regions that had the place before. */
    int freeKey() {
        int place = regions.indexOf(null);
        if (place < 0) {
            place = regions.size();
            regions.add(null);
        }
        return place + 1 << GENERATION_BITS | generation++ & (1 << GENERATION_BITS) - 1;
    }

    void addRegion(LoopbackRegion region) {
        regions.set(place(region.remoteKey()), region);
    }

    void removeRegion(LoopbackRegion region) {
        regions.set(place(region.remoteKey()), null);
    }

    private static int place(int key) {
        return (key >>> GENERATION_BITS) - 1;
    }

    /** The region that a peer names, or {@code null}; the key may be anything. */
    LoopbackRegion region(int key) {
        int place = place(key);
        LoopbackRegion region = place >= 0 && place < regions.size() ? regions.get(place) : null;
        return region != null && region.remoteKey() == key ? region : null;
    }

    @Override
    public String toString() {
        return "device " + name();
    }
}
