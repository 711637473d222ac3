package org.panamaverbs.rdmacore;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.Verbs;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.cm.Listener;

/** Rejecting and dropping a connection request, before and after its queue pair is closed, which destroys the {@code rdma_cm_id}. */
class RejectFaultsTest extends OnStubDevice {
    private Verbs verbs;
    private ConnectionRequest request;
    private QueuePair queuePair;

    @BeforeEach
    void createQueuePair() {
        verbs = open();
        Listener listener = ConnectionManager.of(verbs).listen(NOBODY, 1);
        StubDevice.raiseRequest(StubDevice.listener());
        request = listener.awaitRequest(LIMIT);
        queuePair = request.createQueuePair(request.device().allocateProtectionDomain(),
                QueuePairAttributes.of(request.device().createCompletionQueue(8)));
    }

    @AfterEach
    void closeAll() {
        verbs.close();
        assertEquals(0, StubDevice.live("qp"));
        assertEquals(0, StubDevice.live("id"));
    }

    private void end(boolean rejects) {
        if (rejects) {
            request.reject(new byte[] { 7 });
        } else {
            request.close();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    void shouldRejectThePeer(boolean rejects) {
        end(rejects);
        assertEquals(1, StubDevice.called("rdma_reject"));
    }

    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    void shouldNotTouchAnIdentifierThatIsDestroyed(boolean rejects) {
        queuePair.close();
        assertEquals(1, StubDevice.called("rdma_destroy_id"));
        end(rejects);
        assertEquals(0, StubDevice.called("rdma_reject"));
    }
}
