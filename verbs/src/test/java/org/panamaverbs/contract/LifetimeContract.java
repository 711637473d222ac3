package org.panamaverbs.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.panamaverbs.Access;
import org.panamaverbs.ClosedException;
import org.panamaverbs.CompletionChannel;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.Completions;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.PeerException;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.QueuePairState;
import org.panamaverbs.ReceiveRequest;
import org.panamaverbs.RemoteMemory;
import org.panamaverbs.SendRequest;
import org.panamaverbs.Verbs;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.cm.Connector;
import org.panamaverbs.cm.Listener;
import org.panamaverbs.spi.SendWorkRequest;

/** Objects close each other in the documented order, also with work in flight; and nothing hangs, crashes or stays behind. */
public abstract class LifetimeContract extends ContractTest {
    private static final int ORDERS = 3;

    @Test
    void shouldCloseEverythingTwice() {
        Link link = connect();
        CompletionChannel channel = client.device.createCompletionChannel();
        CompletionQueue queue = client.device.createCompletionQueue(16, channel);
        ProtectionDomain domain = client.device.allocateProtectionDomain();
        MemoryRegion region = domain.register(client.memory(64), Access.LOCAL_WRITE);
        Connector connector = client.connections().connector(listener().address(), LIMIT);
        for (AutoCloseable object : List.of(region, domain, queue, channel, connector, link.client().queuePair, link.client().connection,
                link.client().sendQueue, link.client().receiveQueue, listener(), link.server().connection, client.verbs, server.verbs)) {
            closeInTime(object);
            closeInTime(object);
        }
    }

    @Test
    void shouldCloseWhatWasNeverUsed() {
        closeInTime(client.connections().connector(listener().address(), LIMIT));
        Connector connector = client.connections().connector(listener().address(), LIMIT);
        QueuePair queuePair = connector.createQueuePair(client.domain, attributes(client));
        closeInTime(connector);
        assertEquals(QueuePairState.CLOSED, queuePair.state());
        Connector other = client.connections().connector(listener().address(), LIMIT);
        QueuePair closedFirst = other.createQueuePair(client.domain, attributes(client));
        closeInTime(closedFirst);
        assertEquals(QueuePairState.CLOSED, closedFirst.state());
        assertClosed(() -> other.connect(Dialer.reads(client, 1, 1), LIMIT));
        closeInTime(other);
        closeInTime(client.device.createCompletionChannel());
        closeInTime(client.queue(1));
        closeInTime(listener());
    }

    @Test
    void shouldCloseARequestThatWasNeverAnswered() {
        Background<Endpoint> dialling = Background.start(dialer()::dial);
        ConnectionRequest request = listener().awaitRequest(LIMIT);
        QueuePair queuePair = request.createQueuePair(server.domain, attributes(server));
        closeInTime(request);
        closeInTime(request);
        assertEquals(QueuePairState.CLOSED, queuePair.state());
        dialling.getThrown(PeerException.class);
        assertClosed(() -> request.accept(Dialer.reads(server, 1, 1), LIMIT));
    }

    @Test
    void shouldFlushWhenAQueuePairCloses() {
        Link link = connect();
        MemoryRegion region = client.region(64);
        for (int i = 0; i < 5; i++) {
            link.client().receive(i, region, 0, 64);
        }
        link.client().send(5, region, 0, 64, SendWorkRequest.MORE);
        closeInTime(link.client().queuePair);
        link.client().received.flushed(0, 1, 2, 3, 4);
        link.client().sent.flushed(5);
        assertEquals(QueuePairState.CLOSED, link.client().queuePair.state());
        assertFalse(link.client().connection.isConnected());
        assertTrue(link.client().connection.awaitDisconnected(Duration.ZERO));
        link.server().awaitDisconnected();
        assertClosedForPosting(link.client().queuePair, region);
    }

    @Test
    void shouldFlushWhenAConnectionCloses() {
        Link link = connect();
        MemoryRegion region = client.region(64);
        for (int i = 0; i < 5; i++) {
            link.client().receive(i, region, 0, 64);
        }
        closeInTime(link.client().connection);
        link.client().received.flushed(0, 1, 2, 3, 4);
        assertEquals(QueuePairState.CLOSED, link.client().queuePair.state());
        link.server().awaitOrderlyEnd();
        assertClosedForPosting(link.client().queuePair, region);
    }

    @Test
    void shouldCloseTheQueuePairsAndRegionsOfADomain() {
        Link link = connect();
        MemoryRegion region = client.region(1 << 20);
        MemoryRegion remote = server.region(1 << 20);
        keepBusy(link.client(), region, remote);
        closeInTime(client.domain);
        assertEquals(QueuePairState.CLOSED, link.client().queuePair.state());
        assertFalse(link.client().connection.isConnected());
        assertFalse(region.isValid());
        assertClosedForPosting(link.client().queuePair, region);
        assertThrows(ClosedException.class, () -> client.domain.register(client.memory(64), Access.LOCAL_WRITE));
        link.server().awaitDisconnected();
        // The device goes on.
        ProtectionDomain next = client.device.allocateProtectionDomain();
        assertTrue(next.register(client.memory(64), Access.LOCAL_WRITE).isValid());
        closeInTime(region);
    }

