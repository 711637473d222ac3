package org.panamaverbs.softiwarp.requirements;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.panamaverbs.Access;
import org.panamaverbs.Capability;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.Completions;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.RemoteMemory;
import org.panamaverbs.SendRequest;
import org.panamaverbs.UnsupportedVerbException;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.softiwarp.fixtures.Host;
import org.panamaverbs.softiwarp.fixtures.Rig;
import org.panamaverbs.softiwarp.wire.TerminateCode;

/** A device of RFC 5040 alone ({@code rfc7306=off}), and one with RFC 7306 that is connected to it (RFC 7306, 1.1). */
class PeerWithoutExtensionsTest {
    private static final ConnectionParameters PARAMETERS = ConnectionParameters.defaults().withReads(4, 4);

    private final Host plain = new Host("epoll", "rfc7306", "off");
    private final Host host = new Host("epoll");
    private Host.End near;
    private Host.End far;

    @BeforeEach
    void connect() throws Exception {
        CompletableFuture<Host.End> accepted = plain.accepting(PARAMETERS, plain.region(8, Access.LOCAL_WRITE));
        near = host.connect(plain.listener.address(), PARAMETERS, Host.LIMIT);
        far = Host.get(accepted);
    }

    @AfterEach
    void close() {
        host.close();
        plain.close();
    }

    @Test
    void shouldHaveNoneOfItsCapabilities() {
        for (Capability capability : new Capability[] { Capability.WRITE_WITH_IMMEDIATE, Capability.IMMEDIATE_MESSAGE, Capability.ATOMIC,
                Capability.MASKED_ATOMIC, Capability.GLOBAL_ATOMIC }) {
            assertFalse(plain.device.supports(capability), capability::text);
            assertTrue(host.device.supports(capability), capability::text);
        }
        assertThrows(UnsupportedVerbException.class, () -> far.queuePair.post(new SendRequest().immediateMessage(1).data(5)));
        assertThrows(UnsupportedVerbException.class, () -> plain.region(8, Access.LOCAL_WRITE, Access.REMOTE_ATOMIC));
    }

    @Test
    void shouldEndTheConnectionOnAnAtomicWithAnErrorThatSaysWhy() {
        MemoryRegion target = plain.region(8, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
        MemoryRegion result = host.region(8, Access.LOCAL_WRITE);
        near.queuePair.post(new SendRequest().fetchAndAdd(1).add(0).local(result, 0, 8).remote(target.remote(), 0).signaled());
        Completions done = near.next();
        assertEquals(CompletionStatus.REMOTE_INVALID_REQUEST_ERROR, done.status());
        assertEquals(TerminateCode.RDMA_OPCODE, done.vendorError());
        assertUnexpected();
        Rig.assertFilled(target.segment());
        Rig.assertFilled(result.segment());
    }

    @Test
    void shouldEndTheConnectionOnImmediateData() {
        near.queuePair.post(new SendRequest().immediateMessage(1).data(5).signaled());
        assertUnexpected();
    }

    @Test
    void shouldEndTheConnectionOnAWriteWithImmediateDataAfterTheWrite() {
        MemoryRegion target = plain.region(8, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
        MemoryRegion source = host.region(8);
        source.segment().fill((byte) 3);
        near.queuePair.post(new SendRequest().write(1).local(source, 0, 8)
                .remote(new RemoteMemory(target.address(), target.remoteKey(), 8), 0).immediate(5));
        assertUnexpected();
        assertEquals(-1, source.segment().mismatch(target.segment()));
    }

    private void assertUnexpected() {
        assertTrue(near.connection.awaitDisconnected(Host.LIMIT));
        assertTrue(far.connection.awaitDisconnected(Host.LIMIT));
        assertEquals(TerminateCode.RDMA_OPCODE, near.connection.end().orElseThrow().terminate().orElseThrow());
        assertEquals(CompletionStatus.FLUSHED, far.next().status());
    }
}
