package org.panamaverbs.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.panamaverbs.Capability;
import org.panamaverbs.ClosedException;
import org.panamaverbs.CompletionChannel;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.Completions;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ReceiveRequest;
import org.panamaverbs.Verbs;
import org.panamaverbs.VerbsTimeoutException;

/** Completion channels beside a program's own event loop: wakeups, events without waiting, descriptors. */
public abstract class ChannelContract extends ContractTest {
    private static final int CONNECTIONS = Math.max(16, rounds(1000));
    private static final int CHANNELS = 8;
    private static final int BYTES = 64;

    /** A queue of the server that reports to a channel, and a connection whose receives complete there. */
    private final class Reported {
        final CompletionChannel channel = server.device.createCompletionChannel();
        final CompletionQueue queue = server.device.createCompletionQueue(64, channel);
        final Link link = dialer().serverQueues(server.queue(64), queue).serverAttributes(a -> a.withDepths(8, 32)).connect();
        final MemoryRegion local = client.region(BYTES);
        final MemoryRegion remote = server.region(BYTES);

        /** Receives a message whose completion raises an event. */
        void complete(long id) {
            queue.requestNotification(false);
            link.server().receive(id, remote, 0, BYTES);
            link.client().send(id, local, 0, BYTES);
            link.client().sent.next();
        }

        /** Takes the one event that comes. */
        void pollEvent() {
            long deadline = System.nanoTime() + LIMIT.toNanos();
            CompletionQueue found = channel.poll();
            while (found == null && System.nanoTime() - deadline < 0) {
                Thread.onSpinWait();
                found = channel.poll();
            }
            assertSame(queue, found);
            assertNull(channel.poll(), "one event was asked for");
        }
    }

    @Test
    void shouldEndOneWaitByAWakeup() {
        CompletionChannel channel = client.device.createCompletionChannel();
        channel.wakeup();
        channel.wakeup();
        assertNull(channel.await(Verbs.FOREVER), "a wakeup before ends the next wait");
        for (boolean virtual : new boolean[] { false, true }) {
            Callable<CompletionQueue> wait = () -> channel.await(Verbs.FOREVER);
            Background<CompletionQueue> waiting = (virtual ? Background.startVirtual(wait) : Background.start(wait)).settled();
            assertFalse(waiting.isDone(), "it ends one wait only");
            channel.wakeup();
            assertNull(waiting.get());
        }
    }

    @Test
    void shouldTakeAWakeupByPolling() {
        CompletionChannel channel = client.device.createCompletionChannel();
        channel.wakeup();
        assertNull(channel.poll());
        assertThrows(VerbsTimeoutException.class, () -> channel.await(MOMENT));
    }

    @Test
    void shouldGiveEventsWithoutWaiting() {
        Reported reported = new Reported();
        assertNull(reported.channel.poll());
        for (int i = 0; i < 3; i++) {
            reported.complete(i);
            reported.pollEvent();
        }
        reported.channel.close();
        assertThrows(ClosedException.class, reported.channel::poll);
    }

    @Test
    void shouldLoseNoEventByAWakeup() {
        Reported reported = new Reported();
        AtomicBoolean done = new AtomicBoolean();
        Background<Void> waking = Background.start(() -> {
            while (!done.get()) {
                reported.channel.wakeup();
                Thread.sleep(0, 100_000);
            }
            return null;
        });
        Completions cursor = Completions.allocate(4);
        for (int i = 0; i < rounds(500); i++) {
            reported.complete(i);
            long deadline = System.nanoTime() + LIMIT.toNanos();
            while (reported.channel.await(LIMIT) == null) {
                assertTrue(System.nanoTime() - deadline < 0, "the event is lost");
            }
            assertEquals(1, reported.queue.await(cursor, LIMIT));
            cursor.clear();
        }
        done.set(true);
        waking.get();
    }

    @Test
    void shouldRefuseADescriptorIfThereIsNone() {
        CompletionChannel channel = client.device.createCompletionChannel();
        assertRefuses(client.device, Capability.CHANNEL_DESCRIPTOR, channel::descriptor);
    }

    @Test
    void shouldBeReadableUntilItsEventsAreTaken() {
        assumeSupports(server.device, Capability.CHANNEL_DESCRIPTOR);
        Reported reported = new Reported();
        reported.complete(-1);
        try (DescriptorSet set = new DescriptorSet()) {
            set.add(reported.channel.descriptor(), 0);
            assertEquals(1, set.await(LIMIT).length, "an event that came before the descriptor was asked for");
            reported.pollEvent();
            assertEquals(0, set.await(MOMENT).length);
            for (int i = 0; i < 3; i++) {
                reported.complete(i);
                assertEquals(1, set.await(LIMIT).length);
                assertEquals(1, set.await(LIMIT).length, "it stays readable");
                reported.pollEvent();
                assertEquals(0, set.await(Duration.ZERO).length);
            }
            reported.complete(3);
            assertSame(reported.queue, reported.channel.await(LIMIT));
            assertNull(reported.channel.poll());
            assertEquals(0, set.await(MOMENT).length, "a thread that waited has taken the event");
            assertEquals(reported.channel.descriptor(), reported.channel.descriptor());
        }
        reported.channel.close();
        assertThrows(ClosedException.class, reported.channel::descriptor);
    }

    @Test
    void shouldBeReadableAfterAWakeup() {
        assumeSupports(client.device, Capability.CHANNEL_DESCRIPTOR);
        CompletionChannel channel = client.device.createCompletionChannel();
        try (DescriptorSet set = new DescriptorSet()) {
            set.add(channel.descriptor(), 0);
            assertEquals(0, set.await(Duration.ZERO).length);
            channel.wakeup();
            channel.wakeup();
            assertEquals(1, set.await(LIMIT).length);
            assertNull(channel.poll());
            assertEquals(0, set.await(Duration.ZERO).length);
        }
        channel.close();
        channel.wakeup();
    }

