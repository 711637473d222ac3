package org.panamaverbs.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.panamaverbs.Capability;
import org.panamaverbs.ClosedException;
import org.panamaverbs.CompletionOpcode;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.MemoryRegion;

/** Completion queues that become larger or smaller. */
public abstract class ResizeContract extends ContractTest {
    private static final int LENGTH = 16;

    /** A queue of receives, and how many messages it holds. */
    private final class Receives {
        final CompletionQueue queue = server.queue(4);
        final int capacity = queue.capacity();
        final Link link = dialer().serverQueues(server.queue(64), queue).serverAttributes(a -> a.withDepths(8, 4 * capacity))
                .clientAttributes(a -> a.withDepths(4 * capacity, 8)).connect();
        final MemoryRegion local = client.region(LENGTH);
        final MemoryRegion remote = server.region(LENGTH);
        private int sent;
        private int received;

        Receives() {
            for (int i = 0; i < 4 * capacity; i++) {
                link.server().receive(i, remote, 0, LENGTH);
            }
        }

        /** Sends messages and waits until they completed there: a Read is served only after them (RFC 5040, Figure 17). */
        void send(int count) {
            for (int i = 0; i < count; i++) {
                link.client().send(sent, local, 0, LENGTH);
                link.client().sent.next().succeeded(sent++, CompletionOpcode.SEND);
            }
            link.client().read(-1, local, 0, LENGTH, remote, 0);
            link.client().sent.next().succeeded(-1, CompletionOpcode.READ);
        }

        void receive(int count) {
            for (int i = 0; i < count; i++) {
                link.server().received.next().received(received++, LENGTH);
            }
        }
    }

    @BeforeEach
    void needsResizing() {
        assumeSupports(client.device, Capability.RESIZE_COMPLETION_QUEUE);
        assumeSupports(server.device, Capability.RESIZE_COMPLETION_QUEUE);
    }

    @Test
    void shouldKeepWhatWaitsInAFullQueueThatGrows() {
        Receives receives = new Receives();
        receives.send(receives.capacity);
        receives.queue.resize(3 * receives.capacity);
        assertTrue(receives.queue.capacity() >= 3 * receives.capacity, () -> "holds " + receives.queue.capacity());
        // Each of these would overrun a queue that has not grown.
        receives.send(2 * receives.capacity);
        receives.receive(3 * receives.capacity);
        receives.link.server().received.nothing();
        receives.send(receives.capacity);
        receives.receive(receives.capacity);
    }

    /** The place of the oldest completion is not the start of the memory. */
    @Test
    void shouldKeepTheOrderWhereTheQueueHasWrapped() {
        Receives receives = new Receives();
        receives.send(receives.capacity - 1);
        receives.receive(receives.capacity - 1);
        receives.send(receives.capacity);
        receives.queue.resize(2 * receives.capacity);
        receives.receive(2);
        receives.send(receives.capacity);
        receives.receive(2 * receives.capacity - 2);
    }

    @Test
    void shouldShrinkToWhatWaits() {
        Receives receives = new Receives();
        receives.queue.resize(4 * receives.capacity);
        receives.send(receives.capacity);
        receives.queue.resize(receives.capacity);
        assertTrue(receives.queue.capacity() >= receives.capacity);
        receives.receive(receives.capacity);
        receives.send(receives.capacity);
        receives.receive(receives.capacity);
    }

    @Test
    void shouldRefuseToHoldFewerThanWait() {
        Receives receives = new Receives();
        receives.send(receives.capacity);
        int before = receives.queue.capacity();
        IllegalArgumentException refused = assertThrows(IllegalArgumentException.class, () -> receives.queue.resize(receives.capacity - 1));
        assertTrue(refused.getMessage().contains(Integer.toString(receives.capacity)), refused::getMessage);
        assertEquals(before, receives.queue.capacity());
        receives.receive(receives.capacity);
        receives.queue.resize(receives.capacity - 1);
        receives.send(receives.capacity - 1);
        receives.receive(receives.capacity - 1);
    }

    @Test
    void shouldRefuseNoOrTooManyEntries() {
        CompletionQueue queue = client.queue(16);
        int before = queue.capacity();
        assertThrows(IllegalArgumentException.class, () -> queue.resize(0));
        assertThrows(IllegalArgumentException.class, () -> queue.resize(-1));
        int most = client.device.attributes().maximumCompletionQueueEntries();
        if (most < Integer.MAX_VALUE) {
            assertThrows(IllegalArgumentException.class, () -> queue.resize(most + 1));
        }
        assertEquals(before, queue.capacity());
        queue.close();
        assertThrows(ClosedException.class, () -> queue.resize(32));
    }

    @Test
    void shouldWakeAThreadThatHasWaitedSinceBefore() {
        Receives receives = new Receives();
        Background<Completed> waiting = Background.start(() -> receives.link.server().received.next()).settled();
        receives.queue.resize(2 * receives.capacity);
        receives.send(1);
        waiting.get().received(0, LENGTH);
    }

    @Test
    void shouldResizeWhileTwoThreadsPostAndOnePolls() {
        int depth = 16;
        int each = 4000;
        CompletionQueue shared = client.queue(2 * depth);
        List<Link> links = new ArrayList<>();
        List<Semaphore> rooms = new ArrayList<>();
        List<Background<Void>> posting = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            links.add(dialer().clientQueues(shared, client.queue(16)).clientAttributes(a -> a.withDepths(depth, 8)).connect());
        }
        MemoryRegion local = client.region(LENGTH);
        MemoryRegion remote = server.region(LENGTH);
        for (Link link : links) {
            Semaphore room = new Semaphore(depth);
            rooms.add(room);
            posting.add(Background.start(() -> {
                for (int i = 0; i < each; i++) {
                    assertTrue(room.tryAcquire(LIMIT.toMillis(), TimeUnit.MILLISECONDS), () -> "no completion came: " + link.client());
                    link.client().write(i, local, 0, LENGTH, remote, 0);
                }
                return null;
            }));
        }
        Background<Integer> polling = Background.start(() -> {
            int[] next = new int[links.size()];
            CompletionReader reader = new CompletionReader(shared, client.arena, true, () -> "writes of " + links);
            for (int i = 0; i < links.size() * each; i++) {
                Completed completed = reader.next();
                int link = completed.queuePairNumber() == links.getFirst().client().queuePair.number() ? 0 : 1;
                completed.succeeded(next[link]++, CompletionOpcode.WRITE);
                rooms.get(link).release();
            }
            return next[0] + next[1];
        });
        int resized = 0;
        while (!polling.isDone()) {
            // Never fewer than can be in flight.
            shared.resize(2 * depth << 1 + resized++ % 3);
            shared.resize(2 * depth);
        }
        posting.forEach(Background::get);
        assertEquals(links.size() * each, polling.get());
        assertTrue(resized > 1, "never resized");
    }
}