    @Test
    void shouldCloseTheQueuePairsOfACompletionQueue() {
        Link bySend = connect();
        Link byReceive = connect();
        Link other = connect();
        MemoryRegion region = client.region(1 << 20);
        MemoryRegion remote = server.region(1 << 20);
        keepBusy(bySend.client(), region, remote);
        closeInTime(bySend.client().sendQueue);
        closeInTime(byReceive.client().receiveQueue);
        for (Link link : List.of(bySend, byReceive)) {
            assertEquals(QueuePairState.CLOSED, link.client().queuePair.state());
            assertClosedForPosting(link.client().queuePair, region);
            link.server().awaitDisconnected();
        }
        assertThrows(ClosedException.class, () -> bySend.client().sendQueue.poll(Completions.allocate(1)));
        assertTrue(region.isValid());
        other.exchange(1);
    }

    @Test
    void shouldCloseTheQueuesOfAChannel() {
        CompletionChannel channel = client.device.createCompletionChannel();
        CompletionQueue queue = client.device.createCompletionQueue(256, channel);
        Link link = dialer().clientQueues(queue, queue).connect();
        closeInTime(channel);
        assertThrows(ClosedException.class, () -> queue.poll(Completions.allocate(1)));
        assertEquals(QueuePairState.CLOSED, link.client().queuePair.state());
        link.server().awaitDisconnected();
        assertClosed(() -> queue.requestNotification(false));
    }

    @Test
    void shouldCloseEverythingWithTheVerbs() {
        // The server's, so that listener, request and connection are all there; the client sees the end.
        Link link = connect();
        MemoryRegion region = server.region(1 << 20);
        MemoryRegion remote = client.region(1 << 20);
        keepBusy(link.server(), region, remote);
        CompletionChannel channel = server.device.createCompletionChannel();
        CompletionQueue idle = server.queue(16);
        Listener listener = listener();
        Completions cursor = Completions.allocate(4);
        Completions other = Completions.allocate(4);
        List<Background<?>> waiting = List.of(Background.start(() -> idle.await(cursor, Verbs.FOREVER)),
                Background.start(() -> channel.await(Verbs.FOREVER)), Background.start(() -> listener.awaitRequest(Verbs.FOREVER)));
        Background<Boolean> disconnected = Background.start(() -> link.server().connection.awaitDisconnected(Verbs.FOREVER)).settled();
        waiting.forEach(Background::settled);
        closeInTime(server.verbs);
        waiting.forEach(background -> background.getThrown(ClosedException.class));
        assertTrue(disconnected.get());
        assertEquals(QueuePairState.CLOSED, link.server().queuePair.state());
        assertFalse(region.isValid());
        assertClosedForPosting(link.server().queuePair, region);
        assertThrows(ClosedException.class, () -> idle.poll(other));
        assertThrows(ClosedException.class, () -> idle.await(other, LIMIT));
        assertThrows(ClosedException.class, () -> channel.await(LIMIT));
        assertThrows(ClosedException.class, () -> listener.awaitRequest(LIMIT));
        assertThrows(ClosedException.class, () -> server.domain.register(server.memory(64), Access.LOCAL_WRITE));
        assertThrows(ClosedException.class, () -> server.device.allocateProtectionDomain());
        assertThrows(ClosedException.class, () -> server.device.createCompletionChannel());
        assertThrows(ClosedException.class, () -> server.device.createCompletionQueue(1));
        assertClosed(() -> server.connections().listen(pair().listenAddress(), 1));
        assertClosed(() -> server.connections().connector(listener.address(), LIMIT));
        if (client.verbs != server.verbs) {
            link.client().awaitDisconnected();
        }
    }

    @Test
    void shouldWakeWhoConnectsWhenTheVerbsClose() {
        Connector connector = client.connections().connector(listener().address(), LIMIT);
        QueuePair queuePair = connector.createQueuePair(client.domain, attributes(client));
        Background<Connection> connecting = Background.start(() -> connector.connect(Dialer.reads(client, 1, 1), Verbs.FOREVER));
        listener().awaitRequest(LIMIT);
        closeInTime(client.verbs);
        connecting.getThrown(ClosedException.class);
        assertEquals(QueuePairState.CLOSED, queuePair.state());
    }

