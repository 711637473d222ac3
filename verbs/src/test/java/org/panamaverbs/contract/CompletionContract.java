package org.panamaverbs.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.panamaverbs.Capability;
import org.panamaverbs.ClosedException;
import org.panamaverbs.CompletionChannel;
import org.panamaverbs.CompletionOpcode;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.Completions;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.QueuePairState;
import org.panamaverbs.ReceiveRequest;
import org.panamaverbs.ResourceException;
import org.panamaverbs.ScatterGatherList;
import org.panamaverbs.SendRequest;
import org.panamaverbs.Verbs;
import org.panamaverbs.VerbsTimeoutException;
import org.panamaverbs.spi.SendWorkRequest;

/** Completion queues and channels: what completes visibly, how it is polled, awaited and notified. */
public abstract class CompletionContract extends ContractTest {
    @Test
    void shouldCompleteUnsignalledRequestsSilently() {
        Link link = connect();
        MemoryRegion local = client.region(64);
        MemoryRegion remote = server.region(64);
        link.server().receive(1, remote, 0, 64);
        link.client().send(1, local, 0, 64, 0);
        link.client().write(2, local, 0, 64, remote, 0, 0);
        link.client().read(3, local, 0, 64, remote, 0, 0);
        link.client().write(4, local, 0, 64, remote, 0, SendWorkRequest.SIGNALED);
        link.client().sent.next().succeeded(4, CompletionOpcode.WRITE);
        link.client().sent.nothing();
        link.server().received.next().received(1, 64);
    }

    @Test
    void shouldCompleteEverythingVisiblyWhereAllAreSignalled() {
        Link link = dialer().clientAttributes(a -> a.withSignalAll(true)).connect();
        MemoryRegion local = client.region(64);
        MemoryRegion remote = server.region(64);
        link.server().receive(1, remote, 0, 64);
        link.client().send(1, local, 0, 64, 0);
        link.client().write(2, local, 0, 64, remote, 0, 0);
        link.client().read(3, local, 0, 64, remote, 0, 0);
        link.client().sent.next().succeeded(1, CompletionOpcode.SEND);
        link.client().sent.next().succeeded(2, CompletionOpcode.WRITE);
        link.client().sent.next().succeeded(3, CompletionOpcode.READ);
    }

    @Test
    void shouldRepeatAnyIdAndTheNumberOfTheQueuePair() {
        Link link = connect();
        MemoryRegion local = client.region(64);
        MemoryRegion remote = server.region(64);
        for (long id : new long[] { 0, -1, Long.MIN_VALUE, Long.MAX_VALUE, 0x0123456789ABCDEFL }) {
            link.server().receive(~id, remote, 0, 64);
            link.client().send(id, local, 0, 64);
            assertEquals(link.client().queuePair.number(),
                    link.client().sent.next().succeeded(id, CompletionOpcode.SEND).queuePairNumber());
            assertEquals(link.server().queuePair.number(), link.server().received.next().received(~id, 64).queuePairNumber());
        }
    }

    @Test
    void shouldTellTheQueuePairsOfASharedQueueApart() {
        CompletionQueue shared = server.queue(256);
        List<Link> links = new ArrayList<>();
        Map<Integer, Integer> expected = new HashMap<>();
        MemoryRegion local = client.region(64);
        MemoryRegion remote = server.region(64);
        for (int i = 0; i < 8; i++) {
            Link link = dialer().serverQueues(shared, shared).connect();
            links.add(link);
            link.server().receive(i, remote, 0, 64);
            expected.put(link.server().queuePair.number(), i);
        }
        assertEquals(8, expected.size(), "queue pairs have numbers of their own");
        for (Link link : links) {
            link.client().send(1, local, 0, 64);
        }
        CompletionReader reader = links.getFirst().server().received;
        for (Completed completed : reader.next(8)) {
            assertEquals(expected.remove(completed.queuePairNumber()).longValue(), completed.id());
        }
        assertTrue(expected.isEmpty());
    }

    @Test
    void shouldCompleteSendsAndReceivesInOneQueue() {
        CompletionQueue shared = client.queue(64);
        Link link = dialer().clientQueues(shared, shared).connect();
        MemoryRegion local = client.region(64);
        MemoryRegion remote = server.region(64);
        link.client().receive(1, local, 0, 64);
        link.server().receive(2, remote, 0, 64);
        link.client().send(3, local, 0, 64);
        link.client().sent.next().succeeded(3, CompletionOpcode.SEND);
        link.server().send(4, remote, 0, 64);
        link.client().sent.next().received(1, 64);
    }