    /** Requests that are flushed complete as others do. */
    @Test
    void shouldBeReadableAfterAnEnd() {
        assumeSupports(server.device, Capability.CHANNEL_DESCRIPTOR);
        Reported reported = new Reported();
        reported.link.server().receive(1, reported.remote, 0, BYTES);
        reported.queue.requestNotification(true);
        try (DescriptorSet set = new DescriptorSet()) {
            set.add(reported.channel.descriptor(), 0);
            reported.link.client().connection.disconnect();
            assertEquals(1, set.await(LIMIT).length);
            assertSame(reported.queue, reported.channel.await(LIMIT));
        }
        Completions cursor = Completions.allocate(1);
        assertEquals(1, reported.queue.await(cursor, LIMIT));
        assertTrue(cursor.next());
        assertEquals(CompletionStatus.FLUSHED, cursor.status());
    }

    /** A server with one thread that waits in its own epoll set, and answers each message. */
    private final class Answering {
        final List<CompletionChannel> channels = new ArrayList<>();
        final List<CompletionQueue> queues = new ArrayList<>();
        final List<Link> links = new ArrayList<>();
        final MemoryRegion memory = server.region((long) CONNECTIONS * BYTES);
        final Completions completions = Completions.allocate(64);
        final AtomicBoolean done = new AtomicBoolean();

        void run() {
            try (DescriptorSet set = new DescriptorSet()) {
                for (int i = 0; i < CHANNELS; i++) {
                    set.add(channels.get(i).descriptor(), i);
                }
                while (!done.get()) {
                    for (int each : set.await(LIMIT)) {
                        for (CompletionQueue queue = channels.get(each).poll(); queue != null; queue = channels.get(each).poll()) {
                            queue.requestNotification(false);
                            answer(queue);
                        }
                    }
                }
            }
        }

        private void answer(CompletionQueue queue) {
            while (queue.poll(completions) > 0) {
                while (completions.next()) {
                    assertEquals(CompletionStatus.SUCCESS, completions.status());
                    if (completions.isReceive()) {
                        int connection = (int) completions.id();
                        Endpoint end = links.get(connection).server();
                        end.receive(connection, memory, (long) connection * BYTES, BYTES);
                        end.send(connection, memory, (long) connection * BYTES, BYTES, 0);
                    }
                }
            }
        }
    }

    @Test
    @Timeout(300)
    void shouldServeManyConnectionsFromOneSetOfDescriptors() {
        assumeSupports(server.device, Capability.CHANNEL_DESCRIPTOR);
        assumeAtLeast(Math.min(client.device.attributes().maximumQueuePairs(), server.device.attributes().maximumQueuePairs()),
                2L * CONNECTIONS, "maximumQueuePairs");
        Answering answering = new Answering();
        CompletionQueue answers = client.queue(4 * CONNECTIONS);
        for (int i = 0; i < CHANNELS; i++) {
            CompletionChannel channel = server.device.createCompletionChannel();
            CompletionQueue queue = server.device.createCompletionQueue(4 * CONNECTIONS / CHANNELS + 4, channel);
            queue.requestNotification(false);
            answering.channels.add(channel);
            answering.queues.add(queue);
        }
        MemoryRegion memory = client.region((long) CONNECTIONS * BYTES);
        for (int i = 0; i < CONNECTIONS; i++) {
            int number = i;
            CompletionQueue queue = answering.queues.get(i % CHANNELS);
            Link link = dialer()
                    .clientQueues(answers, answers).serverQueues(queue, queue).attributes(a -> a.withDepths(2, 2)).prepareServer((_,
                            pair) -> pair.post(new ReceiveRequest().receive(number).local(answering.memory, (long) number * BYTES, BYTES)))
                    .connect();
            answering.links.add(link);
        }
        Background<Void> serving = Background.start(() -> {
            answering.run();
            return null;
        });
        for (int round = 0; round < 3; round++) {
            askAll(answering, memory, answers, serving, round);
        }
        answering.done.set(true);
        answering.channels.getFirst().wakeup();
        serving.get();
    }

    /** Each connection carries a message there and back. */
    private void askAll(Answering answering, MemoryRegion memory, CompletionQueue answers, Background<Void> serving, int round) {
        for (int i = 0; i < CONNECTIONS; i++) {
            Endpoint end = answering.links.get(i).client();
            end.receive(i, memory, (long) i * BYTES, BYTES);
            Pattern.fill(memory.segment(), (long) i * BYTES, BYTES, round * 1000L + i);
            end.send(i, memory, (long) i * BYTES, BYTES);
        }
        Completions completions = Completions.allocate(64);
        boolean[] answered = new boolean[CONNECTIONS];
        for (int left = 2 * CONNECTIONS; left > 0;) {
            if (answers.await(completions, LIMIT) == 0) {
                assertFalse(serving.isDone(), () -> "the server ended: " + serving.get());
                fail("no further answer");
            }
            while (completions.next()) {
                assertEquals(CompletionStatus.SUCCESS, completions.status());
                int connection = (int) completions.id();
                if (completions.isReceive()) {
                    assertFalse(answered[connection], "a second answer");
                    answered[connection] = true;
                    Pattern.verify(memory.segment(), (long) connection * BYTES, BYTES, round * 1000L + connection);
                }
                left--;
            }
        }
    }
}
