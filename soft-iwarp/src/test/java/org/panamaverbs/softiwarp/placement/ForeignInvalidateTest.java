package org.panamaverbs.softiwarp.placement;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.OptionalInt;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.panamaverbs.Access;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.MemoryWindow;
import org.panamaverbs.ReceiveRequest;
import org.panamaverbs.RegistrationAttributes;
import org.panamaverbs.RemoteMemory;
import org.panamaverbs.ScatterGatherList;
import org.panamaverbs.SendRequest;
import org.panamaverbs.softiwarp.fixtures.Host;
import org.panamaverbs.softiwarp.wire.TerminateCode;
import org.panamaverbs.testing.conformance.Requirement;

/**
 * The peer of one stream sends a Send with Invalidate for what is open to the peer of another stream of the same domain (RFC 5040, 5.3;
 * RFC 5042, 6.4.5): its own stream ends, and the other one notices nothing.
 */
class ForeignInvalidateTest {
    private static final int LENGTH = 64;

    private final Host host = new Host("epoll");
    private Host.Pair owner;
    private Host.Pair stranger;
    private MemoryRegion local;

    @BeforeEach
    void connect() throws Exception {
        owner = host.connect();
        stranger = host.connect();
        local = host.region(LENGTH, Access.LOCAL_WRITE);
    }

    @AfterEach
    void close() {
        host.close();
    }

    private void invalidate(Host.Pair by, int key) {
        by.server().queuePair.post(new ReceiveRequest().receive(1).local(local, 0, LENGTH));
        by.client().queuePair.post(new SendRequest().send(2).local(new ScatterGatherList(1)).invalidating(key));
    }

    private void assertInvalidatedByItsOwnerAlone(RemoteMemory memory) {
        invalidate(stranger, memory.key());
        assertTrue(stranger.server().connection.awaitDisconnected(Host.LIMIT));
        assertEquals(OptionalInt.of(TerminateCode.RDMA_CANNOT_INVALIDATE), stranger.server().connection.end().orElseThrow().terminate());
        assertEquals(CompletionStatus.FLUSHED, stranger.server().next().status());
        owner.client().queuePair.post(new SendRequest().write(3).local(local, 0, LENGTH).remote(memory, 0).signaled());
        assertEquals(CompletionStatus.SUCCESS, owner.client().next().status());
        invalidate(owner, memory.key());
        assertEquals(CompletionStatus.SUCCESS, owner.server().next().status());
        assertEquals(memory.key(), owner.server().completions().invalidatedKey());
        assertTrue(owner.server().connection.isConnected());
    }

    @Test
    @Requirement({ "RFC5040-5.3-j", "RFC5042-6.4.5-a" })
    void shouldNotInvalidateARegionOfAnotherStream() {
        MemoryRegion region = host.domain.register(host.arena.allocate(LENGTH),
                RegistrationAttributes.of(Access.LOCAL_WRITE, Access.REMOTE_WRITE).withRemoteInvalidation(owner.server().queuePair));
        assertInvalidatedByItsOwnerAlone(region.remote());
        assertFalse(region.isValid());
    }

    @Test
    @Requirement({ "RFC5040-5.3-j", "RFC5042-6.4.5-a" })
    void shouldNotInvalidateAWindowOfAnotherStream() {
        MemoryRegion region = host.region(LENGTH, Access.LOCAL_WRITE, Access.BIND_MEMORY_WINDOW);
        MemoryWindow window = host.domain.allocateMemoryWindow(MemoryWindow.Type.TYPE_2);
        owner.server().queuePair.post(new SendRequest().bind(1, window).local(region, 0, LENGTH).access(Access.REMOTE_WRITE).signaled());
        assertEquals(CompletionStatus.SUCCESS, owner.server().next().status());
        assertInvalidatedByItsOwnerAlone(new RemoteMemory(region.address(), window.remoteKey(), LENGTH));
        assertTrue(region.isValid());
    }
}
