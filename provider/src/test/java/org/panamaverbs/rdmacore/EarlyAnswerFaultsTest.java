package org.panamaverbs.rdmacore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.panamaverbs.Access;
import org.panamaverbs.Completion;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.ReceiveQueue;
import org.panamaverbs.ReceiveRequest;
import org.panamaverbs.SendRequest;
import org.panamaverbs.SharedReceiveQueue;
import org.panamaverbs.Verbs;
import org.panamaverbs.VerbsTimeoutException;
import org.panamaverbs.bindings.rdma.Rdma;
import org.panamaverbs.bindings.rdma.ibv_wc;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.cm.Listener;
import org.panamaverbs.rdmacore.queue.WorkCompletionHandler;

/**
 * The client's first message can come before {@code accept} returns: the device sends from the moment when {@code rdma_accept} tells the
 * client, and ESTABLISHED comes later. A thread may post from then on. It gets messages once it can find their connection.
 */
class EarlyAnswerFaultsTest extends OnStubDevice {
    @Test
    void shouldSendBeforeAcceptReturns() throws Exception {
        try (Arena arena = Arena.ofShared(); Verbs verbs = open()) {
            Listener listener = ConnectionManager.of(verbs).listen(NOBODY, 1);
            StubDevice.acceptSlowly(200);
            StubDevice.raiseRequest(StubDevice.listener());
            ConnectionRequest request = listener.awaitRequest(LIMIT);
            ProtectionDomain domain = request.device().allocateProtectionDomain();
            MemoryRegion answer = domain.register(arena.allocate(8));
            CompletionQueue completions = request.device().createCompletionQueue(8);
            QueuePair queuePair = request.createQueuePair(domain, QueuePairAttributes.of(completions));
            CompletableFuture<Connection> accepted = CompletableFuture
                    .supplyAsync(() -> request.accept(ConnectionParameters.defaults(), LIMIT));
            await("the acceptance", () -> StubDevice.called("rdma_accept") > 0);
            queuePair.post(new SendRequest().send(1).local(answer, 0, 8).signaled());
            assertEquals(1, completions.take(LIMIT).orThrow().id());
            assertFalse(accepted.isDone(), "accept has returned already");
            StubDevice.raiseConnection(StubDevice.identifier(), Rdma.RDMA_CM_EVENT_ESTABLISHED(), 0);
            accepted.get(60, TimeUnit.SECONDS).close();
        }
    }

    /** The device reports that a message landed in a receive. */
    private static void receive(CompletionQueue queue, WorkCompletionHandler receives, int place, QueuePair queuePair) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment completion = ibv_wc.allocate(arena);
            ibv_wc.wr_id(completion, receives.tag() | place);
            ibv_wc.opcode(completion, Rdma.IBV_WC_RECV());
            ibv_wc.qp_num(completion, queuePair.number());
            ibv_wc.byte_len(completion, 8);
            StubDevice.complete(((CoreCompletionQueue) queue).address(), completion);
        }
    }

    @ParameterizedTest
    @CsvSource({ "false, false", "true, false", "false, true", "true, true" })
    void shouldKeepMessagesUntilTheConnectionIsThere(boolean shared, boolean fails) throws Exception {
        try (Arena arena = Arena.ofShared(); Verbs verbs = open()) {
            Listener listener = ConnectionManager.of(verbs).listen(NOBODY, 1);
            StubDevice.acceptSlowly(1);
            StubDevice.raiseRequest(StubDevice.listener());
            ConnectionRequest request = listener.awaitRequest(LIMIT);
            ProtectionDomain domain = request.device().allocateProtectionDomain();
            MemoryRegion message = domain.register(arena.allocate(8), Access.LOCAL_WRITE);
            CompletionQueue queue = request.device().createCompletionQueue(8);
            SharedReceiveQueue receives = shared ? domain.createSharedReceiveQueue(4, 1) : null;
            QueuePair queuePair = request.createQueuePair(domain, QueuePairAttributes.of(queue).withSharedReceiveQueue(receives));
            ReceiveQueue target = shared ? receives : queuePair;
            for (int i = 0; i < 3; i++) {
                target.post(new ReceiveRequest().receive(100 + i).local(message, 0, 8));
            }
            CompletableFuture<Connection> accepted = CompletableFuture
                    .supplyAsync(() -> request.accept(ConnectionParameters.defaults(), LIMIT));
            await("the acceptance", () -> StubDevice.called("rdma_accept") > 0);
            CompletableFuture<Completion> taken = CompletableFuture.supplyAsync(() -> queue.take(LIMIT));
            receive(queue, (WorkCompletionHandler) target, 0, queuePair);
            receive(queue, (WorkCompletionHandler) target, 1, queuePair);
            StubDevice.raiseCompletion(((CoreCompletionQueue) queue).address());
            assertThrows(VerbsTimeoutException.class, () -> queue.take(Duration.ofMillis(50)));
            assertEquals(Optional.empty(), Connection.of(queuePair));
            if (fails) {
                // What came is not lost.
                request.close();
                assertThrows(ExecutionException.class, () -> accepted.get(60, TimeUnit.SECONDS));
                assertEquals(Optional.empty(), Connection.of(queuePair));
            } else {
                StubDevice.raiseConnection(StubDevice.identifier(), Rdma.RDMA_CM_EVENT_ESTABLISHED(), 0);
            }
            assertEquals(100, taken.get(60, TimeUnit.SECONDS).orThrow().id());
            assertEquals(101, queue.take(LIMIT).orThrow().id());
            if (!fails) {
                assertSame(Connection.of(queuePair).orElseThrow(), accepted.get(60, TimeUnit.SECONDS));
                receive(queue, (WorkCompletionHandler) target, 2, queuePair);
                assertEquals(102, queue.take(LIMIT).orThrow().id());
                queuePair.close();
            }
        }
    }
}
