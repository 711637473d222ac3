package org.panamaverbs.softiwarp.requirements;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.panamaverbs.Access;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.RemoteMemory;
import org.panamaverbs.SendRequest;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.softiwarp.fixtures.Forge;
import org.panamaverbs.softiwarp.fixtures.Host;
import org.panamaverbs.softiwarp.fixtures.RawPeer;
import org.panamaverbs.softiwarp.fixtures.Rig;
import org.panamaverbs.softiwarp.fixtures.Segment;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;
import org.panamaverbs.softiwarp.wire.Rdmap;
import org.panamaverbs.softiwarp.wire.Terminate;
import org.panamaverbs.softiwarp.wire.TerminateCode;
import org.panamaverbs.testing.Proofs;
import org.panamaverbs.testing.Transports;
import org.panamaverbs.testing.conformance.Requirement;

/** RFC 5040, 6.1: as many Reads of the peer are served at a time as was agreed, and not one more. A Read counts until its answer is sent. */
class ReadDepthTest {
    private static final int LONG = 16 << 20;
    private static final int RECEIVE_BUFFER = 64 * 1024;
    private static final int DEPTH = 2;
    private static final int READS = 2000;
    private static final long READS_NANOS = Proofs.loopNanos();

    private static void assertRefusal(Segment last) {
        assertEquals(Rdmap.TERMINATE, last.opcode());
        assertEquals(TerminateCode.describe(TerminateCode.UNTAGGED_NO_BUFFER),
                TerminateCode.describe(Terminate.error(last.stream(), last.payloadAt())));
    }

    @Test
    @Requirement({ "RFC5040-5.2.1-c", "RFC5040-6.1-e" })
    void shouldCountAReadUntilItsAnswerIsSent() {
        Rig rig = new Rig(new Rig.Options(true, false, DEPTH, 0), Rig.room(LONG));
        RegisteredMemory source = rig.region(LONG, Access.REMOTE_READ);
        rig.silence();
        for (int i = 1; i <= DEPTH; i++) {
            rig.feed(Forge.read(i, LONG, source.stag(), source.base(), true));
        }
        rig.transmit(100);
        rig.feed(Forge.read(DEPTH + 1, 8, source.stag(), source.base(), true));
        assertEquals(TerminateCode.describe(TerminateCode.UNTAGGED_NO_BUFFER), TerminateCode.describe(rig.errorCode()));
    }

    /** A Read that is refused too early would be as wrong. */
    @Test
    void shouldServeTheNextReadOnceAnAnswerIsSent() {
        Rig rig = new Rig(new Rig.Options(true, false, 1, 0), Rig.room(LONG));
        RegisteredMemory source = rig.region(LONG, Access.REMOTE_READ);
        for (int i = 1; i <= 3; i++) {
            rig.feed(Forge.read(i, LONG, source.stag(), source.base(), true));
        }
        assertEquals(TerminateCode.NONE, rig.errorCode());
        assertEquals(3L * LONG, rig.sent().stream().mapToLong(Segment::payloadLength).sum());
    }

    @ParameterizedTest
    @Transports({ "epoll", "nio" })
    @Requirement({ "RFC5040-6.1-b,e", "RFC5040-8.1.1-m", "RFC5042-6.4.3.3-b" })
    void shouldRefuseASecondReadIfOneWasAgreed(String transport) throws Exception {
        try (Host host = new Host(transport)) {
            MemoryRegion large = host.region(LONG, Access.REMOTE_READ);
            CompletableFuture<Host.End> accepted = host.accepting(ConnectionParameters.defaults().withReads(1, 0), null);
            try (RawPeer peer = new RawPeer(host.listener.address(), true, RECEIVE_BUFFER)) {
                peer.awaitReply(true);
                assertEquals(1, Host.get(accepted).connection.inboundReads());
                peer.send(Forge.read(1, LONG, large.remoteKey(), large.address(), true));
                // The answer is under way, and more of it is to come than the system holds.
                Segment last = peer.next();
                assertNotNull(last);
                peer.send(Forge.read(2, LONG, large.remoteKey(), large.address(), true));
                int answers = 0;
                for (Segment next = last; next != null; next = peer.next()) {
                    answers += next.opcode() == Rdmap.READ_RESPONSE && next.isLast() ? 1 : 0;
                    assertTrue(answers < 2, "both Reads were answered");
                    last = next;
                }
                assertRefusal(last);
            }
        }
    }

    @ParameterizedTest
    @Transports({ "epoll", "nio" })
    void shouldServeNoReadIfNoneWasAgreed(String transport) throws Exception {
        try (Host host = new Host(transport)) {
            MemoryRegion region = host.region(100, Access.REMOTE_READ);
            CompletableFuture<Host.End> accepted = host.accepting(ConnectionParameters.defaults().withReads(0, 0), null);
            try (RawPeer peer = new RawPeer(host.listener.address(), true)) {
                peer.awaitReply(true);
                assertEquals(0, Host.get(accepted).connection.inboundReads());
                peer.send(Forge.read(1, 100, region.remoteKey(), region.address(), true));
                Segment first = peer.receive();
                assertNotEquals(Rdmap.READ_RESPONSE, first.opcode(), "the opcode of what came back");
                assertRefusal(first);
            }
        }
    }

    /**
     * The other side of the same rule: the peer may send its next Read as soon as it has the answer, which may be before the thread that
     * sent the answer has heard that it is sent. Another thread posts, and so sends many of the answers.
     */
    @ParameterizedTest
    @Transports({ "epoll", "nio" })
    void shouldNeverRefuseAPeerThatWaitsForEachAnswer(String transport) throws Exception {
        try (Host host = new Host(transport)) {
            MemoryRegion region = host.region(100, Access.REMOTE_READ);
            RemoteMemory anywhere = new RemoteMemory(0x1000, 0x77, 8);
            CompletableFuture<Host.End> accepted = host.accepting(ConnectionParameters.defaults().withReads(1, 0), null);
            try (RawPeer peer = new RawPeer(host.listener.address(), true)) {
                peer.awaitReply(true);
                Host.End end = Host.get(accepted);
                peer.send(Forge.ready(true));
                AtomicBoolean done = new AtomicBoolean();
                Thread.ofPlatform().daemon().start(() -> {
                    while (!done.get() && end.connection.isConnected()) {
                        // Full now and then.
                        boolean ignored = end.queuePair.tryPost(new SendRequest().write(1).local(region, 0, 8).remote(anywhere, 0));
                    }
                });
                long start = System.nanoTime();
                for (int i = 1; i <= READS && System.nanoTime() - start < READS_NANOS; i++) {
                    peer.send(Forge.read(i, 100, region.remoteKey(), region.address(), true));
                    Segment next = peer.receive();
                    while (next.opcode() == Rdmap.WRITE) {
                        next = peer.receive();
                    }
                    assertEquals(Rdmap.READ_RESPONSE, next.opcode(), "what answered Read " + i);
                }
                done.set(true);
            }
        }
    }
}
