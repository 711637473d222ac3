package org.panamaverbs.softiwarp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.panamaverbs.Access;
import org.panamaverbs.Completion;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.Configuration;
import org.panamaverbs.Device;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.QueuePair;
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
import org.panamaverbs.spi.FlightEvents;

/**
 * A connection within one device that carries a Write, a Read of the same bytes, and a Write out of bounds, for which the peer sends a
 * Terminate: something to record and to capture.
 */
final class WriteBeyond {
    private static final Duration LONG = Duration.ofSeconds(60);

    private WriteBeyond() {
    }

    /** Settings without their common prefix as arguments; says whether the Flight Recorder could have recorded anything. */
    public static void main(String[] arguments) throws Exception {
        Map<String, String> settings = new HashMap<>(Map.of("panamaverbs.provider", "soft-iwarp"));
        for (String argument : arguments) {
            settings.put("panamaverbs.softiwarp." + argument.substring(0, argument.indexOf('=')),
                    argument.substring(argument.indexOf('=') + 1));
        }
        run(settings, 1 << 20);
        System.out.println(FlightEvents.isAvailable());
    }

    private record End(Connection connection, CompletionQueue queue) {
    }

    private static QueuePairAttributes attributes(CompletionQueue queue) {
        return QueuePairAttributes.of(queue);
    }

    /** Runs it. */
    static void run(Map<String, String> settings, int size) throws Exception {
        Configuration.Builder configuration = Configuration.builder();
        settings.forEach(configuration::set);
        try (Verbs verbs = Verbs.open(configuration.build()); Arena arena = Arena.ofShared()) {
            Device device = verbs.device();
            ProtectionDomain domain = device.allocateProtectionDomain();
            try (Listener listener = ConnectionManager.of(device).listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1)) {
                CompletableFuture<End> accepted = CompletableFuture.supplyAsync(() -> {
                    ConnectionRequest request = listener.awaitRequest(LONG);
                    CompletionQueue queue = device.createCompletionQueue(16);
                    request.createQueuePair(domain, attributes(queue));
                    return new End(request.accept(ConnectionParameters.defaults(), LONG), queue);
                });
                Connector connector = ConnectionManager.of(device).connector(listener.address(), LONG);
                CompletionQueue queue = device.createCompletionQueue(16);
                QueuePair pair = connector.createQueuePair(domain, attributes(queue));
                Connection connection = connector.connect(ConnectionParameters.defaults(), LONG);
                End passive = accepted.get();
                MemoryRegion source = domain.register(arena.allocate(size), Access.LOCAL_WRITE);
                MemoryRegion sink = domain.register(arena.allocate(size), Access.LOCAL_WRITE, Access.REMOTE_READ, Access.REMOTE_WRITE);
                RemoteMemory remote = sink.remote();
                pair.post(new SendRequest().write(1).local(source, 0, size).remote(remote, 0).signaled());
                Completion first = queue.take(LONG);
                assertTrue(first.isSuccess(), first::toString);
                pair.post(new SendRequest().read(3).local(source, 0, size).remote(remote, 0).signaled());
                Completion second = queue.take(LONG);
                assertTrue(second.isSuccess(), second::toString);
                RemoteMemory beyond = new RemoteMemory(remote.address() + size, remote.key(), remote.length());
                pair.post(new SendRequest().write(2).local(source, 0, size).remote(beyond, 0).signaled());
                assertTrue(connection.awaitDisconnected(LONG));
                assertTrue(passive.connection().awaitDisconnected(LONG));
                assertCounted(device, pair, passive.connection().queuePair());
                source.close();
                sink.close();
            }
        }
    }

    private static void assertCounted(Device device, QueuePair active, QueuePair passive) {
        long begin = System.nanoTime();
        // The thread that sends the Terminate counts it afterwards.
        while (passive.statistics().terminatesSent().getAsLong() == 0 && System.nanoTime() - begin < LONG.toNanos()) {
            Thread.onSpinWait();
        }
        assertEquals(1, passive.statistics().terminatesSent().getAsLong());
        assertEquals(0, passive.statistics().terminatesReceived().getAsLong());
        assertEquals(0, active.statistics().terminatesSent().getAsLong());
        assertEquals(1, active.statistics().terminatesReceived().getAsLong());
        assertEquals(0, active.statistics().checksumErrors().getAsLong() + passive.statistics().checksumErrors().getAsLong());
        assertEquals("connections established 2, requests refused 0, requests rejected 0, ended orderly 0, ended by a local error 1, "
                + "ended by a remote error 1, ended by loss 0", device.statistics().describe());
    }
}
