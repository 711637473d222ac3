package org.panamaverbs.softiwarp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.panamaverbs.Access;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.Completions;
import org.panamaverbs.Configuration;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.SendRequest;
import org.panamaverbs.Verbs;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.cm.Connector;
import org.panamaverbs.cm.Listener;
import org.panamaverbs.softiwarp.progress.EventLoop;
import org.panamaverbs.testing.Transports;

/** A device with several event loops: each completion queue has its own. */
class LoopsTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final int LOOPS = 3;

    private final Arena arena = Arena.ofShared();
    private Verbs verbs;
    private ProtectionDomain domain;

    @AfterEach
    void close() {
        verbs.close();
        arena.close();
    }

    private void open(String transport) {
        Configuration.Builder configuration = Configuration.builder();
        SoftIwarp.settings(transport, "progress-threads", Integer.toString(LOOPS)).forEach(configuration::set);
        verbs = Verbs.open(configuration.build());
        domain = verbs.device().allocateProtectionDomain();
    }

    private SoftCompletionQueue queue() {
        return (SoftCompletionQueue) verbs.device().createCompletionQueue(16);
    }

    /** Connects two queue pairs that complete in these queues; returns the active one, then the passive one. */
    private SoftQueuePair[] connect(Listener listener, QueuePairAttributes active, QueuePairAttributes passive) throws Exception {
        Connector connector = ConnectionManager.of(verbs.device()).connector(listener.address(), LIMIT);
        SoftQueuePair first = (SoftQueuePair) connector.createQueuePair(domain, active);
        FutureTask<Connection> connecting = new FutureTask<>(() -> connector.connect(ConnectionParameters.defaults(), LIMIT));
        Thread.ofPlatform().daemon().start(connecting);
        ConnectionRequest request = listener.awaitRequest(LIMIT);
        SoftQueuePair second = (SoftQueuePair) request.createQueuePair(domain, passive);
        request.accept(ConnectionParameters.defaults(), LIMIT);
        connecting.get();
        return new SoftQueuePair[] { first, second };
    }

    private Listener listen() {
        return ConnectionManager.of(verbs.device()).listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 4);
    }

    /** Reads through a connection. */
    private void read(SoftQueuePair through, CompletionQueue queue) {
        MemoryRegion local = domain.register(arena.allocate(8), Access.LOCAL_WRITE);
        MemoryRegion remote = domain.register(arena.allocate(8), Access.LOCAL_WRITE, Access.REMOTE_READ);
        through.post(new SendRequest().read(1).local(local, 0, 8).remote(remote.remote(), 0).signaled());
        assertTrue(queue.take(LIMIT).isSuccess());
    }

    @ParameterizedTest
    @Transports({ "epoll", "nio" })
    void shouldGiveEachCompletionQueueALoopOfItsOwn(String transport) throws Exception {
        open(transport);
        try (Listener listener = listen()) {
            Set<EventLoop> loops = ConcurrentHashMap.newKeySet();
            SoftCompletionQueue active = queue();
            for (int i = 0; i < LOOPS; i++) {
                SoftCompletionQueue passive = queue();
                for (int pairs = 0; pairs < 2; pairs++) {
                    SoftQueuePair[] ends = connect(listener, QueuePairAttributes.of(active), QueuePairAttributes.of(passive));
                    assertSame(active.loop(), ends[0].loop());
                    assertSame(passive.loop(), ends[1].loop());
                    read(ends[0], active);
                    read(ends[1], passive);
                }
                loops.add(passive.loop());
            }
            assertEquals(LOOPS, loops.size(), "queues share a loop");
        }
    }

    @ParameterizedTest
    @Transports({ "epoll", "nio" })
    void shouldDriveOneLoopByPollingOneQueue(String transport) throws Exception {
        open(transport);
        try (Listener listener = listen()) {
            SoftCompletionQueue polled = queue();
            SoftCompletionQueue other = queue();
            SoftQueuePair[] ends = connect(listener, QueuePairAttributes.of(polled), QueuePairAttributes.of(other));
            assertNotSame(polled.loop(), other.loop());
            Completions cursor = Completions.allocate(1);
            Set<Thread> own = ConcurrentHashMap.newKeySet();
            Set<Thread> others = ConcurrentHashMap.newKeySet();
            long deadline = System.nanoTime() + LIMIT.toNanos();
            while (!own.contains(Thread.currentThread())) {
                assertTrue(System.nanoTime() - deadline < 0, "the polling thread does not drive the loop of its queue");
                polled.loop().execute(() -> own.add(Thread.currentThread()));
                other.loop().execute(() -> others.add(Thread.currentThread()));
                for (int i = 0; i < 100; i++) {
                    polled.poll(cursor);
                }
            }
            other.loop().call(() -> others.add(Thread.currentThread()));
            assertFalse(others.contains(Thread.currentThread()), "the polling thread drives another loop");
            read(ends[0], polled);
        }
    }

    @ParameterizedTest
    @Transports({ "epoll", "nio" })
    void shouldDriveTheLoopOfTheReceiveQueueByASendQueueThatHasAnother(String transport) throws Exception {
        open(transport);
        try (Listener listener = listen()) {
            SoftCompletionQueue first = queue();
            SoftCompletionQueue second = queue();
            connect(listener, QueuePairAttributes.of(first), QueuePairAttributes.of(second));
            SoftQueuePair[] mixed = connect(listener, QueuePairAttributes.of(first, second), QueuePairAttributes.of(second, first));
            assertSame(second.loop(), mixed[0].loop());
            assertSame(first.loop(), mixed[1].loop());
            read(mixed[0], first);
            read(mixed[1], second);
        }
    }
}
