package org.panamaverbs.softiwarp.hostile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.UnixOperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.panamaverbs.Access;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.VerbsException;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.softiwarp.fixtures.Forge;
import org.panamaverbs.softiwarp.fixtures.Host;
import org.panamaverbs.statistics.DeviceStatistics;
import org.panamaverbs.testing.Proofs;
import org.panamaverbs.testing.Transports;

/** Peers that come and are gone by a reset, at each stage of a connection: nothing of them is left, and the counters add up. */
class ChurnTest {
    private static final int PEERS = Proofs.run() ? 2000 : 400;
    private static final byte[] REQUEST = Forge.start(true, true, 16, 16);
    /** A place that is not given back would be missed long before the end. */
    private static final String CONNECTIONS = "40";
    /** Bytes outside of the heap that other tests' objects may have left, or the JDK needs. */
    private static final long SLACK = 2 << 20;
    private static final long PATIENCE_NANOS = 60_000_000_000L;

    private volatile boolean over;
    private final CompletableFuture<Void> served = new CompletableFuture<>();
    private final List<Connection> accepted = new ArrayList<>();

    private void run(Host host, Host.End shared) {
        try {
            serve(host, shared);
            served.complete(null);
        } catch (RuntimeException | Error e) {
            served.completeExceptionally(e);
        }
    }

    /** Accepts whoever asks, and closes what has ended. */
    private void serve(Host host, Host.End shared) {
        while (!over) {
            try (ConnectionRequest request = host.listener.awaitRequest(Duration.ofMillis(50))) {
                QueuePair queuePair = request.createQueuePair(host.domain, QueuePairAttributes.of(shared.queue).withDepths(1, 1));
                try {
                    accepted.add(request.accept(ConnectionParameters.defaults().withReads(16, 16), Host.LIMIT));
                } catch (VerbsException e) {
                    queuePair.close();
                }
            } catch (VerbsException e) {
                // Nobody came, or the peer is gone already.
            }
            accepted.removeIf(connection -> {
                boolean gone = !connection.isConnected();
                if (gone) {
                    connection.close();
                }
                return gone;
            });
        }
        accepted.forEach(Connection::close);
    }

    private static void visit(Host host, int stage, MemoryRegion target) {
        try (Socket peer = new Socket(host.listener.address().getAddress(), host.listener.address().getPort())) {
            peer.setSoLinger(true, 0);
            peer.setSoTimeout((int) Host.LIMIT.toMillis());
            switch (stage) {
                case 0 -> {
                    // Gone before it said anything.
                }
                case 1 -> peer.getOutputStream().write(Arrays.copyOf(REQUEST, 11));
                case 2 -> peer.getOutputStream().write(REQUEST);
                default -> {
                    peer.getOutputStream().write(REQUEST);
                    peer.getInputStream().readNBytes(REQUEST.length);
                    peer.getOutputStream().write(Forge.join(Forge.ready(true), Lie.write(target.remoteKey(), target.address(), 40),
                            Arrays.copyOf(Lie.write(target.remoteKey(), target.address(), 40), 30)));
                }
            }
        } catch (IOException e) {
            // The limit of connections is reached while the last peers are not gone yet.
        }
    }

    @ParameterizedTest
    @Transports({ "epoll", "nio" })
    @DisabledOnOs(OS.WINDOWS)
    void shouldKeepNothingOfPeersThatComeAndGo(String transport) throws Exception {
        try (Host host = new Host(transport, "connections", CONNECTIONS)) {
            Host.Pair bystander = host.connect();
            host.exchange(bystander);
            Host.End shared = host.end();
            MemoryRegion target = host.region(40, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
            int drivers = Inside.drivers(host);
            Thread.ofPlatform().daemon().start(() -> run(host, shared));
            // The JDK keeps a descriptor of its own after the first reset.
            for (int i = 0; i < 8; i++) {
                visit(host, i % 4, target);
            }
            Inside.awaitDrivers(host, drivers);
            long descriptors = descriptors();
            long threads = threads();
            long direct = direct();
            for (int i = 0; i < PEERS; i++) {
                visit(host, i % 4, target);
            }
            over = true;
            Host.get(served);
            Inside.awaitDrivers(host, drivers);
            awaitAtMost("threads", threads, ChurnTest::threads);
            awaitAtMost("descriptors", descriptors, ChurnTest::descriptors);
            awaitAtMost("bytes outside of the heap", direct + SLACK, () -> {
                System.gc();
                return direct();
            });
            assertEquals(drivers, Inside.queuePairs(host), "queue pairs");
            DeviceStatistics counted = host.device.statistics();
            assertEquals(counted.connectionsEstablished().getAsLong() - drivers,
                    counted.endedOrderly().getAsLong() + counted.endedByLocalError().getAsLong() + counted.endedByRemoteError().getAsLong()
                            + counted.endedByLoss().getAsLong(),
                    counted::toString);
            assertTrue(counted.connectionsEstablished().getAsLong() > PEERS / 8 && counted.requestsRefused().getAsLong() >= PEERS / 4,
                    counted::toString);
            host.exchange(bystander);
            host.exchange(host.connect());
        }
    }

    private static void awaitAtMost(String what, long most, LongSupplier count) {
        long begin = System.nanoTime();
        for (long now = count.getAsLong(); now > most; now = count.getAsLong()) {
            long last = now;
            assertTrue(System.nanoTime() - begin < PATIENCE_NANOS, () -> last + " " + what + ", at most " + most + " before");
            Thread.onSpinWait();
        }
    }

    private static long descriptors() {
        return ((UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getOpenFileDescriptorCount();
    }

    private static long threads() {
        return ManagementFactory.getThreadMXBean().getThreadCount();
    }

    private static long direct() {
        return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream().filter(pool -> pool.getName().equals("direct"))
                .mapToLong(BufferPoolMXBean::getMemoryUsed).sum();
    }
}
