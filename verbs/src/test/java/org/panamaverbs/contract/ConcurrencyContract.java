package org.panamaverbs.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.panamaverbs.ClosedException;
import org.panamaverbs.CompletionOpcode;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.Completions;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ReceiveRequest;
import org.panamaverbs.SendRequest;
import org.panamaverbs.Verbs;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.spi.SendWorkRequest;

/** Many threads and many connections at once. */
public abstract class ConcurrencyContract extends ContractTest {
    @Test
    void shouldLetManyThreadsPostOnOneQueuePair() {
        int threads = 6;
        int each = 300;
        Link link = dialer().entries(threads * each + 16).attributes(a -> a.withDepths(64, threads * each)).connect();
        MemoryRegion from = client.region(threads * each * 16L);
        MemoryRegion to = server.region(threads * each * 16L);
        for (int i = 0; i < threads * each; i++) {
            link.server().receive(i, to, i * 16L, 16);
        }
        List<Background<Void>> posting = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            int thread = t;
            posting.add(Background.start(() -> {
                for (int i = 0; i < each; i++) {
                    long offset = (thread * each + i) * 16L;
                    from.segment().set(ValueLayout.JAVA_LONG_UNALIGNED, offset, thread);
                    from.segment().set(ValueLayout.JAVA_LONG_UNALIGNED, offset + 8, i);
                    // The queue is shorter than what is posted: a thread that finds it full tries again while this thread polls.
                    long deadline = System.nanoTime() + LIMIT.toNanos();
                    while (!link.client().queuePair
                            .tryPost(new SendRequest().send((long) thread << 32 | i).local(from, offset, 16).signaled())) {
                        assertTrue(System.nanoTime() - deadline < 0, "there was never room");
                        Thread.onSpinWait();
                    }
                }
                return null;
            }));
        }
        int[] next = new int[threads];
        for (int i = 0; i < threads * each; i++) {
            Completed sent = link.client().sent.next();
            assertEquals(CompletionStatus.SUCCESS, sent.status(), () -> sent + "; " + link.client());
            int thread = (int) (sent.id() >>> 32);
            assertEquals(next[thread]++, (int) sent.id(), "what one thread posts completes in order");
        }
        posting.forEach(Background::get);
        int[] arrived = new int[threads];
        for (int i = 0; i < threads * each; i++) {
            link.server().received.next().received(i, 16);
            int thread = (int) to.segment().get(ValueLayout.JAVA_LONG_UNALIGNED, i * 16L);
            assertEquals(arrived[thread]++, to.segment().get(ValueLayout.JAVA_LONG_UNALIGNED, i * 16L + 8),
                    "what one thread posts arrives in order");
        }
    }

    @Test
    void shouldLetManyThreadsReadAndWriteOnOneQueuePair() {
        int threads = 4;
        int each = 100;
        int size = 3000;
        Link link = dialer().entries(2 * threads * each + 16).attributes(a -> a.withDepths(2 * threads * each, 8)).connect();
        MemoryRegion remote = server.region((long) threads * each * size);
        MemoryRegion local = client.region((long) threads * each * size);
        MemoryRegion back = client.region((long) threads * each * size);
        Pattern.fill(local.segment(), 0, local.length(), 1);
        List<Background<Void>> posting = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            int thread = t;
            posting.add(Background.start(() -> {
                for (int i = 0; i < each; i++) {
                    long offset = (long) (thread * each + i) * size;
                    link.client().write(i, local, offset, size, remote, offset);
                    link.client().read(i, back, offset, size, remote, offset);
                }
                return null;
            }));
        }
        for (int i = 0; i < 2 * threads * each; i++) {
            Completed done = link.client().sent.next();
            assertTrue(done.isSuccess(), done::toString);
        }
        posting.forEach(Background::get);
        Pattern.verify(back.segment(), 0, back.length(), 1);
    }

    @Test
    void shouldLetManyThreadsPostReceives() {
        int threads = 4;
        int each = 200;
        Link link = dialer().entries(threads * each + 16).attributes(a -> a.withDepths(threads * each, threads * each)).connect();
        MemoryRegion to = server.region(64);
        List<Background<Void>> posting = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            int thread = t;
            posting.add(Background.start(() -> {
                for (int i = 0; i < each; i++) {
                    link.server().receive(thread * each + i, to, 0, 64);
                }
                return null;
            }));
        }
        posting.forEach(Background::get);
        MemoryRegion from = client.region(64);
        Set<Long> seen = ConcurrentHashMap.newKeySet();
        for (int i = 0; i < threads * each; i++) {
            link.client().send(i, from, 0, 8);
        }
        for (int i = 0; i < threads * each; i++) {
            Completed received = link.server().received.next();
            assertTrue(received.isSuccess() && seen.add(received.id()), () -> "again, or failed: " + received);
        }
    }

    @Test
    void shouldGiveEachCompletionToOneOfManyWaiters() {
        int waiters = 4;
        int messages = 400;
        Link link = dialer().attributes(a -> a.withDepths(messages, messages)).connect();
        MemoryRegion to = server.region(64);
        MemoryRegion from = client.region(64);
        for (int i = 0; i < messages; i++) {
            link.server().receive(i, to, 0, 64);
        }
        Set<Long> seen = ConcurrentHashMap.newKeySet();
        AtomicInteger count = new AtomicInteger();
        List<Background<Void>> waiting = new ArrayList<>();
        for (int i = 0; i < waiters; i++) {
            waiting.add(Background.start(() -> {
                Completions cursor = Completions.allocate(3);
                while (count.get() < messages) {
                    link.server().receiveQueue.await(cursor, MOMENT);
                    while (cursor.next()) {
                        assertTrue(cursor.isSuccess(), () -> cursor.status().text());
                        assertTrue(seen.add(cursor.id()), () -> "two threads got completion " + cursor.id());
                        count.incrementAndGet();
                    }
                }
                return null;
            }));
        }
        for (int i = 0; i < messages; i++) {
            link.client().send(i, from, 0, 64, i % 3 == 0 ? SendWorkRequest.SIGNALED : 0);
        }
        waiting.forEach(Background::get);
        assertEquals(messages, seen.size());
    }

    @Test
    void shouldCarryManyConnectionsAtOnce() {
        int connections = 64;
        assumeAtLeast(client.device.attributes().maximumQueuePairs(), connections, "maximumQueuePairs");
        List<Link> links = new ArrayList<>();
        for (int i = 0; i < connections; i++) {
            links.add(dialer().entries(32).attributes(a -> a.withDepths(8, 8)).connect());
        }
        int size = 40_000;
        List<MemoryRegion> targets = new ArrayList<>();
        for (int i = 0; i < connections; i++) {
            MemoryRegion from = client.region(size);
            MemoryRegion to = server.region(2L * size);
            targets.add(to);
            Pattern.fill(from.segment(), 0, size, i);
            links.get(i).server().receive(1, to, 0, size);
            links.get(i).client().write(2, from, 0, size, to, size);
            links.get(i).client().send(3, from, 0, size);
        }
        for (int i = 0; i < connections; i++) {
            links.get(i).server().received.next().received(1, size);
            links.get(i).client().sent.next().succeeded(2, CompletionOpcode.WRITE);
            links.get(i).client().sent.next().succeeded(3, CompletionOpcode.SEND);
            Pattern.verify(targets.get(i).segment(), 0, size, i);
            Pattern.verify(targets.get(i).segment(), size, size, i);
        }
        for (int i = 0; i < connections; i += 2) {
            links.get(i).close();
        }
        for (int i = 1; i < connections; i += 2) {
            links.get(i).exchange(1);
        }
    }

    @Test
    void shouldConnectManyAtTheSameTime() {
        int connections = 32;
        assumeAtLeast(client.device.attributes().maximumQueuePairs(), connections, "maximumQueuePairs");
        listener();
        List<Background<Endpoint>> accepting = new ArrayList<>();
        List<Background<Endpoint>> dialling = new ArrayList<>();
        for (int i = 0; i < connections; i++) {
            accepting.add(Background.start(dialer().entries(32).attributes(a -> a.withDepths(8, 8))::accept));
            dialling.add(Background.start(dialer().entries(32).attributes(a -> a.withDepths(8, 8))::dial));
        }
        List<Endpoint> servers = new ArrayList<>(accepting.stream().map(Background::get).toList());
        for (Background<Endpoint> background : dialling) {
            Endpoint active = background.get();
            Endpoint passive = servers.stream().filter(end -> end.connection.remoteAddress().equals(active.connection.localAddress()))
                    .findFirst().orElseThrow();
            servers.remove(passive);
            new Link(active, passive).exchange(7);
        }
        assertTrue(servers.isEmpty());
    }

    @Test
    void shouldLetVirtualThreadsWait() {
        // More of them than there will ever be carriers: if waiting held on to one, the last would never run.
        int waiters = 300;
        assumeAtLeast(server.device.attributes().maximumCompletionQueueEntries(), 16, "maximumCompletionQueueEntries");
        List<CompletionQueue> idle = new ArrayList<>();
        List<Background<Integer>> waiting = new ArrayList<>();
        for (int i = 0; i < waiters; i++) {
            CompletionQueue queue = server.queue(16);
            Completions cursor = Completions.allocate(1);
            idle.add(queue);
            waiting.add(Background.startVirtual(() -> queue.await(cursor, Duration.ofMinutes(10))));
        }
        waiting.forEach(Background::settled);
        assertEquals(42, Background.startVirtual(() -> 42).get());
        assertTrue(waiting.stream().noneMatch(Background::isDone));
        // Traffic goes on, and virtual threads may drive it.
        Link link = patient().connect();
        Background.startVirtual(() -> {
            link.exchange(1);
            return null;
        }).get();
        idle.forEach(CompletionQueue::close);
        waiting.forEach(background -> background.getThrown(ClosedException.class));
    }

    @Test
    void shouldLetVirtualThreadsDoEverything() {
        int connections = 16;
        listener();
        List<Background<Void>> working = new ArrayList<>();
        for (int i = 0; i < connections; i++) {
            working.add(Background.startVirtual(() -> {
                Endpoint end = patient().entries(32).attributes(a -> a.withDepths(8, 8)).accept();
                MemoryRegion region = server.region(64);
                for (int k = 0; k < 20; k++) {
                    end.receive(k, region, 0, 64);
                    end.send(k, region, 0, 1);
                    end.received.next().received(k, 64);
                    end.sent.next().succeeded(k, CompletionOpcode.SEND);
                }
                assertTrue(end.connection.awaitDisconnected(Verbs.FOREVER));
                end.connection.close();
                return null;
            }));
            working.add(Background.startVirtual(() -> {
                MemoryRegion region = client.region(64);
                Endpoint end = patient().entries(32).attributes(a -> a.withDepths(8, 8))
                        .prepareClient(
                                (_, queuePair) -> assertTrue(queuePair.tryPost(new ReceiveRequest().receive(0).local(region, 0, 64))))
                        .dial();
                for (int k = 0; k < 20; k++) {
                    // The peer's byte says that its receive is there.
                    end.received.next().received(k, 1);
                    end.receive(k + 1, region, 0, 64);
                    end.send(k, region, 0, 64);
                    end.sent.next().succeeded(k, CompletionOpcode.SEND);
                }
                end.connection.disconnect();
                return null;
            }));
        }
        working.forEach(Background::get);
    }

    /** A dialer whose ends wait in any case: a virtual thread that spins keeps its carrier from all others. */
    private Dialer patient() {
        return new Dialer(client, server, listener(), false);
    }

    @Test
    void shouldRegisterAndCloseRegionsWhileOthersAreUsed() throws InterruptedException {
        Link link = connect();
        MemoryRegion local = client.region(4096);
        MemoryRegion remote = server.region(4096);
        AtomicInteger stop = new AtomicInteger();
        CountDownLatch begun = new CountDownLatch(3);
        List<Background<Integer>> churning = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            churning.add(Background.start(() -> {
                int registered = 0;
                while (stop.get() == 0) {
                    MemoryRegion region = server.domain.register(remote.segment().asSlice(registered % 64, 64), Rights.usual());
                    assertTrue(region.isValid());
                    region.close();
                    assertFalse(region.isValid());
                    if (registered++ == 0) {
                        begun.countDown();
                    }
                }
                return registered;
            }));
        }
        // A provider may be done with all requests before a thread has started.
        assertTrue(begun.await(LIMIT.toMillis(), TimeUnit.MILLISECONDS), "no regions are registered");
        for (int i = 0; i < 300; i++) {
            Pattern.fill(local.segment(), 0, 2048, i);
            link.client().write(i, local, 0, 2048, remote, 0, 0);
            link.client().read(i, local, 2048, 2048, remote, 0);
            link.client().sent.next().succeeded(i, CompletionOpcode.READ);
            Pattern.verify(local.segment(), 2048, 2048, i);
        }
        stop.set(1);
        churning.forEach(background -> assertTrue(background.get() > 0));
    }

    @Test
    void shouldWakeAllWhoWaitForTheEndOfAConnection() {
        Link link = connect();
        List<Background<Boolean>> waiting = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            Connection connection = i % 2 == 0 ? link.client().connection : link.server().connection;
            waiting.add(i % 3 == 0 ? Background.startVirtual(() -> connection.awaitDisconnected(Verbs.FOREVER))
                    : Background.start(() -> connection.awaitDisconnected(Verbs.FOREVER)));
        }
        waiting.forEach(Background::settled);
        link.server().connection.disconnect();
        waiting.forEach(background -> assertTrue(background.get()));
    }

    @Test
    void shouldDriveOneQueueFromManyThatSpin() {
        // A thread that polls may move the protocol on: several at once, and the library's own threads too.
        int spinners = 3;
        Link link = connect();
        MemoryRegion local = client.region(64);
        MemoryRegion remote = server.region(64);
        AtomicInteger completed = new AtomicInteger();
        int requests = 2000;
        List<Background<Void>> spinning = new ArrayList<>();
        for (int i = 0; i < spinners; i++) {
            spinning.add(Background.start(() -> {
                Completions cursor = Completions.allocate(4);
                while (completed.get() < requests) {
                    link.client().sendQueue.poll(cursor);
                    while (cursor.next()) {
                        assertTrue(cursor.isSuccess(), () -> cursor.status().text());
                        completed.incrementAndGet();
                    }
                }
                return null;
            }));
        }
        long deadline = System.nanoTime() + LIMIT.toNanos();
        // Room in the send queue is free before its completion is polled: the completion queue must not overrun if nobody polls.
        int most = link.client().sendQueue.capacity() / 2;
        for (int i = 0; i < requests;) {
            boolean posted = i - completed.get() < most && (i % 2 == 0
                    ? link.client().queuePair.tryPost(new SendRequest().write(i).local(local, 0, 64).remote(remote.remote(), 0).signaled())
                    : link.client().queuePair.tryPost(new SendRequest().read(i).local(local, 0, 64).remote(remote.remote(), 0).signaled()));
            if (posted) {
                i++;
            }
            assertTrue(System.nanoTime() - deadline < 0, () -> "there was no room any more; " + link.client());
        }
        spinning.forEach(Background::get);
        assertEquals(requests, completed.get());
    }
}