    @Test
    void shouldPollNothingWhereThereIsNothing() {
        CompletionQueue queue = client.queue(16);
        Completions cursor = Completions.allocate(4);
        assertEquals(0, queue.poll(cursor));
        assertEquals(0, cursor.count());
        assertFalse(cursor.next());
    }

    @Test
    void shouldPollNoMoreThanThereIsRoomForAndKeepTheRest() {
        Link link = connect();
        MemoryRegion local = client.region(64);
        MemoryRegion remote = server.region(64);
        for (int i = 0; i < 10; i++) {
            link.client().write(i, local, 0, 64, remote, 0);
        }
        Completions cursor = Completions.allocate(3);
        int seen = 0;
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (seen < 10) {
            int count = link.client().sendQueue.poll(cursor);
            assertTrue(count >= 0 && count <= 3, () -> "polled " + count + " with room for 3");
            assertEquals(count, cursor.count());
            for (int i = 0; i < count; i++) {
                assertTrue(cursor.next());
                Completed.of(cursor).succeeded(seen++, CompletionOpcode.WRITE);
            }
            assertFalse(cursor.next());
            assertTrue(System.nanoTime() - deadline < 0, "the rest of the completions is lost");
        }
    }

    @Test
    void shouldForgetTheLastPollInTheNext() {
        Link link = connect();
        MemoryRegion local = client.region(64);
        MemoryRegion remote = server.region(64);
        Completions cursor = Completions.allocate(4);
        link.client().write(1, local, 0, 64, remote, 0);
        assertEquals(1, link.client().sendQueue.await(cursor, LIMIT));
        cursor.clear();
        assertEquals(0, link.client().sendQueue.poll(cursor));
        assertFalse(cursor.next());
    }

    @Test
    void shouldGiveUpWaitingWhenTheTimeIsUp() {
        CompletionQueue queue = client.queue(16);
        Completions cursor = Completions.allocate(4);
        Duration limit = Duration.ofMillis(200);
        long start = System.nanoTime();
        assertEquals(0, queue.await(cursor, limit));
        Duration elapsed = Duration.ofNanos(System.nanoTime() - start);
        assertTrue(elapsed.plusMillis(20).compareTo(limit) >= 0, () -> "gave up after " + elapsed + " already");
        assertTrue(elapsed.compareTo(LIMIT) < 0, () -> "gave up after " + elapsed + " only");
        assertFalse(cursor.next());
        assertEquals(0, queue.await(cursor, Duration.ZERO));
    }

    @Test
    void shouldWakeWhoWaitsForACompletion() {
        Link link = connect();
        MemoryRegion local = client.region(64);
        MemoryRegion remote = server.region(64);
        link.server().receive(1, remote, 0, 64);
        Completions cursor = Completions.allocate(4);
        Background<Integer> waiting = Background.start(() -> link.server().receiveQueue.await(cursor, Verbs.FOREVER)).settled();
        assertFalse(waiting.isDone());
        link.client().send(2, local, 0, 64);
        assertEquals(1, waiting.get());
        assertTrue(cursor.next());
        Completed.of(cursor).received(1, 64);
    }

    @Test
    void shouldWakeWhoWaitsWhenTheQueueCloses() {
        CompletionQueue queue = client.queue(16);
        Completions cursor = Completions.allocate(4);
        Background<Integer> waiting = Background.start(() -> queue.await(cursor, Verbs.FOREVER)).settled();
        queue.close();
        waiting.getThrown(ClosedException.class);
        assertThrows(ClosedException.class, () -> queue.poll(cursor));
        assertThrows(ClosedException.class, () -> queue.await(cursor, LIMIT));
    }

    @Test
    void shouldHoldAtLeastWhatWasAskedFor() {
        for (int entries : new int[] { 1, 2, 3, 100, 1000 }) {
            CompletionQueue queue = client.queue(entries);
            assertTrue(queue.capacity() >= entries, () -> queue.capacity() + " is less than " + entries);
            assertSame(client.device, queue.device());
        }
    }

