package org.panamaverbs.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Random;
import org.panamaverbs.Access;
import org.panamaverbs.Completion;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.Configuration;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.ReceiveRequest;
import org.panamaverbs.SendRequest;
import org.panamaverbs.Verbs;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.cm.Connector;
import org.panamaverbs.cm.Listener;

/** One side of a connection: a device, memory with random bytes and memory for the peer's, and a queue pair once it is connected. */
final class Side implements AutoCloseable {
    static final Duration LIMIT = Duration.ofSeconds(60);
    /** Bytes of each message: many FPDUs of siw, two of ours. */
    static final int SIZE = 100_000;

    private final Verbs verbs;
    private final Arena arena = Arena.ofShared();
    private final ProtectionDomain domain;
    private final CompletionQueue queue;
    private final MemoryRegion own;
    private final MemoryRegion received;
    private final MemoryRegion open;
    private final MemoryRegion fetched;
    private volatile QueuePair pair;
    private volatile Connection connection;

    Side(Configuration configuration) {
        verbs = Verbs.open(configuration);
        domain = verbs.device().allocateProtectionDomain();
        queue = verbs.device().createCompletionQueue(256);
        own = domain.register(arena.allocate(SIZE, 4096), Access.REMOTE_READ);
        received = domain.register(arena.allocate(SIZE, 4096), Access.LOCAL_WRITE);
        open = domain.register(arena.allocate(SIZE, 4096), Access.LOCAL_WRITE, Access.REMOTE_WRITE);
        // Over iWARP the answer to a Read is a tagged message of the peer.
        fetched = domain.register(arena.allocate(SIZE, 4096), Access.LOCAL_WRITE, Access.REMOTE_WRITE);
        byte[] random = new byte[SIZE];
        new Random(System.nanoTime()).nextBytes(random);
        MemorySegment.copy(MemorySegment.ofArray(random), 0, own.segment(), 0, SIZE);
    }

    Listener listen(String address) {
        return ConnectionManager.of(verbs.device()).listen(new InetSocketAddress(address, 0), 8);
    }

    private QueuePairAttributes attributes() {
        return QueuePairAttributes.of(queue).withInline(0);
    }

    Connection accept(Listener listener) {
        try (ConnectionRequest request = listener.awaitRequest(LIMIT)) {
            pair = request.createQueuePair(domain, attributes());
            pair.post(new ReceiveRequest().receive(0).local(received, 0, SIZE));
            connection = request.accept(ConnectionParameters.defaults(), LIMIT);
            return connection;
        }
    }

    Connection connect(InetSocketAddress address) {
        try (Connector connector = ConnectionManager.of(verbs.device()).connector(address, LIMIT)) {
            pair = connector.createQueuePair(domain, attributes());
            pair.post(new ReceiveRequest().receive(0).local(received, 0, SIZE));
            connection = connector.connect(ConnectionParameters.defaults(), LIMIT);
            return connection;
        }
    }

    Connection connection() {
        return connection;
    }

    /** The connection has ended before it carried anything: the receive that waited is flushed. */
    void expectFlush() {
        assertEquals(CompletionStatus.FLUSHED, queue.take(LIMIT).status());
    }

    /** Sends all its bytes, and the peer has received them. */
    void send(Side peer) {
        pair.post(new SendRequest().send(1).local(own, 0, SIZE).signaled());
        succeed(queue.take(LIMIT), "Send");
        Completion receive = peer.queue.take(LIMIT);
        succeed(receive, "receive");
        assertEquals(SIZE, receive.byteLength(), "received");
        same(own, peer.received);
    }

    /** Writes all its bytes, and reads those of the peer. */
    void writeAndRead(Side peer) {
        pair.post(new SendRequest().write(2).local(own, 0, SIZE).remote(peer.open.remote(), 0).signaled());
        succeed(queue.take(LIMIT), "Write");
        pair.post(new SendRequest().read(3).local(fetched, 0, SIZE).remote(peer.own.remote(), 0).signaled());
        succeed(queue.take(LIMIT), "Read");
        same(peer.own, fetched);
        // The Read came behind the Write.
        same(own, peer.open);
    }

    private static void succeed(Completion completion, String what) {
        assertTrue(completion.isSuccess(), () -> what + ": " + completion);
    }

    private static void same(MemoryRegion expected, MemoryRegion actual) {
        assertEquals(-1, expected.segment().mismatch(actual.segment()), "the first byte that differs");
    }

    @Override
    public void close() {
        verbs.close();
        arena.close();
    }
}
