package org.panamaverbs.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.panamaverbs.AsynchronousEvents;
import org.panamaverbs.ClosedException;
import org.panamaverbs.CompletionChannel;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.Completions;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.Verbs;
import org.panamaverbs.VerbsTimeoutException;
import org.panamaverbs.WaitInterruptedException;
import org.panamaverbs.cm.Connection;

/** The rules of all waits: time-outs, interrupts, closing, wakeups. */
abstract class WaitContract extends ContractTest {
    /** A wait. */
    private interface Wait {
        Object run(Duration timeout) throws Exception;
    }

    /**
     * A wait that nothing ends, of a new object.
     *
     * @param gives whether it gives an object, or counts or tells
     * @param close closes what it waits for
     */
    private record Case(String name, boolean gives, Wait waiting, Runnable close) {
    }

    private List<Case> cases() {
        CompletionQueue awaited = client.queue(4);
        CompletionQueue taken = client.queue(4);
        Completions cursor = Completions.allocate(1);
        CompletionChannel channel = client.device.createCompletionChannel();
        AsynchronousEvents events = client.device.asynchronousEvents();
        Connection connection = connect().client().connection;
        return List.of(new Case("CompletionQueue.await", false, timeout -> awaited.await(cursor, timeout), awaited::close),
                new Case("CompletionQueue.take", true, taken::take, taken::close),
                new Case("CompletionChannel.await", true, channel::await, channel::close),
                new Case("AsynchronousEvents.await", true, events::await, events::close),
                new Case("Listener.awaitRequest", true, listener()::awaitRequest, listener()::close),
                new Case("Connection.awaitDisconnected", false, connection::awaitDisconnected, null));
    }

    @Test
    void shouldEndWhenTheTimeIsUp() throws Exception {
        for (Case each : cases()) {
            for (Duration limit : new Duration[] { Duration.ZERO, MOMENT }) {
                long start = System.nanoTime();
                if (each.gives) {
                    VerbsTimeoutException thrown = assertThrows(VerbsTimeoutException.class, () -> each.waiting.run(limit), each.name);
                    assertTrue(limit.isZero() || thrown.getMessage().contains("100 ms"), thrown::getMessage);
                } else {
                    Object told = each.waiting.run(limit);
                    assertTrue(told.equals(0) || told.equals(false), () -> each.name + " gave " + told);
                }
                Duration elapsed = Duration.ofNanos(System.nanoTime() - start);
                assertTrue(elapsed.plusMillis(20).compareTo(limit) >= 0 && elapsed.compareTo(LIMIT) < 0,
                        () -> each.name + " gave up after " + elapsed);
            }
        }
    }

    @Test
    void shouldRefuseANegativeTime() {
        for (Case each : cases()) {
            assertThrows(IllegalArgumentException.class, () -> each.waiting.run(Duration.ofNanos(-1)), each.name);
        }
    }

    @Test
    void shouldEndWhenTheThreadIsInterrupted() {
        for (boolean virtual : new boolean[] { false, true }) {
            for (Case each : cases()) {
                Callable<Boolean> interrupted = () -> {
                    WaitInterruptedException thrown = assertThrows(WaitInterruptedException.class, () -> each.waiting.run(Verbs.FOREVER),
                            each.name);
                    assertTrue(thrown.getMessage().contains("interrupted"), thrown::getMessage);
                    return Thread.currentThread().isInterrupted();
                };
                Background<Boolean> waiting = (virtual ? Background.startVirtual(interrupted) : Background.start(interrupted)).settled();
                assertFalse(waiting.isDone(), each.name);
                waiting.interrupt();
                assertTrue(waiting.get(), () -> each.name + " should leave the thread interrupted");
            }
        }
    }

    @Test
    void shouldEndWhenTheObjectIsClosed() {
        for (Case each : cases()) {
            if (each.close != null) {
                Background<Object> waiting = Background.start(() -> each.waiting.run(Verbs.FOREVER)).settled();
                assertFalse(waiting.isDone(), each.name);
                each.close.run();
                waiting.getThrown(ClosedException.class);
                assertThrows(ClosedException.class, () -> each.waiting.run(Duration.ZERO), each.name);
            }
        }
    }

    @Test
    void shouldEndOneWaitByAWakeup() {
        CompletionQueue queue = client.queue(4);
        Completions cursor = Completions.allocate(1);
        queue.wakeup();
        queue.wakeup();
        assertEquals(0, queue.await(cursor, Verbs.FOREVER), "a wakeup before ends the next wait");
        for (boolean virtual : new boolean[] { false, true }) {
            Callable<Integer> wait = () -> queue.await(cursor, Verbs.FOREVER);
            Background<Integer> waiting = (virtual ? Background.startVirtual(wait) : Background.start(wait)).settled();
            assertFalse(waiting.isDone(), "it ends one wait only");
            queue.wakeup();
            assertEquals(0, waiting.get());
        }
    }

    @Test
    void shouldLoseNoCompletionByAWakeup() {
        Link link = connect();
        MemoryRegion local = client.region(8);
        MemoryRegion remote = server.region(8);
        CompletionQueue queue = link.client().sendQueue;
        Completions cursor = Completions.allocate(4);
        Background<Void> waking = Background.start(() -> {
            for (int i = 0; i < rounds(2000); i++) {
                queue.wakeup();
                Thread.yield();
            }
            return null;
        });
        int rounds = rounds(500);
        for (int i = 0; i < rounds; i++) {
            link.client().write(i, local, 0, 8, remote, 0);
            long deadline = System.nanoTime() + LIMIT.toNanos();
            while (queue.await(cursor, LIMIT) == 0) {
                assertTrue(System.nanoTime() - deadline < 0, "a completion is lost");
            }
            assertTrue(cursor.next());
            assertEquals(i, cursor.id());
        }
        waking.get();
    }

    @Test
    void shouldGoOnTakingAfterAWakeup() {
        Link link = connect();
        CompletionQueue queue = link.client().sendQueue;
        Background<Long> taking = Background.start(() -> queue.take(LIMIT).orThrow().id()).settled();
        queue.wakeup();
        taking.settled();
        assertFalse(taking.isDone());
        link.client().write(5, client.region(8), 0, 8, server.region(8), 0);
        assertEquals(5, taking.get());
        Completions cursor = Completions.allocate(1);
        assertEquals(0, queue.await(cursor, Verbs.FOREVER), "the wakeup still ends the next await");
    }
}
