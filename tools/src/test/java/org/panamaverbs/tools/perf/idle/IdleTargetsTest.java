package org.panamaverbs.tools.perf.idle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.panamaverbs.Configuration;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.Verbs;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.cm.Listener;
import org.panamaverbs.tools.shared.Resources;

class IdleTargetsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Verbs verbs = Verbs.open(Configuration.builder().set("panamaverbs.provider", "soft-iwarp").build());
    private final ConnectionManager manager = ConnectionManager.of(verbs.device());
    private final Listener listener = manager.listen(new InetSocketAddress("127.0.0.1", 0), 8);
    private final Resources resources = new Resources(verbs.device(), 64);
    private final MemoryBudget budget = new MemoryBudget(1 << 20);
    private final IdleTargets targets = new IdleTargets(verbs.device(), budget, new Presence(Duration.ofHours(1)));

    @AfterEach
    void close() {
        targets.close();
        resources.close();
        listener.close();
        verbs.close();
    }

    @Test
    void shouldCloseTheConnectionOfAPeerThatLeft() throws Exception {
        Peer peer = new Peer();
        peer.mayReturn.countDown();
        peer.accepting.join();
        peer.near.disconnect();
        assertTrue(peer.closed.await(PATIENCE.toSeconds(), TimeUnit.SECONDS), "closed");
    }

    @Test
    void shouldCloseTheConnectionOfAPeerThatLeftBeforeAcceptReturned() throws Exception {
        Peer early = new Peer();
        early.near.disconnect();
        assertTrue(early.far.awaitDisconnected(PATIENCE));
        // Flushed requests complete in order: once a later peer is seen to have left, the early one was, too.
        shouldCloseTheConnectionOfAPeerThatLeft();
        assertTrue(early.closed.await(PATIENCE.toSeconds(), TimeUnit.SECONDS), "closed");
        early.mayReturn.countDown();
        assertTrue(early.accepting.join(PATIENCE));
        assertEquals(0, targets.count());
    }

    /** As behind a cut link: nothing tells that the peer has gone. */
    @Test
    void shouldCloseTheConnectionsOfAHostThatMeasuresNoMore() throws Exception {
        try (IdleTargets brief = new IdleTargets(verbs.device(), budget, new Presence(Duration.ofNanos(1)))) {
            assertTrue(budget.take(IdleTargets.MEMORY_EACH));
            Thread accepting = Thread.ofPlatform().start(() -> brief.accept(listener.awaitRequest(PATIENCE)));
            try (var connector = manager.connector(listener.address(), PATIENCE)) {
                connector.createQueuePair(resources.domain(), QueuePairAttributes.of(resources.queue()));
                Connection near = connector.connect(ConnectionParameters.defaults(), PATIENCE);
                assertTrue(accepting.join(PATIENCE));
                assertTrue(near.awaitDisconnected(PATIENCE), "closed");
            }
            assertEquals(0, brief.count());
            assertEquals(0, budget.taken());
        }
    }

    @Test
    void shouldGiveItsMemoryBackIfItCannotAccept() {
        assertTrue(budget.take(IdleTargets.MEMORY_EACH));
        ConnectionRequest broken = (ConnectionRequest) Proxy.newProxyInstance(getClass().getClassLoader(),
                new Class<?>[] { ConnectionRequest.class }, (self, method, arguments) -> switch (method.getName()) {
                    case "remoteAddress" -> listener.address();
                    default -> throw new OutOfMemoryError("as a test wants");
                });
        assertThrows(OutOfMemoryError.class, () -> targets.accept(broken));
        assertEquals(0, budget.taken());
        assertEquals(0, targets.count());
    }

    /** A peer that is accepted by a thread which is slow to return. */
    private final class Peer {
        private final CountDownLatch mayReturn = new CountDownLatch(1);
        private final CountDownLatch accepted = new CountDownLatch(1);
        private final CountDownLatch closed = new CountDownLatch(1);
        private final Thread accepting;
        private final Connection near;
        private volatile Connection far;

        Peer() throws InterruptedException {
            accepting = Thread.ofPlatform().start(() -> targets.accept(slow(listener.awaitRequest(PATIENCE))));
            try (var connector = manager.connector(listener.address(), PATIENCE)) {
                connector.createQueuePair(resources.domain(), QueuePairAttributes.of(resources.queue()));
                near = connector.connect(ConnectionParameters.defaults(), PATIENCE);
            }
            assertTrue(accepted.await(PATIENCE.toSeconds(), TimeUnit.SECONDS), "accepted");
        }

        private ConnectionRequest slow(ConnectionRequest request) {
            ConnectionRequest watched = proxy(ConnectionRequest.class, request, "createQueuePair",
                    pair -> proxy(QueuePair.class, (QueuePair) pair, "close", nothing -> {
                        closed.countDown();
                        return nothing;
                    }));
            return proxy(ConnectionRequest.class, watched, "accept", connection -> {
                far = (Connection) connection;
                accepted.countDown();
                mayReturn.await();
                return connection;
            });
        }
    }

    private interface After {
        Object apply(Object result) throws InterruptedException;
    }

    private static <T> T proxy(Class<T> type, T real, String name, After after) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type }, (self, method, arguments) -> {
            try {
                Object result = method.invoke(real, arguments);
                return method.getName().equals(name) ? after.apply(result) : result;
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }));
    }
}