    @Test
    void shouldRefuseQueuesOfNoOrTooManyEntries() {
        assertThrows(IllegalArgumentException.class, () -> client.queue(0));
        assertThrows(IllegalArgumentException.class, () -> client.queue(-1));
        int most = client.device.attributes().maximumCompletionQueueEntries();
        if (most < Integer.MAX_VALUE) {
            assertThrows(IllegalArgumentException.class, () -> client.queue(most + 1));
        }
    }

    @Test
    void shouldRefuseToResizeWhereTheDeviceCannot() {
        CompletionQueue queue = client.queue(16);
        assertRefuses(client.device, Capability.RESIZE_COMPLETION_QUEUE, () -> queue.resize(32));
    }

    @Test
    void shouldBreakWhereItOverruns() {
        CompletionQueue small = client.queue(1);
        int capacity = small.capacity();
        int depth = capacity + 1;
        assumeAtLeast(client.device.attributes().maximumWorkRequests(), depth, "maximumWorkRequests");
        Link link = dialer().clientQueues(small, client.queue(256)).clientAttributes(a -> a.withDepths(depth, 8)).connect();
        MemoryRegion local = client.region(64);
        MemoryRegion remote = server.region(64);
        for (int i = 0; i <= capacity; i++) {
            link.client().write(i, local, 0, 64, remote, 0);
        }
        // The queue pair breaks with its queue.
        link.client().awaitFailure();
        link.server().awaitDisconnected();
        Completions cursor = Completions.allocate(1);
        assertThrows(ResourceException.class, () -> {
            for (int i = 0; i <= capacity; i++) {
                small.poll(cursor);
                cursor.clear();
            }
        });
        assertThrows(ResourceException.class, () -> small.await(cursor, LIMIT));
        assertEquals(1, small.statistics().overruns().orElse(1), small.statistics()::describe);
        small.close();
        assertThrows(ClosedException.class, () -> small.poll(cursor));
        // Others do not.
        connect().exchange(1);
    }

    @Test
    void shouldNotifyOfTheNextCompletionOnce() {
        Notified notified = new Notified();
        assertThrows(VerbsTimeoutException.class, () -> notified.channel.await(MOMENT), "nobody asked for an event");
        notified.queue.requestNotification(false);
        assertThrows(VerbsTimeoutException.class, () -> notified.channel.await(MOMENT), "nothing completed");
        notified.send(1, 0);
        assertSame(notified.queue, notified.channel.await(LIMIT));
        notified.send(2, 0);
        assertThrows(VerbsTimeoutException.class, () -> notified.channel.await(MOMENT), "one event was asked for");
        notified.received(1);
        notified.received(2);
        notified.queue.requestNotification(false);
        notified.send(3, 0);
        assertSame(notified.queue, notified.channel.await(LIMIT));
        notified.received(3);
    }

    @Test
    void shouldNotNotifyOfCompletionsThatAreThereAlready() {
        Notified notified = new Notified();
        notified.send(1, 0);
        notified.arrived();
        notified.queue.requestNotification(false);
        assertThrows(VerbsTimeoutException.class, () -> notified.channel.await(MOMENT), "what is there already raises no event");
        notified.received(1);
        notified.send(2, 0);
        assertSame(notified.queue, notified.channel.await(LIMIT));
        notified.received(2);
    }

    @Test
    void shouldNotifyOfSolicitedReceivesOnlyWhereAsked() {
        Notified notified = new Notified();
        notified.queue.requestNotification(true);
        notified.send(1, 0);
        notified.arrived();
        assertThrows(VerbsTimeoutException.class, () -> notified.channel.await(MOMENT), "the Send was not solicited");
        notified.send(2, SendWorkRequest.SOLICITED);
        assertSame(notified.queue, notified.channel.await(LIMIT));
        notified.received(1);
        notified.received(2);
    }

    @Test
    void shouldNotifyOfSolicitedReceivesWhereAskedForAll() {
        Notified notified = new Notified();
        notified.queue.requestNotification(false);
        notified.send(1, SendWorkRequest.SOLICITED);
        assertSame(notified.queue, notified.channel.await(LIMIT));
        notified.received(1);
    }

