package org.panamaverbs.rdmacore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.AsynchronousEvent;
import org.panamaverbs.CompletionChannel;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.Completions;
import org.panamaverbs.SystemException;
import org.panamaverbs.Verbs;
import org.panamaverbs.VerbsTimeoutException;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.rdmacore.lifecycle.DeviceFailure;

/** Completion queues that raise no event: the device does not arm them, or they are closed. */
class CoreCompletionQueueNotificationFaultsTest extends OnStubDevice {
    private final Completions completions = Completions.allocate(4);

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

    @Test
    void shouldTellACallerThatWaitsAlready() throws Exception {
        try (Verbs verbs = open()) {
            CoreDevice device = (CoreDevice) verbs.device("stub0");
            CoreCompletionQueue queue = (CoreCompletionQueue) device.createCompletionQueue(8);
            FutureTask<Integer> waiting = new FutureTask<>(() -> queue.await(completions, LIMIT));
            Thread.ofPlatform().start(waiting);
            await("it waits", () -> StubDevice.notifies(queue.address()));
            failArming();
            StubDevice.raiseCompletion(queue.address());
            ExecutionException thrown = assertThrows(ExecutionException.class, () -> waiting.get(LIMIT.toSeconds(), TimeUnit.SECONDS));
            assertNames((SystemException) thrown.getCause());
        }
    }

    /** A peer that solicits each Send costs a program that polls no event. */
    @Test
    void shouldArmNoQueueThatIsOnlyPolled() {
        try (Verbs verbs = open()) {
            CoreCompletionQueue queue = (CoreCompletionQueue) verbs.device("stub0").createCompletionQueue(8);
            assertEquals(0, queue.poll(completions));
            assertFalse(StubDevice.notifies(queue.address()));
        }
    }

    /** The event reader may have found it before it was closed. */
    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    void shouldRaiseNoEventOfAClosedQueue(boolean overruns) {
        try (Verbs verbs = open()) {
            CompletionChannel channel = verbs.device("stub0").createCompletionChannel();
            CoreCompletionQueue queue = (CoreCompletionQueue) verbs.device("stub0").createCompletionQueue(8, channel);
            queue.requestNotification(false);
            queue.close();
            if (overruns) {
                queue.afterAsynchronous(AsynchronousEvent.Type.COMPLETION_QUEUE_ERROR);
            } else {
                queue.onDeviceFailure(new DeviceFailure("device stub0", "as a test wants"));
            }
            assertNull(channel.poll());
        }
    }
}
