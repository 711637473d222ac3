package org.panamaverbs.softiwarp.hostile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.panamaverbs.Access;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ReceiveRequest;
import org.panamaverbs.SharedReceiveQueue;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.softiwarp.fixtures.Forge;
import org.panamaverbs.softiwarp.fixtures.Host;
import org.panamaverbs.softiwarp.fixtures.RawPeer;
import org.panamaverbs.softiwarp.fixtures.Segment;
import org.panamaverbs.softiwarp.wire.Rdmap;
import org.panamaverbs.softiwarp.wire.Terminate;
import org.panamaverbs.softiwarp.wire.TerminateCode;
import org.panamaverbs.testing.conformance.Requirement;

/** A peer takes receives out of a shared queue faster than the program posts others (RFC 5042, 6.4.3.1). */
class SharedReceiveShareTest {
    private static final int DEPTH = 8;
    private static final int LENGTH = 16;

    private static CompletableFuture<Host.End> accepting(Host host, SharedReceiveQueue shared) {
        return host.accepting(ConnectionParameters.defaults(), null, attributes -> attributes.withSharedReceiveQueue(shared));
    }

    private static byte[] send(int sequence) {
        return Forge.fpdu(Forge.untagged(Forge.LAST_UNTAGGED, Forge.SEND, 0, 0, sequence, 0, Forge.payload(LENGTH)), true);
    }

    private static SharedReceiveQueue filled(Host host) {
        SharedReceiveQueue shared = host.domain.createSharedReceiveQueue(DEPTH, 1);
        MemoryRegion places = host.region(DEPTH * LENGTH, Access.LOCAL_WRITE);
        for (int i = 0; i < DEPTH; i++) {
            shared.post(new ReceiveRequest().receive(i).local(places, (long) i * LENGTH, LENGTH));
        }
        return shared;
    }

    private static void sendFrom(RawPeer peer, int first, int last) throws IOException {
        for (int sequence = first; sequence <= last; sequence++) {
            peer.send(send(sequence));
        }
    }

    private static void received(Host.End end, int messages) {
        for (int i = 0; i < messages; i++) {
            assertEquals(CompletionStatus.SUCCESS, end.next().status());
            assertEquals(end.queuePair.number(), end.completions().queuePairNumber());
        }
    }

    @Test
    @Requirement({ "RFC5040-8.1.2-h", "RFC5041-8.3.2-g", "RFC5042-6.4.3.1-a" })
    void shouldLeaveABystanderReceivesWhenAPeerTakesMoreThanItsShare() throws Exception {
        try (Host host = new Host("nio", "shared-receive-share", "50")) {
            SharedReceiveQueue shared = filled(host);
            CompletableFuture<Host.End> first = accepting(host, shared);
            try (RawPeer greedy = new RawPeer(host.listener.address(), true)) {
                greedy.awaitReply(true);
                Host.End harmed = Host.get(first);
                CompletableFuture<Host.End> second = accepting(host, shared);
                try (RawPeer bystander = new RawPeer(host.listener.address(), true)) {
                    bystander.awaitReply(true);
                    Host.End end = Host.get(second);
                    sendFrom(greedy, 1, DEPTH);
                    Segment last = greedy.receiveAll().getLast();
                    assertEquals(Rdmap.TERMINATE, last.opcode());
                    assertEquals(TerminateCode.UNTAGGED_NO_BUFFER, Terminate.error(last.stream(), last.payloadAt()));
                    assertTrue(harmed.connection.awaitDisconnected(Host.LIMIT));
                    received(harmed, DEPTH / 2);
                    sendFrom(bystander, 1, DEPTH / 2);
                    received(end, DEPTH / 2);
                    assertTrue(end.connection.isConnected());
                }
            }
        }
    }

    @Test
    void shouldServeAPeerWhoseReceivesAreReplaced() throws Exception {
        try (Host host = new Host("nio", "shared-receive-share", "25")) {
            SharedReceiveQueue shared = filled(host);
            MemoryRegion place = host.region(LENGTH, Access.LOCAL_WRITE);
            CompletableFuture<Host.End> accepted = accepting(host, shared);
            try (RawPeer peer = new RawPeer(host.listener.address(), true)) {
                peer.awaitReply(true);
                Host.End end = Host.get(accepted);
                for (int sequence = 1; sequence <= 3 * DEPTH; sequence++) {
                    peer.send(send(sequence));
                    received(end, 1);
                    shared.post(new ReceiveRequest().receive(100 + sequence).local(place, 0, LENGTH));
                }
            }
        }
    }

    @Test
    void shouldGiveOnePeerAllReceivesIfNothingIsSet() throws Exception {
        try (Host host = new Host("nio")) {
            SharedReceiveQueue shared = filled(host);
            CompletableFuture<Host.End> accepted = accepting(host, shared);
            try (RawPeer peer = new RawPeer(host.listener.address(), true)) {
                peer.awaitReply(true);
                Host.End end = Host.get(accepted);
                sendFrom(peer, 1, DEPTH);
                received(end, DEPTH);
                assertTrue(end.connection.isConnected());
            }
        }
    }
}