    @Test
    void shouldNotifyOfFailuresWhereAskedForSolicitedOnly() {
        Notified notified = new Notified();
        notified.queue.requestNotification(true);
        notified.link.client().connection.disconnect();
        assertSame(notified.queue, notified.channel.await(LIMIT));
        Completed flushed = notified.reader.next();
        assertEquals(CompletionStatus.FLUSHED, flushed.status());
    }

    @Test
    void shouldTellWhichQueueOfTheChannelIsMeant() {
        CompletionChannel channel = server.device.createCompletionChannel();
        CompletionQueue first = server.device.createCompletionQueue(64, channel);
        CompletionQueue second = server.device.createCompletionQueue(64, channel);
        Link toFirst = dialer().serverQueues(server.queue(64), first).serverAttributes(a -> a.withDepths(8, 8)).connect();
        Link toSecond = dialer().serverQueues(server.queue(64), second).serverAttributes(a -> a.withDepths(8, 8)).connect();
        MemoryRegion local = client.region(64);
        MemoryRegion remote = server.region(64);
        toFirst.server().receive(1, remote, 0, 64);
        toSecond.server().receive(2, remote, 0, 64);
        first.requestNotification(false);
        second.requestNotification(false);
        toSecond.client().send(3, local, 0, 64);
        assertSame(second, channel.await(LIMIT));
        assertThrows(VerbsTimeoutException.class, () -> channel.await(MOMENT));
        toFirst.client().send(4, local, 0, 64);
        assertSame(first, channel.await(LIMIT));
    }

    @Test
    void shouldGiveUpWaitingForAnEventWhenTheTimeIsUp() {
        CompletionChannel channel = client.device.createCompletionChannel();
        long start = System.nanoTime();
        assertThrows(VerbsTimeoutException.class, () -> channel.await(Duration.ofMillis(200)));
        Duration elapsed = Duration.ofNanos(System.nanoTime() - start);
        assertTrue(elapsed.toMillis() >= 180 && elapsed.compareTo(LIMIT) < 0, () -> "gave up after " + elapsed);
        assertThrows(VerbsTimeoutException.class, () -> channel.await(Duration.ZERO));
    }

    @Test
    void shouldWakeWhoWaitsForAnEvent() {
        Notified notified = new Notified();
        notified.queue.requestNotification(false);
        Background<CompletionQueue> waiting = Background.start(() -> notified.channel.await(Verbs.FOREVER)).settled();
        assertFalse(waiting.isDone());
        notified.send(1, 0);
        assertSame(notified.queue, waiting.get());
    }

    @Test
    void shouldWakeWhoWaitsWhenTheChannelCloses() {
        CompletionChannel channel = client.device.createCompletionChannel();
        CompletionQueue queue = client.device.createCompletionQueue(16, channel);
        Background<CompletionQueue> waiting = Background.start(() -> channel.await(Verbs.FOREVER)).settled();
        channel.close();
        waiting.getThrown(ClosedException.class);
        assertThrows(ClosedException.class, () -> channel.await(LIMIT));
        assertThrows(ClosedException.class, () -> queue.poll(Completions.allocate(1)));
    }

    @Test
    void shouldKeepTheChannelWhenItsQueueCloses() {
        CompletionChannel channel = client.device.createCompletionChannel();
        CompletionQueue queue = client.device.createCompletionQueue(16, channel);
        queue.requestNotification(false);
        queue.close();
        assertThrows(VerbsTimeoutException.class, () -> channel.await(MOMENT));
        assertNotNull(client.device.createCompletionQueue(16, channel));
    }

    @Test
    void shouldAwaitCompletionsOfAQueueWithAChannelToo() {
        CompletionChannel channel = server.device.createCompletionChannel();
        CompletionQueue queue = server.device.createCompletionQueue(64, channel);
        Link link = dialer().serverQueues(server.queue(64), queue).serverAttributes(a -> a.withDepths(8, 8)).connect();
        MemoryRegion remote = server.region(64);
        link.server().receive(1, remote, 0, 64);
        Completions cursor = Completions.allocate(4);
        Background<Integer> waiting = Background.start(() -> queue.await(cursor, LIMIT)).settled();
        link.client().send(2, client.region(64), 0, 64);
        assertEquals(1, waiting.get());
    }

    @Test
    void shouldRefuseNotificationWithoutAChannel() {
        assertThrows(IllegalStateException.class, () -> client.queue(16).requestNotification(false));
    }

