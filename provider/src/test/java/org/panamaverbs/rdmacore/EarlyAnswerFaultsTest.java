package org.panamaverbs.rdmacore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.lang.foreign.Arena;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.SendRequest;
import org.panamaverbs.Verbs;
import org.panamaverbs.bindings.rdma.Rdma;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.cm.Listener;

/**
 * The client's first message can come before {@code accept} returns: the device sends from the moment when {@code rdma_accept} tells the
 * client, and ESTABLISHED comes later. A thread that receives this message may answer it.
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
}
