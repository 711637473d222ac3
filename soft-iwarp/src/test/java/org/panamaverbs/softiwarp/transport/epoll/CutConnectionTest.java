package org.panamaverbs.softiwarp.transport.epoll;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.panamaverbs.Access;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.Configuration;
import org.panamaverbs.Device;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.QueuePairState;
import org.panamaverbs.ReceiveRequest;
import org.panamaverbs.SendRequest;
import org.panamaverbs.Verbs;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.ConnectionEnd;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.cm.Connector;
import org.panamaverbs.cm.Listener;
import org.panamaverbs.cm.Route;
import org.panamaverbs.posix.SocketCalls;

/** A connection whose link is cut in the middle of a Write: both ends get their error completions. */
class CutConnectionTest {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final InetSocketAddress ANY = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final long SIZE = 64 << 20;

    @Test
    void shouldFlushAtBothEnds() {
        assumeTrue(SocketCalls.unavailable() == null, SocketCalls::unavailable);
        Configuration configuration = Configuration.builder().set("panamaverbs.provider", "soft-iwarp")
                .set("panamaverbs.softiwarp.transport", "epoll").set("panamaverbs.softiwarp.keepalive", "2000")
                .set("panamaverbs.softiwarp.user-timeout", "500").build();
        try (Arena arena = Arena.ofShared(); Verbs verbs = Verbs.open(configuration)) {
            Device device = verbs.device();
            MemorySegment memory = arena.allocate(SIZE);
            MemoryRegion region = device.allocateProtectionDomain().register(memory, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
            ConnectionManager manager = ConnectionManager.of(device);
            CompletionQueue writes = device.createCompletionQueue(4);
            CompletionQueue receives = device.createCompletionQueue(4);
            try (Listener listener = manager.listen(ANY, 1); Connector connector = manager.connector(Route.to(listener.address()), LONG)) {
                CompletableFuture<Connection> accepting = CompletableFuture.supplyAsync(() -> {
                    ConnectionRequest request = listener.awaitRequest(LONG);
                    request.createQueuePair(region.domain(), QueuePairAttributes.of(receives).withDepths(1, 1))
                            .post(new ReceiveRequest().receive(2).local(region, 0, 1));
                    return request.accept(ConnectionParameters.defaults(), LONG);
                });
                QueuePair pair = connector.createQueuePair(region.domain(), QueuePairAttributes.of(writes).withDepths(1, 1));
                Connection active = connector.connect(ConnectionParameters.defaults(), LONG);
                Connection passive = accepting.join();

                Deafness.begin(Deafness.descriptor(passive.remoteAddress()));
                Deafness.begin(Deafness.descriptor(active.remoteAddress()));
                pair.post(new SendRequest().write(1).local(region, 0, SIZE).remote(region.remote(), 0).signaled());

                assertEquals(CompletionStatus.FLUSHED, writes.take(LONG).status());
                assertEnd(active, " acknowledged nothing for 0.5 s (setting panamaverbs.softiwarp.user-timeout)");
                assertEquals(CompletionStatus.FLUSHED, receives.take(LONG).status());
                assertEnd(passive, " answered nothing for 2 s (setting panamaverbs.softiwarp.keepalive)");
                active.close();
                passive.close();
            }
            region.close();
        }
    }

    private static void assertEnd(Connection connection, String words) {
        assertTrue(connection.awaitDisconnected(LONG));
        ConnectionEnd end = connection.end().orElseThrow();
        String message = end.failure().orElseThrow().getMessage();
        assertAll(() -> assertEquals(ConnectionEnd.Cause.LOST, end.cause()),
                () -> assertEquals(QueuePairState.ERROR, connection.queuePair().state()),
                () -> assertTrue(message.contains(Route.text(connection.remoteAddress()) + words), message));
    }
}
