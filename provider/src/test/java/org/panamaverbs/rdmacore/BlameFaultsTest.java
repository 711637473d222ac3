package org.panamaverbs.rdmacore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.PeerException;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.SystemException;
import org.panamaverbs.Verbs;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.cm.Listener;

/** Whose fault it is that a request cannot be accepted: drivers answer EINVAL if they refuse a queue pair, and the kernel if the peer is gone. */
class BlameFaultsTest extends OnStubDevice {
    private Verbs verbs;
    private ConnectionRequest request;

    @BeforeEach
    void listen() {
        verbs = open();
        Listener listener = ConnectionManager.of(verbs).listen(NOBODY, 1);
        StubDevice.raiseRequest(StubDevice.listener());
        request = listener.awaitRequest(LIMIT);
    }

    @AfterEach
    void closeAll() {
        StubDevice.heal();
        verbs.close();
        assertEquals(0, StubDevice.live("qp"));
    }

    private QueuePair createQueuePair() {
        return request.createQueuePair(request.device().allocateProtectionDomain(),
                QueuePairAttributes.of(request.device().createCompletionQueue(8)));
    }

    private void accept() {
        request.accept(ConnectionParameters.defaults(), LIMIT);
    }

    @Test
    void shouldNotBlameThePeerForAQueuePairThatTheDeviceRefuses() {
        StubDevice.fail("ibv_create_qp", 0, Libc.EINVAL());
        SystemException refused = assertThrows(SystemException.class, this::createQueuePair);
        assertEquals(Libc.EINVAL(), refused.errorNumber());
        assertFalse(refused.getMessage().contains("gone away"), refused::getMessage);
    }

    @Test
    void shouldBlameThePeerIfTheDeviceTakesTheQueuePair() {
        StubDevice.fail("rdma_create_qp_ex", StubDevice.BY_ERRNO, Libc.EINVAL());
        PeerException gone = assertThrows(PeerException.class, this::createQueuePair);
        assertTrue(gone.getMessage().contains("127.0.0.1:4711 has gone away"), gone::getMessage);
    }

    @Test
    void shouldNotBlameThePeerForADeviceThatDoesNotMoveTheQueuePair() {
        createQueuePair();
        StubDevice.fail("rdma_accept", StubDevice.BY_ERRNO, Libc.EIO());
        SystemException refused = assertThrows(SystemException.class, this::accept);
        assertEquals(Libc.EIO(), refused.errorNumber());
    }

    @ParameterizedTest
    @ValueSource(ints = { 22, 104, 107 })
    void shouldBlameThePeerIfTheKernelCannotAccept(int error) {
        createQueuePair();
        StubDevice.fail("rdma_accept", StubDevice.BY_ERRNO, error);
        PeerException gone = assertThrows(PeerException.class, this::accept);
        assertTrue(gone.getMessage().contains("gone away"), gone::getMessage);
        assertEquals(error == Libc.EINVAL(), gone.getMessage().contains("or the device refuses"), gone::getMessage);
    }
}