    @Test
    void shouldWakeWhoConnectsWhenItsDomainCloses() {
        Connector connector = client.connections().connector(listener().address(), LIMIT);
        QueuePair queuePair = connector.createQueuePair(client.domain, attributes(client));
        Background<Connection> connecting = Background.start(() -> connector.connect(Dialer.reads(client, 1, 1), Verbs.FOREVER));
        listener().awaitRequest(LIMIT);
        closeInTime(client.domain);
        connecting.getThrown(ClosedException.class);
        assertEquals(QueuePairState.CLOSED, queuePair.state());
    }

    @RepeatedTest(ORDERS)
    void shouldCloseInAnyOrderWithWorkInFlight(RepetitionInfo repetition) throws Exception {
        closeInOrder(1 + repetition.getCurrentRepetition());
    }

    /** Some orders take 2 s, in which the peer may end its direction. */
    @RepeatedTest(17)
    @Tag("proofs")
    void shouldCloseInManyOrdersWithWorkInFlight(RepetitionInfo repetition) throws Exception {
        closeInOrder(1 + ORDERS + repetition.getCurrentRepetition());
    }

    private void closeInOrder(int seed) throws Exception {
        Side own = openClient();
        CompletionChannel channel = own.device.createCompletionChannel();
        CompletionQueue sendQueue = own.device.createCompletionQueue(256, channel);
        CompletionQueue receiveQueue = own.queue(256);
        Link link = dialer(own).clientQueues(sendQueue, receiveQueue).connect();
        MemoryRegion region = own.region(1 << 20);
        MemoryRegion remote = server.region(1 << 20);
        keepBusy(link.client(), region, remote);
        keepBusy(link.server(), remote, region);
        Connector unconnected = own.connections().connector(listener().address(), LIMIT);
        unconnected.createQueuePair(own.domain, attributes(own));
        List<AutoCloseable> objects = new ArrayList<>(List.of(region, link.client().queuePair, link.client().connection, sendQueue,
                receiveQueue, channel, own.domain, own.verbs, unconnected));
        Collections.shuffle(objects, new Random(seed));
        for (AutoCloseable object : objects) {
            closeInTime(object);
        }
        assertEquals(QueuePairState.CLOSED, link.client().queuePair.state());
        assertClosedForPosting(link.client().queuePair, region);
        assertThrows(ClosedException.class, () -> sendQueue.poll(Completions.allocate(1)));
        assertThrows(ClosedException.class, () -> own.domain.register(own.memory(8), Access.LOCAL_WRITE));
        if (server.verbs != own.verbs) {
            link.server().awaitDisconnected();
        }
    }

    @RepeatedTest(5)
    void shouldCloseAllAtOnceFromManyThreads(RepetitionInfo repetition) {
        Side own = openClient();
        Link link = dialer(own).connect();
        MemoryRegion region = own.region(1 << 20);
        MemoryRegion remote = server.region(1 << 20);
        keepBusy(link.client(), region, remote);
        List<Background<Void>> closing = new ArrayList<>();
        List<AutoCloseable> objects = new ArrayList<>(List.of(region, link.client().queuePair, link.client().connection,
                link.client().sendQueue, link.client().receiveQueue, own.domain, own.verbs, own.verbs));
        Collections.shuffle(objects, new Random(repetition.getCurrentRepetition()));
        for (AutoCloseable object : objects) {
            closing.add(Background.start(() -> {
                object.close();
                return null;
            }));
        }
        closing.forEach(Background::get);
        assertEquals(QueuePairState.CLOSED, link.client().queuePair.state());
        if (server.verbs != own.verbs) {
            link.server().awaitDisconnected();
        }
    }

