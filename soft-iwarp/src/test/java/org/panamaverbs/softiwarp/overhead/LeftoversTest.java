package org.panamaverbs.softiwarp.overhead;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.ref.WeakReference;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.params.ParameterizedTest;
import org.panamaverbs.Access;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.RemoteMemory;
import org.panamaverbs.SendRequest;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.softiwarp.fixtures.Forge;
import org.panamaverbs.softiwarp.fixtures.Host;
import org.panamaverbs.softiwarp.fixtures.RawPeer;
import org.panamaverbs.softiwarp.fixtures.Segment;
import org.panamaverbs.softiwarp.wire.Rdmap;
import org.panamaverbs.testing.Transports;

/** The remains of a connection when it is closed, or of a long message when it is sent: nothing that only time, or nothing, removes. */
class LeftoversTest {
    /** In milliseconds: longer than any test. */
    private static final String REQUEST_TIMEOUT = "600000";
    private static final int LONG = 4 << 20;
    /** As {@link IdleMemoryTest} has it, for a connection that was used. */
    private static final long USED = 80 * 1024;

    /** Makes and closes a connection; returns what its two ends leave. */
    private static WeakReference<?>[] connection(Host host) throws Exception {
        Host.Pair pair = host.connect();
        host.exchange(pair);
        WeakReference<?>[] ends = { new WeakReference<>(pair.client().queuePair), new WeakReference<>(pair.server().queuePair) };
        pair.client().connection.close();
        pair.server().connection.close();
        pair.client().queue.close();
        pair.server().queue.close();
        return ends;
    }

    private static boolean isCollected(WeakReference<?> reference) throws InterruptedException {
        long deadline = System.nanoTime() + Host.LIMIT.toNanos();
        while (reference.get() != null && System.nanoTime() < deadline) {
            System.gc();
            Thread.sleep(50);
        }
        return reference.get() == null;
    }

    @ParameterizedTest
    @Transports({ "epoll", "nio" })
    void shouldKeepNothingOfAnAcceptedConnectionOnceItIsClosed(String transport) throws Exception {
        try (Host host = new Host(transport, "request-timeout", REQUEST_TIMEOUT)) {
            WeakReference<?>[] ends = connection(host);
            // References to the last connection on a thread's stack give way to another connection's.
            connection(host);
            assertTrue(isCollected(ends[0]), "the queue pair that connected is still there");
            assertTrue(isCollected(ends[1]), "the queue pair that was accepted is still there");
        }
    }

    /** The transmit buffer grows with a long answer, whose payload is copied for its checksum. */
    @ParameterizedTest
    @Transports({ "epoll", "nio" })
    void shouldGiveTheLongBufferBackOnceTheAnswerOfAReadIsSent(String transport) throws Exception {
        try (Host host = new Host(transport)) {
            MemoryRegion source = host.region(LONG, Access.REMOTE_READ);
            MemoryRegion small = host.region(8);
            CompletableFuture<Host.End> accepted = host.accepting(ConnectionParameters.defaults(), null);
            try (RawPeer peer = new RawPeer(host.listener.address(), true)) {
                peer.awaitReply(true);
                Host.End end = Host.get(accepted);
                peer.send(Forge.read(1, LONG, source.remoteKey(), source.address(), true));
                Segment next = peer.receive();
                while (!next.isLast()) {
                    next = peer.receive();
                }
                assertEquals(Rdmap.READ_RESPONSE, next.opcode());
                // A short message, after which the connection rests.
                end.queuePair.post(
                        new SendRequest().write(1).local(small, 0, 8).remote(new RemoteMemory(0x1000, 0x77, Long.MAX_VALUE), 0).signaled());
                assertEquals(CompletionStatus.SUCCESS, end.next().status());
                Footprint footprint = Footprint.of(end.connection);
                for (long start = System.nanoTime(); footprint.bytes() > USED && System.nanoTime() - start < Host.LIMIT.toNanos();) {
                    Thread.sleep(50);
                    footprint = Footprint.of(end.connection);
                }
                assertTrue(footprint.bytes() <= USED, "more than " + USED + " bytes of a connection that rests: " + footprint);
            }
        }
    }
}
