package org.panamaverbs.rdmacore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.panamaverbs.CompletionChannel;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.Completions;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.SystemException;
import org.panamaverbs.Verbs;
import org.panamaverbs.VerbsTimeoutException;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.cm.Connection;

/** A completion queue that the device does not arm: no event would come of its completions. */
class CoreCompletionQueueNotificationFaultsTest extends OnStubDevice {
    private final Completions completions = Completions.allocate(Arena.ofAuto(), 4);

    private static void failArming() {
        StubDevice.fail("ibv_req_notify_cq", Libc.EIO(), 0);
    }

    private static void assertRefused(Executable call) {
        assertNames(assertThrows(SystemException.class, call));
    }

    private static void assertNames(SystemException thrown) {
        assertTrue(thrown.getMessage().contains("ibv_req_notify_cq: EIO"), thrown::getMessage);
        assertEquals(Libc.EIO(), thrown.errorNumber());
    }

    @Test
    void shouldMakeNoQueueThatIsNotArmed() {
        try (Verbs verbs = open()) {
            failArming();
            assertRefused(() -> verbs.device("stub0").createCompletionQueue(8));
            assertEquals(0, StubDevice.live("cq"));
        }
    }

    @Test
    void shouldTellACallerThatWantsToWait() {
        try (Verbs verbs = open()) {
            CompletionQueue queue = verbs.device("stub0").createCompletionQueue(8);
            failArming();
            assertRefused(() -> queue.await(completions, LIMIT));
            assertEquals(0, queue.poll(completions), "polling needs no event");
            StubDevice.heal();
            assertEquals(0, queue.await(completions, Duration.ofMillis(1)));
        }
    }

    @Test
    void shouldTellACallerThatWantsANotification() {
        try (Verbs verbs = open()) {
            CompletionChannel channel = verbs.device("stub0").createCompletionChannel();
            CoreCompletionQueue queue = (CoreCompletionQueue) verbs.device("stub0").createCompletionQueue(8, channel);
            failArming();
            assertRefused(() -> queue.requestNotification(false));
            StubDevice.heal();
            StubDevice.raiseCompletion(queue.address());
            assertThrows(VerbsTimeoutException.class, () -> channel.await(Duration.ofMillis(20)),
                    "the caller got an error, and is not notified");
            queue.requestNotification(false);
            StubDevice.raiseCompletion(queue.address());
            assertEquals(queue, channel.await(LIMIT));
        }
    }

    /** The event reader arms the queue after each event, so that it sees failures. */
    @Test
    void shouldEndQueuePairsAndWakeWaitersIfNoFurtherEventCanCome() throws Exception {
        try (Verbs verbs = open()) {
            CoreDevice device = (CoreDevice) verbs.device("stub0");
            CoreCompletionQueue queue = (CoreCompletionQueue) device.createCompletionQueue(8);
            CoreProtectionDomain domain = (CoreProtectionDomain) device.allocateProtectionDomain();
            Connection connection = connect(domain, QueuePairAttributes.of(queue));
            FutureTask<Integer> waiting = new FutureTask<>(() -> queue.await(completions, LIMIT));
            Thread waiter = Thread.ofPlatform().start(waiting);
            await("it waits", () -> waiter.getState() == Thread.State.TIMED_WAITING);
            failArming();
            StubDevice.raiseCompletion(queue.address());
            assertTrue(connection.awaitDisconnected(LIMIT));
            assertTrue(connection.failure().orElseThrow().getMessage().contains("ibv_req_notify_cq"),
                    () -> connection.failure().toString());
            ExecutionException thrown = assertThrows(ExecutionException.class, () -> waiting.get(LIMIT.toSeconds(), TimeUnit.SECONDS));
            assertNames((SystemException) thrown.getCause());
            StubDevice.heal();
            assertRefused(() -> queue.poll(completions));
        }
    }
}