    @Test
    void shouldCloseWhileOthersPostAndPoll() {
        for (int round = 0; round < 5; round++) {
            Side own = openClient();
            Link link = dialer(own).connect();
            MemoryRegion region = own.region(64);
            MemoryRegion remote = server.region(64);
            List<Background<Throwable>> busy = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                busy.add(Background.start(() -> untilThrown(() -> link.client().queuePair
                        .tryPost(new SendRequest().write(1).local(region, 0, 64).remote(remote.remote(), 0)))));
            }
            Completions cursor = Completions.allocate(16);
            busy.add(Background.start(() -> untilThrown(() -> link.client().sendQueue.poll(cursor))));
            busy.add(Background.start(() -> untilThrown(() -> own.domain.register(own.memory(64), Access.LOCAL_WRITE).close())));
            busy.forEach(Background::settled);
            closeInTime(own.verbs);
            for (Background<Throwable> background : busy) {
                Throwable thrown = background.get();
                assertTrue(thrown instanceof IllegalStateException || thrown instanceof ClosedException, () -> "threw " + thrown);
            }
        }
    }

    private static Throwable untilThrown(Executable action) {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (System.nanoTime() - deadline < 0) {
            try {
                action.execute();
            } catch (Throwable thrown) {
                return thrown;
            }
        }
        return new AssertionError("nothing was thrown");
    }

    @Test
    void shouldStopItsThreads() {
        Set<Thread> before = threads();
        Verbs verbs = pair().openClient();
        Assumptions.assumeTrue(verbs != client.verbs, "the pair has one Verbs only");
        Side own = new Side("client", verbs);
        dialer(own).connect().exchange(1);
        own.close();
        long deadline = System.nanoTime() + LIMIT.toNanos();
        Set<Thread> left = left(before);
        while (!left.isEmpty() && System.nanoTime() - deadline < 0) {
            Thread.onSpinWait();
            left = left(before);
        }
        if (!left.isEmpty()) {
            fail("threads go on after close: " + left);
        }
    }

    private static Set<Thread> threads() {
        return new HashSet<>(Thread.getAllStackTraces().keySet());
    }

    /** Threads that run code of the library, not of its tests, and were not there before. */
    private static Set<Thread> left(Set<Thread> before) {
        Set<Thread> left = new HashSet<>();
        Thread.getAllStackTraces().forEach((thread, stack) -> {
            if (!before.contains(thread) && thread != Thread.currentThread()
                    && Arrays.stream(stack).anyMatch(frame -> frame.getClassName().startsWith("org.panamaverbs."))
                    && Arrays.stream(stack).noneMatch(frame -> frame.getClassName().startsWith("org.panamaverbs.contract."))) {
                left.add(thread);
            }
        });
        return left;
    }

    @Test
    void shouldGiveBackItsFileDescriptors() throws IOException {
        Assumptions.assumeTrue(Files.isDirectory(Path.of("/proc/self/fd")), "file descriptors cannot be counted on this system");
        openAndClose();
        long before = descriptors();
        for (int i = 0; i < 10; i++) {
            openAndClose();
        }
        // The server's end of a connection goes when it sees the client's go.
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (descriptors() > before + 5 && System.nanoTime() - deadline < 0) {
            Thread.onSpinWait();
        }
        assertTrue(descriptors() <= before + 5, "file descriptors before " + before + ", after ten more clients " + descriptors());
    }

    private void openAndClose() {
        Verbs verbs = pair().openClient();
        Assumptions.assumeTrue(verbs != client.verbs, "the pair has one Verbs only");
        try (Side own = new Side("client", verbs)) {
            Link link = dialer(own).connect();
            link.exchange(1);
            link.close();
            // The server lives on, and a completion queue of a device has descriptors.
            link.server().sendQueue.close();
            link.server().receiveQueue.close();
        }
    }

    private static long descriptors() throws IOException {
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            return open.count();
        }
    }

    @Test
    void shouldNotDisturbOthersWithTheEndOfOneClient() {
        Side own = openClient();
        Link link = connect();
        Link lost = dialer(own).connect();
        Assumptions.assumeTrue(own.verbs != client.verbs, "the pair has one Verbs only");
        MemoryRegion region = own.region(1 << 20);
        MemoryRegion remote = server.region(1 << 20);
        keepBusy(lost.client(), region, remote);
        closeInTime(own.verbs);
        lost.server().awaitDisconnected();
        link.exchange(1);
        connect().exchange(2);
    }

    private QueuePairAttributes attributes(Side side) {
        return QueuePairAttributes.of(side.queue(256)).withInline(0);
    }

    /** Has some of everything in flight: long Writes and Reads, receives that nothing fills, and a request that is kept. */
    private static void keepBusy(Endpoint end, MemoryRegion local, MemoryRegion remote) {
        for (int i = 0; i < 10; i++) {
            end.receive(100 + i, local, 0, 64);
            end.write(i, local, 0, local.length(), remote, 0);
            end.read(20 + i, local, 0, local.length(), remote, 0);
        }
        end.write(30, local, 0, 64, remote, 0, SendWorkRequest.MORE);
    }

    private static void closeInTime(AutoCloseable object) {
        Background.start(() -> {
            object.close();
            return null;
        }).get();
    }

    private static void assertClosedForPosting(QueuePair queuePair, MemoryRegion region) {
        assertNotPosted(() -> queuePair.tryPost(new SendRequest().send(1).local(region, 0, 1)));
        assertNotPosted(() -> queuePair.tryPost(new ReceiveRequest().receive(1).local(region, 0, 1)));
        assertNotPosted(
                () -> queuePair.tryPost(new SendRequest().write(1).local(region, 0, 1).remote(new RemoteMemory(0, 0, Long.MAX_VALUE), 0)));
        assertNotPosted(
                () -> queuePair.tryPost(new SendRequest().read(1).local(region, 0, 1).remote(new RemoteMemory(0, 0, Long.MAX_VALUE), 0)));
    }

    private static void assertClosed(Executable action) {
        assertThrows(ClosedException.class, action);
    }
}