    @Test
    void shouldRefuseAChannelOfAnotherDevice() {
        Side other = openClient();
        Assumptions.assumeTrue(other.device != client.device, "the pair has one device only");
        CompletionChannel foreign = other.device.createCompletionChannel();
        assertThrows(IllegalArgumentException.class, () -> client.device.createCompletionQueue(16, foreign));
    }

    @Test
    void shouldLoseNoEventBetweenAskingAndPolling() {
        // The way a program uses a channel: ask, poll once more, wait. No completion may be missed.
        Notified notified = new Notified();
        Semaphore receives = new Semaphore(64);
        Background<Void> sending = Background.start(() -> {
            for (int i = 0; i < 500; i++) {
                assertTrue(receives.tryAcquire(LIMIT.toMillis(), TimeUnit.MILLISECONDS), "no receive is free");
                notified.send(i, 0);
            }
            return null;
        });
        int seen = 0;
        while (seen < 500) {
            notified.queue.requestNotification(false);
            Completed completed;
            int before = seen;
            while ((completed = notified.reader.nextWithin(Duration.ZERO)) != null) {
                completed.received(seen++, 64);
                notified.link.server().receive(seen + 63, notified.remote, 0, 64);
                receives.release();
            }
            if (seen == before) {
                awaitEvent(notified, seen);
            }
        }
        sending.get();
    }

    private static void awaitEvent(Notified notified, int seen) {
        try {
            notified.channel.await(LIMIT);
        } catch (VerbsTimeoutException e) {
            fail("an event was lost after " + seen + " receives; " + notified.link.server(), e);
        }
    }

    /** A connection whose server completes receives in a queue that reports to a channel. */
    private final class Notified {
        final CompletionChannel channel = server.device.createCompletionChannel();
        final CompletionQueue queue = server.device.createCompletionQueue(256, channel);
        final Link link = dialer().serverQueues(server.queue(64), queue).serverAttributes(a -> a.withDepths(64, 128)).connect();
        final MemoryRegion local = client.region(64);
        final MemoryRegion remote = server.region(64);
        final CompletionReader reader = new CompletionReader(queue, server.arena, true, () -> "receives of " + link.server());

        Notified() {
            for (int i = 0; i < 64; i++) {
                link.server().queuePair.post(new ReceiveRequest().receive(i).local(remote, 0, 64));
            }
        }

        /** Sends 64 bytes and waits until that completed here; ids count the receives from 0, so they must come in order. */
        void send(long id, int flags) {
            link.client().send(id, local, 0, 64, flags | SendWorkRequest.SIGNALED);
            link.client().sent.next().succeeded(id, CompletionOpcode.SEND);
        }

        /** Waits until what was sent completed there: a Read is served only after it (RFC 5040, Figure 17). */
        void arrived() {
            link.client().read(-1, local, 0, 64, remote, 0);
            link.client().sent.next().succeeded(-1, CompletionOpcode.READ);
        }

        /** Polls the receive that a Send filled. */
        void received(long id) {
            Completed completed = reader.next();
            assertEquals(CompletionStatus.SUCCESS, completed.status(), () -> "receive of Send " + id);
            assertEquals(CompletionOpcode.RECEIVE, completed.opcode());
        }
    }

    @Test
    void shouldRefuseNull() {
        assertThrows(NullPointerException.class, () -> client.queue(16).poll(null));
        assertThrows(NullPointerException.class, () -> client.queue(16).await(null, LIMIT));
        assertThrows(NullPointerException.class, () -> client.queue(16).await(Completions.allocate(1), null));
        assertThrows(NullPointerException.class, () -> client.device.createCompletionQueue(16, (CompletionChannel) null));
        assertThrows(NullPointerException.class, () -> client.device.createCompletionChannel().await(null));
    }

    @Test
    void shouldTellTheStateAfterAFlush() {
        Link link = connect();
        MemoryRegion region = client.region(64);
        link.client().receive(1, region, 0, 64);
        link.client().connection.disconnect();
        link.client().received.flushed(1);
        assertEquals(QueuePairState.ERROR, link.client().queuePair.state());
        link.client().queuePair.post(new SendRequest().send(2).local(new ScatterGatherList(1)));
        link.client().sent.flushed(2);
    }
}
