package org.panamaverbs.micrometer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.panamaverbs.Access;
import org.panamaverbs.Configuration;
import org.panamaverbs.Device;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.RemoteMemory;
import org.panamaverbs.SendRequest;
import org.panamaverbs.Verbs;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.cm.Connector;
import org.panamaverbs.cm.Listener;

/** The meters of a device of soft-iwarp in a registry, while a connection begins, fails and ends. */
class DeviceMetricsTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    private double gauge(String name) {
        return registry.get("panamaverbs." + name).tags("device", "soft-iwarp0", "provider", "soft-iwarp").gauge().value();
    }

    private double counter(String name) {
        return registry.get("panamaverbs." + name).tags("device", "soft-iwarp0", "provider", "soft-iwarp").functionCounter().count();
    }

    @Test
    void shouldGiveTheStatisticsOfADevice() throws Exception {
        try (Arena arena = Arena.ofShared();
                Verbs verbs = Verbs.open(Configuration.builder().set("panamaverbs.provider", "soft-iwarp").build())) {
            Device device = verbs.device();
            new DeviceMetrics(device).bindTo(registry);
            assertEquals(0, gauge("connections.open"));
            assertEquals(0, counter("connections.established"));
            ProtectionDomain domain = device.allocateProtectionDomain();
            MemoryRegion region = domain.register(arena.allocate(5000), Access.LOCAL_WRITE);
            assertEquals(5000, gauge("memory.registered"));
            assertEquals(0, gauge("memory.pinned"), "soft-iwarp pins nothing");
            assertTrue(Double.isNaN(gauge("memory.limit")), "and has no limit");
            try (Listener listener = ConnectionManager.of(device).listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1)) {
                CompletableFuture<Connection> accepted = CompletableFuture.supplyAsync(() -> {
                    ConnectionRequest request = listener.awaitRequest(LIMIT);
                    request.createQueuePair(domain, QueuePairAttributes.of(device.createCompletionQueue(16)));
                    return request.accept(ConnectionParameters.defaults(), LIMIT);
                });
                Connector connector = ConnectionManager.of(device).connector(listener.address(), LIMIT);
                connector.createQueuePair(domain, QueuePairAttributes.of(device.createCompletionQueue(16)));
                Connection connection = connector.connect(ConnectionParameters.defaults(), LIMIT);
                Connection passive = accepted.get();
                assertEquals(2, gauge("connections.open"));
                assertEquals(2, counter("connections.established"));
                connection.queuePair().post(new SendRequest().write(1).local(region, 0, 100).remote(new RemoteMemory(0, 0x1234, 100), 0));
                assertTrue(connection.awaitDisconnected(LIMIT) && passive.awaitDisconnected(LIMIT));
            }
            assertEquals(0, gauge("connections.open"));
            assertEquals(2, counter("errors"), "one at each end");
            assertEquals(1, counter("ended.by.a.remote.error"));
            region.close();
            assertEquals(0, gauge("memory.registered"));
        }
    }

    /** A count of the API that is new is a meter, too. */
    @Test
    void shouldHaveAMeterForEachCountOfTheDevice() {
        try (Verbs verbs = Verbs.open(Configuration.builder().set("panamaverbs.provider", "soft-iwarp").build())) {
            new DeviceMetrics(verbs.device()).bindTo(registry);
            Set<String> expected = verbs.device().statistics().counts().keySet().stream()
                    .map(name -> "panamaverbs." + name.replace(' ', '.')).collect(Collectors.toCollection(TreeSet::new));
            assertEquals(7, expected.size(), expected::toString);
            Set<String> names = registry.getMeters().stream().map(Meter::getId).map(Meter.Id::getName).collect(Collectors.toSet());
            assertTrue(names.containsAll(expected), names::toString);
            assertEquals(expected.size() + 6, names.size(), names::toString);
        }
    }
}
