package org.panamaverbs.softiwarp.requirements;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.panamaverbs.Access;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.RemoteMemory;
import org.panamaverbs.ResourceException;
import org.panamaverbs.SendRequest;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.softiwarp.fixtures.Forge;
import org.panamaverbs.softiwarp.fixtures.Host;
import org.panamaverbs.softiwarp.fixtures.RawPeer;
import org.panamaverbs.softiwarp.wire.TerminateCode;
import org.panamaverbs.testing.conformance.Requirement;

/** Requirements of RFC 5040 and RFC 5042 that show on whole connections only. */
class Rfc5040ConnectionTest {
    private final Host host = new Host("nio");

    @AfterEach
    void close() {
        host.close();
    }

    @Test
    @Requirement({ "RFC5040-5.4-e..g", "RFC5040-6.2.1-b,c" })
    void shouldTellTheProgramWhyThePeerTerminated() throws Exception {
        MemoryRegion place = host.region(100, Access.LOCAL_WRITE);
        CompletableFuture<Host.End> accepted = host.accepting(ConnectionParameters.defaults(), place);
        try (RawPeer peer = new RawPeer(host.listener.address(), true)) {
            peer.awaitReply(true);
            Host.End end = Host.get(accepted);
            peer.send(Forge.ready(true));
            end.queuePair.post(new SendRequest().read(2).local(place, 0, 100).remote(new RemoteMemory(0x1000, 0x77, 100), 0).signaled());
            peer.receive();
            peer.send(Forge.fpdu(Forge.untagged(Forge.LAST_UNTAGGED, Forge.TERMINATE, 0, 2, 1, 0, new byte[] { 0x02, 0x06, 0, 0 }), true));
            assertTrue(end.connection.awaitDisconnected(Host.LIMIT));
            String said = end.connection.failure().orElseThrow().getMessage();
            assertTrue(said.contains("the peer terminated it: " + TerminateCode.describe(TerminateCode.RDMA_OPCODE)), said);
            assertEquals(CompletionStatus.FLUSHED, end.next().status());
            assertEquals(CompletionStatus.FLUSHED, end.next().status());
            assertTrue(peer.receiveAll().isEmpty(), "the stream ends in good order, without an answer");
        }
    }

    @Test
    @Requirement({ "RFC5040-8.1.1-l", "RFC5042-6.4.6-a" })
    void shouldNotHarmOtherConnectionsIfACompletionQueueOverflows() throws Exception {
        Host.Pair bystander = host.connect();
        Host.Pair pair = host.connect();
        MemoryRegion region = host.region(8, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
        RemoteMemory target = region.remote();
        long deadline = System.nanoTime() + Host.LIMIT.toNanos();
        while (pair.client().connection.isConnected()) {
            assertTrue(System.nanoTime() < deadline, "the queue does not overflow");
            // Full now and then.
            boolean ignored = pair.client().queuePair.tryPost(new SendRequest().write(1).local(region, 0, 8).remote(target, 0).signaled());
        }
        host.exchange(bystander);
        assertThrows(ResourceException.class, () -> {
            while (pair.client().queue.poll(pair.client().completions()) > 0) {
                // The completions that the queue had room for.
                pair.client().completions().clear();
            }
        });
        host.exchange(bystander);
    }

    /** 2,000 random STags leave hardly any of 256 parts of the range empty, and hardly any two that follow each other are neighbours. */
    @Test
    @Requirement("RFC5040-8.1.1-i,j")
    void shouldSpreadStagsOverTheWholeRange() {
        Set<Integer> parts = new HashSet<>();
        int neighbours = 0;
        int last = 0;
        for (int i = 0; i < 2000; i++) {
            int stag = host.region(8).remoteKey();
            parts.add(stag >>> 24);
            neighbours += Math.abs((stag >>> 8) - (last >>> 8)) < 16 ? 1 : 0;
            last = stag;
        }
        assertTrue(parts.size() > 240, parts.size() + " of 256 parts of the range are used");
        assertTrue(neighbours < 10, neighbours + " STags lie beside the one before");
    }
}
