package org.panamaverbs.rdmacore;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.Access;
import org.panamaverbs.CompletionChannel;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.Completions;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.RemoteMemory;
import org.panamaverbs.SendRequest;
import org.panamaverbs.SystemException;
import org.panamaverbs.Verbs;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.cm.Connection;

/** A completion queue of which polling fails: completions may be lost, so that is no empty queue. */
class CoreCompletionQueuePollFaultsTest extends OnStubDevice {
    /** The result of libmlx5 for a poll that failed. */
    private static final int POLL_ERROR = -2;

    /** Before a wait gives up by itself. */
    private static final long SOON_SECONDS = 30;

    private final Completions completions = Completions.allocate(4);

    @BeforeEach
    void startClock() {
        StubDevice.startClock();
    }

    private static void failPolls() {
        StubDevice.fail("ibv_poll_cq", POLL_ERROR, 0);
        StubDevice.fail("ibv_start_poll", Libc.EIO(), 0);
    }

    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    void shouldSayThatPollingFails(boolean stamped) {
        try (Verbs verbs = open()) {
            CoreDevice device = (CoreDevice) verbs.device("stub0");
            CompletionQueue queue = createQueue(device, stamped);
            Connection connection = connect((CoreProtectionDomain) device.allocateProtectionDomain(), QueuePairAttributes.of(queue));
            assertEquals(0, queue.poll(completions), "empty, and in order");
            failPolls();
            SystemException failed = assertThrows(SystemException.class, () -> queue.poll(completions));
            assertTrue(failed.getMessage().contains(stamped ? "EIO" : "-2"), failed::getMessage);
            assertFalse(connection.isConnected(), "its completions may be lost");
            StubDevice.heal();
            assertThrows(SystemException.class, () -> queue.poll(completions), "for good");
            assertThrows(SystemException.class, () -> queue.await(completions, LIMIT));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    void shouldDeliverWhatCameBefore(boolean stamped) {
        try (Verbs verbs = open(); Arena arena = Arena.ofShared()) {
            CoreDevice device = (CoreDevice) verbs.device("stub0");
            CoreProtectionDomain domain = (CoreProtectionDomain) device.allocateProtectionDomain();
            CompletionQueue queue = createQueue(device, stamped);
            QueuePair queuePair = connect(domain, QueuePairAttributes.of(queue)).queuePair();
            try (MemoryRegion region = domain.register(arena.allocate(64), Access.LOCAL_WRITE)) {
                queuePair
                        .post(new SendRequest().write(7).local(region, 0, 64).remote(new RemoteMemory(0, 0, Long.MAX_VALUE), 0).signaled());
                // The first succeeds, with a completion; the second of the same poll fails.
                StubDevice.fail("ibv_poll_cq", POLL_ERROR, 0, 1, -1);
                StubDevice.fail("ibv_start_poll", Libc.EIO(), 0, 1, 1);
                assertEquals(1, queue.poll(completions));
                assertTrue(completions.next());
                assertEquals(7, completions.id());
                assertThrows(SystemException.class, () -> queue.poll(completions));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    void shouldEndAWaitAndItsQueuePairs(boolean stamped) {
        try (Verbs verbs = open()) {
            CoreDevice device = (CoreDevice) verbs.device("stub0");
            CoreCompletionQueue queue = (CoreCompletionQueue) createQueue(device, stamped);
            Connection connection = connect((CoreProtectionDomain) device.allocateProtectionDomain(), QueuePairAttributes.of(queue));
            FutureTask<Integer> waiting = new FutureTask<>(() -> queue.await(completions, LIMIT));
            Thread.ofPlatform().start(waiting);
            await("it waits", () -> StubDevice.notifies(queue.address()));
            failPolls();
            StubDevice.raiseCompletion(queue.address());
            ExecutionException failed = assertThrows(ExecutionException.class, () -> waiting.get(LIMIT.toSeconds(), TimeUnit.SECONDS));
            assertTrue(failed.getCause().getMessage().contains("cannot poll"), () -> failed.getCause().toString());
            assertTrue(connection.awaitDisconnected(LIMIT));
        }
    }

    /** A post without room polls while it holds its queue's lock, and no queue pair can end under that lock. */
    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    void shouldEndAWaitIfThePollOfAPostFails(boolean notifies) {
        try (Arena arena = Arena.ofShared(); Verbs verbs = open()) {
            CoreDevice device = (CoreDevice) verbs.device("stub0");
            CoreProtectionDomain domain = (CoreProtectionDomain) device.allocateProtectionDomain();
            CompletionChannel channel = device.createCompletionChannel();
            CoreCompletionQueue queue = (CoreCompletionQueue) device.createCompletionQueue(8, channel);
            Connection connection = connect(domain, QueuePairAttributes.of(queue).withDepths(1, 1));
            MemoryRegion region = domain.register(arena.allocate(64), Access.LOCAL_WRITE);
            postWithheld(connection, region);
            if (notifies) {
                queue.requestNotification(false);
            }
            FutureTask<?> waiting = notifies ? new FutureTask<>(() -> channel.await(LIMIT))
                    : new FutureTask<>(() -> queue.await(completions, LIMIT));
            Thread.ofPlatform().start(waiting);
            await("it waits", () -> StubDevice.notifies(queue.address()));
            failPolls();
            assertFalse(connection.queuePair()
                    .tryPost(new SendRequest().write(3).local(region, 0, 64).remote(new RemoteMemory(0, 0, Long.MAX_VALUE), 0)));
            if (notifies) {
                assertSame(queue, assertDoesNotThrow(() -> waiting.get(SOON_SECONDS, TimeUnit.SECONDS)));
                assertThrows(SystemException.class, () -> queue.poll(completions));
            } else {
                ExecutionException failed = assertThrows(ExecutionException.class, () -> waiting.get(SOON_SECONDS, TimeUnit.SECONDS));
                assertTrue(failed.getCause().getMessage().contains("cannot poll"), () -> failed.getCause().toString());
            }
            assertTrue(connection.awaitDisconnected(LIMIT));
            StubDevice.heal();
        }
    }
}
